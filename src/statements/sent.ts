// Rows as they are sent, as JSON with a member for each column: what is wrong with them, and what becomes of
// them.
import { join, name, raw, reads, slot, type Sql, sql, type Statement } from "../db/sql.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";

/** What a write made. */
export interface Made {
  id: Identifier;
  /** The row as JSON text; null if a row that it refers to is newer than the statement. */
  text: string | null;
}

/** Checks the relations of rows that are not written. */
export function checkStatement(
  resource: Resource,
): Statement<{ rows: string }, { place: number; refused: string }> {
  return reads(
    `check ${resource.name}`,
    sql`
      with ${sentStage(resource, sentRows(resource))}
      select
        relata_place as place,
        relata_refused as refused
      from relata_sent
      where relata_refused <> ''`,
  );
}

/** The stage with what was sent, and why it is refused. */
export function sentStage(resource: Resource, sent: Sql): Sql {
  return sql`
    relata_sent as (
      select
        sent.*,
        ${refusals(resource)} as relata_refused
      from ${sent}
    )`;
}

/** A row, called `sent`, that is given as a JSON object. */
export function sentRow(resource: Resource, row: Sql): Sql {
  return sql`json_to_record(${row}) as sent (
      ${typedColumns(resource)}
    )`;
}

/** Rows, called `sent`, with their places in the JSON array that they are given in. */
export function sentRows(resource: Resource): Sql {
  const columns = join(Object.values(resource.writable).map(({ column }) => name(column)));
  return sql`rows from (
      json_to_recordset(${slot("rows", "json")}) as (
        ${typedColumns(resource)}
      )
    ) with ordinality as sent (${columns}, relata_place)`;
}

/** Why the row called `sent` is refused, as `bar:does_not_exist`, and what else is wrong. */
export function refusals(resource: Resource, more: Sql[] = []): Sql {
  const found = Object.entries(resource.writable).flatMap((
    [field, { column, write: { refusal } }],
  ) => refusal ? [refusal(sql`sent.${name(column)}`, field)] : []);
  return sql`concat_ws(
    ',',
    ${join([sql`null`, ...found, ...more], ",\n")}
  )`;
}

function typedColumns({ writable }: Resource): Sql {
  return join(
    Object.values(writable).map(({ column, write }) => sql`${name(column)} ${raw(write.sqlType)}`),
    ",\n",
  );
}
