// The statement of a report: the SQL of its rows, as its fields show them.
import { join, name, reads, sql, type Statement } from "../db/sql.ts";
import type { Query, Report } from "../model/model.ts";
import { type Item, items, MAXIMUM_ROWS } from "./items.ts";

/** Reads the rows, and one more than there may be. Whatever their SQL calls cannot write: the condition is
 * checked before them, and makes the transaction read-only. */
export function reportStatement(report: Report): Statement<Query, Item> {
  return reads(
    `report ${report.name}`,
    sql`
      ${
      items(
        report.fields,
        name("report"),
        sql`(
          ${report.rows}
        ) as report
        where (select set_config('transaction_read_only', 'on', true)) = 'on'`,
      )
    }
      limit ${MAXIMUM_ROWS + 1}`,
    // The best plan depends on which parameters are there
    { replans: true },
  );
}

/** Tells the type of each column that a report shows, and runs nothing of its SQL. */
export function typesStatement(
  { name: report, fields, rows }: Report,
): Statement<Query, Record<string, string>> {
  const types = Object.entries(fields).map(([field, { column }]) =>
    sql`pg_typeof(report.${name(column)})::text as ${name(field)}`
  );
  return reads(
    `types of ${report}`,
    sql`
      select
        ${join(types, ",\n")}
      from (select) as nothing
      left join (
        ${rows}
      ) as report
        on false`,
    { replans: true },
  );
}
