// The rows that plain SQL gives, as the fields of a report or an action show them.
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import { unmodified } from "../model/field.ts";
import type { Column } from "../model/model.ts";

/** The most rows that plain SQL gives. */
export const MAXIMUM_ROWS = 1000;

export interface Item {
  /** The JSON text of the row. */
  text: string;
  /** A field that is null and must not be; null if there is none. */
  missing: string | null;
}

/** Selects an `Item` for each row. These have a name, and `from` what follows after it in the clause. */
export function items(fields: Record<string, Column>, row: Sql, from: Sql): Sql {
  return sql`
      select
        row_to_json(item.*)::text as text,
        ${firstMissing(fields)} as missing
      from (
        select
          ${join(columns(fields, row), ",\n")}
        from ${from}
      ) as item`;
}

/** The columns as the fields want them, whatever types the SQL gives. Numbers are read from their text: so a
 * real stays the number that it shows, and NaN is no error. */
function columns(fields: Record<string, Column>, row: Sql): Sql[] {
  return Object.entries(fields).map(([field, { column, columnType, value }]) => {
    const own = sql`${row}.${name(column)}`;
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
function firstMissing(fields: Record<string, Column>): Sql {
  const filled = Object.keys(fields).filter((field) => !fields[field]!.nullable);
  if (filled.length === 0) return raw("null");
  return sql`
    case
      ${join(filled.map((field) => sql`when item.${name(field)} is null then ${field}`), "\n")}
    end`;
}
