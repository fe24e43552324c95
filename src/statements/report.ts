// The statement of a report: the SQL of its rows, as its fields show them.
import { join, name, raw, reads, type Sql, sql, type Statement } from "../db/sql.ts";
import { unmodified } from "../model/field.ts";
import type { Query, Report } from "../model/model.ts";

/** The most rows that a report gives. */
export const MAXIMUM_ROWS = 1000;

interface ReportRow {
  /** The JSON text of the row. */
  text: string;
  /** A field that is null and must not be; null if there is none. */
  missing: string | null;
}

/** Reads the rows, and one more than there may be. Whatever their SQL calls cannot write: the condition is
 * checked before them, and makes the transaction read-only. */
export function reportStatement(report: Report): Statement<Query, ReportRow> {
  return reads(
    `report ${report.name}`,
    sql`
      select
        row_to_json(item.*)::text as text,
        ${firstMissing(report)} as missing
      from (
        select
          ${join(reportColumns(report), ",\n")}
        from (
          ${report.rows}
        ) as report
        where (select set_config('transaction_read_only', 'on', true)) = 'on'
      ) as item
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

/** The columns as the fields want them, whatever types the SQL gives. Numbers are read from their text: so a
 * real stays the number that it shows, and NaN is no error. */
function reportColumns({ fields }: Report): Sql[] {
  return Object.entries(fields).map(([field, { column, columnType, value }]) => {
    const own = sql`report.${name(column)}`;
    const typed = valueIn(unmodified(columnType!.types[0]!), own);
    return sql`${value?.(typed) ?? typed} as ${name(field)}`;
  });
}

function valueIn(type: string, column: Sql): Sql {
  if (type === "bigint") return sql`round(${column}::text::numeric)`;
  if (type === "double precision") return sql`${column}::text::double precision`;
  return sql`${column}::${raw(type)}`;
}

/** The name of the first field that is null and not declared to be so. */
function firstMissing({ fields }: Report): Sql {
  const filled = Object.keys(fields).filter((field) => !fields[field]!.nullable);
  if (filled.length === 0) return raw("null");
  return sql`
    case
      ${join(filled.map((field) => sql`when item.${name(field)} is null then ${field}`), "\n")}
    end`;
}
