// From a row to the representation that the API gives, and its tag: Postgres builds the JSON text,
// which passes through as it is, unless a moment is to be shown in it.
import type { Fragment, Sql } from "../database/sql.ts";
import type { Resource } from "../declaration/declaration.ts";
import { TAG_LENGTH, tagOf } from "../api/conditions.ts";

type Row = Record<string, unknown>;

export interface Representation {
  body: string;
  /** Changes with the body, and with nothing else that a client could see. */
  tag: string;
}

/** The JSON text of a row of `table`, built for that row alone: however many rows a statement has and
 * whatever Postgres makes of that, each costs what it costs alone. */
export function shown(sql: Sql, resource: Resource, table: string): Fragment {
  const { read } = resource.statements(sql);
  return sql`(
    select row_to_json(item.*)::text
    from (${read(sql`(select ${sql(table)}.*)`)}) as item
  )`;
}

/** The tag of a row of `table`, as `tagOf` finds it of the row's text. */
export function tagged(sql: Sql, resource: Resource, table: string): Fragment {
  const text = shown(sql, resource, table);
  const length = sql.unsafe(String(TAG_LENGTH));
  return sql`left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${length})`;
}

/** Makes, once, what turns the text of each row into its representation. */
export function representation(resource: Resource): (text: string) => Representation {
  const body = bodies(resource);
  return (text) => ({ body: body(text), tag: tagOf(text) });
}

/** Makes, once, what turns the text of each row into the body that shows it. */
export function bodies(resource: Resource): (text: string) => string {
  const show = moments(resource);
  if (!show) return (text) => text;
  return (text) => {
    const row = JSON.parse(text);
    show(row);
    return JSON.stringify(row);
  };
}

/** Shows every moment of a row and of the objects nested in it; undefined where there is none. */
function moments({ fields }: Resource): ((row: Row) => void) | undefined {
  const steps = Object.entries(fields).flatMap(([name, field]) => {
    if (field.kind === "moment") {
      return [(row: Row) => void (row[name] = field.show(row[name] as string))];
    }
    const nested = field.kind === "relation" && field.nested ? moments(field.target) : undefined;
    return nested ? [(row: Row) => nested(row[name] as Row)] : [];
  });
  return steps.length > 0 ? (row) => steps.forEach((step) => step(row)) : undefined;
}
