// The statement that writes rows: it checks the relations, writes, and reads what was written. It is
// for any number of rows, each with its place, and gives the outcome of each; a lone request is a
// row alone.
import type { Resource, Statements } from "../declaration/declaration.ts";
import { MAXIMUM_IDENTIFIER } from "../declaration/field.ts";
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
  const id = write === "create" ? nextIdentifier(sql, resource) : sql`sent.id`;
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

/** The next identifier: one more than the last, also than one that somebody inserted by hand ahead
 * of the sequence, unless that is the largest there can be. */
function nextIdentifier(sql: Sql, { name }: Resource): Fragment {
  const sequence = sql.unsafe(`'${name}_id_seq'`);
  const ahead = sql`(
    select max(id)
    from ${sql(name)}
    where id > (select last_value from ${sql(`${name}_id_seq`)})
      and id < ${sql.unsafe(String(MAXIMUM_IDENTIFIER))}
  )`;
  return sql`case
    when ${ahead} is null then nextval(${sequence})
    else setval(${sequence}, greatest(nextval(${sequence}), ${ahead} + 1))
  end`;
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
