// Rows as they are sent, as JSON with a member for each column: the types of their columns, the defaults in SQL of what
// is left out, and what is wrong with the rows that they refer to.
import { join, name, raw, Sql, sql } from "../db/sql.ts";
import { Claim } from "./claim.ts";
import type { Resource, Sent } from "./model.ts";

/** The member of a row that others own with what claims fill, where only the statement tells whether the row is new. */
export const CLAIMED = "relata_claimed";

/** The columns of a row that is sent, with their types. */
export function typedColumns({ writable }: Resource): Sql[] {
  return Object.values(writable).map(({ column, write }) =>
    sql`${name(column)} ${raw(write.sqlType)}`
  );
}

/** Whether a create evaluates SQL for a column that is left out. */
export function hasDefaults({ writable }: Resource): boolean {
  return Object.values(writable).some(({ write }) => write.default instanceof Sql);
}

/** The columns of a row to create, called `sent`, from the JSON that it is sent as. Each default is evaluated once for a
 * row, before anything looks at it. The JSON tells what is left out: in a record that is null, too. */
export function filledColumns({ writable, owned, takesKeys }: Resource, json: Sql): Sql[] {
  return Object.values(writable).map(({ column, write: { default: fallback, sqlType } }) => {
    const sent = sql`sent.${name(column)}`;
    const isClaimed = owned && takesKeys && fallback instanceof Claim;
    const given = isClaimed ? sql`${json} -> ${CLAIMED} ->> ${column}` : fallback;
    if (!(given instanceof Sql)) return sent;
    return sql`
      case
        when ${json} -> ${column} is null
        then (${given})::${raw(sqlType)}
        else ${sent}
      end as ${name(column)}`;
  });
}

/** Why a row of this name is refused, as `bar:does_not_exist`, and what else is wrong. */
export function refusals(
  resource: Resource,
  row: Sql,
  { more = [], ...of }: { more?: Sql[] } & Omit<Sent, "resource"> = {},
): Sql {
  const found = Object.entries(resource.writable).flatMap((
    [field, { column, write: { refusal } }],
  ) => refusal ? [refusal(sql`${row}.${name(column)}`, field, { resource, ...of })] : []);
  return sql`concat_ws(
    ',',
    ${join([sql`null`, ...found, ...more], ",\n")}
  )`;
}
