// The rows that are worked on.
import type postgres from "postgres";

export interface Rows {
  bars: number;
  foos: number;
  coleres: number;
  bottages: number;
}

/** Throws away what is there and fills every table with rows that are numbered from 1. */
export async function fill(
  sql: postgres.Sql,
  { bars, foos, coleres, bottages }: Rows,
): Promise<void> {
  await sql`truncate bar, foo, colere, bottage restart identity cascade`;
  await sql`
    insert into bar (name)
    select 'Bar ' || number
    from generate_series(1, ${bars}::bigint) as number`;
  await sql`
    insert into foo (name, bar_id)
    select 'Foo ' || number, 1 + number % ${bars}
    from generate_series(1, ${foos}::bigint) as number`;
  await sql`
    insert into colere (name)
    select 'Colere ' || number
    from generate_series(1, ${coleres}::bigint) as number`;
  await sql`
    insert into bottage (cul, colere_id)
    select 'Cul ' || number, 1 + number % ${coleres}
    from generate_series(1, ${bottages}::bigint) as number`;
  await settle(sql);
}

export interface InvoiceRows {
  products: number;
  invoices: number;
  /** On each invoice, all of the eighth product. */
  lines: number;
}

/** The same where invoices own lines. */
export async function fillInvoices(
  sql: postgres.Sql,
  { products, invoices, lines }: InvoiceRows,
): Promise<void> {
  await sql`truncate product, invoice, line restart identity`;
  await sql`
    insert into product (name)
    select 'Product ' || number
    from generate_series(1, ${products}::bigint) as number`;
  await sql`
    insert into invoice (title)
    select 'Invoice ' || number
    from generate_series(1, ${invoices}::bigint) as number`;
  await sql`
    insert into line (invoice_id, place, product_id, quantity, price)
    select invoice.id, place, 8, 2, 4.50
    from invoice
    cross join generate_series(1, ${lines}::integer) as place
    order by invoice.id, place`;
  await settle(sql);
}

/** Does what Postgres would do by and by. */
async function settle(sql: postgres.Sql): Promise<void> {
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}
