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

export interface ShopRows {
  products: number;
  invoices: number;
  /** On each invoice. */
  lines: number;
  tags: number;
  /** With three tags each. */
  items: number;
  callers: number;
  /** Of all callers in turn. */
  notes: number;
  vouchers: number;
}

/** The identifier of a voucher, which they have by number. */
export const voucherOf = (number: number) =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** The same in the database of the shop. The seventh invoice has the eighth product on all of its lines. */
export async function fillShop(sql: postgres.Sql, rows: ShopRows): Promise<void> {
  const { products, invoices, lines, tags, items, callers, notes, vouchers } = rows;
  await sql`
    truncate product, invoice, line, tag, item, item_tag, note, voucher, sent_key
    restart identity`;
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
    select
      invoice.id,
      place,
      case invoice.id when 7 then 8 else 1 + (7 * invoice.id + 13 * place) % ${products} end,
      2,
      4.50
    from invoice
    cross join generate_series(1, ${lines}::integer) as place
    order by invoice.id, place`;
  await sql`
    insert into tag (name)
    select 'Tag ' || number
    from generate_series(1, ${tags}::bigint) as number`;
  await sql`
    insert into item (name, price)
    select 'Item ' || number, number % 1000
    from generate_series(1, ${items}::bigint) as number`;
  await sql`
    insert into item_tag (item_id, tag_id)
    select item.id, 1 + (item.id + 5 * place) % ${tags}
    from item
    cross join generate_series(0, 2) as place`;
  await sql`
    insert into note (title, owner)
    select 'Note ' || number, 'caller ' || 1 + number % ${callers}
    from generate_series(1, ${notes}::bigint) as number`;
  await sql`
    insert into voucher (id, title)
    select
      ('00000000-0000-4000-8000-' || lpad(number::text, 12, '0'))::uuid,
      'Voucher ' || number
    from generate_series(1, ${vouchers}::bigint) as number`;
  await settle(sql);
}

/** Does what Postgres would do by and by. */
async function settle(sql: postgres.Sql): Promise<void> {
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}
