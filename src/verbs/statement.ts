// The statement that writes rows: it checks the relations, writes, and reads what was written. It is
// for any number of rows, each with its place, and gives the outcome of each; a lone request is a
// row alone.
import type { Resource, Statements } from "../declaration/declaration.ts";
import { holds } from "../declaration/relation.ts";
import { type Fragment, listed, type Sql } from "../database/sql.ts";
import type { Row } from "./input.ts";

/** What became of a row. */
export interface Outcome {
  /** The relations that did not hold, by field, comma-separated; then nothing was written. */
  refused: string;
  /** The identifier of what was written; null where there was no such row. */
  id: number | null;
  /** The row as it is read now; null where what it refers to came after the statement began. */
  text: string | null;
}

export type Write = "create" | "update";

/** Makes, once, what composes the statement for some rows. In it, `sent` is what clients sent and
 * which relations fail, `input` what of it may be written, `written` what was. */
export function writeStatement(resource: Resource, sql: Sql, write: Write) {
  const statements = resource.statements(sql);
  const statement = declared(resource, statements, write);
  const fields = Object.keys(resource.sent);
  const columns = listed(sql, write === "create" ? fields : ["id", ...fields]);
  const id = write === "create" ? sql`nextval(${sequence(sql, resource)})` : sql`sent.id`;
  const refusals = Object.entries(resource.relations).map(([field, relation]) =>
    sql`case when not ${holds(sql, field, relation)} then ${sql.unsafe(`'${field}'`)} end`
  );
  const representations = statements.read(sql`written`);

  return (identifiers: number[], rows: Row[]) => {
    const values = Object.entries(resource.sent).map(([field, { sqlType }]) =>
      sql`${rows.map((row) => row[field]!)}::${sql.unsafe(sqlType)}[]`
    );
    if (write === "update") values.unshift(sql`${identifiers}::bigint[]`);
    return sql<Outcome[]>`
      with sent as (
        select
          ${columns},
          place,
          concat_ws(',', ${listed(sql, [sql`null`, ...refusals])}) as refused
        from unnest(${listed(sql, values)}) with ordinality as sent (${columns}, place)
      ),
      input as (
        select
          ${id} as id,
          ${listed(sql, fields)},
          place
        from (
          select
            ${columns},
            place
          from sent
          where refused = ''
          order by place
        ) as sent
      ),
      written as (
        ${statement}
      )
      select
        sent.refused,
        written.id,
        row_to_json(item)::text as text
      from sent
      left join input
        on input.place = sent.place
      left join written
        on written.id = input.id
      left join (${representations}) as item
        on item.${sql(resource.key)} = written.id
      order by sent.place`;
  };
}

/** Moves the sequence past identifiers that somebody inserted by hand, as plain SQL allows. */
export async function advanceIdentifiers(sql: Sql, resource: Resource): Promise<void> {
  await sql`
    select setval(${sequence(sql, resource)}, greatest(
      (select max(id) from ${sql(resource.name)}),
      (select last_value from ${sql(`${resource.name}_id_seq`)})
    ))`;
}

/** The sequence that Postgres makes for the identity column `id`. */
function sequence(sql: Sql, { name }: Resource): Fragment {
  return sql`${sql.unsafe(`'${name}_id_seq'`)}`;
}

/** One of the statements that a resource need not have. */
export function declared(
  resource: Resource,
  statements: Statements,
  write: Write | "delete",
): Fragment {
  const statement = statements[write];
  if (statement) return statement;
  throw new Error(`The resource "${resource.name}" declares no statement "${write}"`);
}
