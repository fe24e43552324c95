// The statements of an action: the check of what its input refers to, its own SQL as it is written, and what shows the
// rows that this returns.
import { join, name, reads, slot, sql, type Statement, writes } from "../db/sql.ts";
import type { Action, Query, Resource } from "../model/model.ts";
import { isCandidate } from "../model/relation.ts";
import type { Seen } from "../model/view.ts";
import { type Item, items } from "./items.ts";
import { mendStatements } from "./sequence.ts";

/** Finds the relations of an input that refer to no row which the callers may read, as `job:does_not_exist`. */
export function inputStatement(
  { name: action, input }: Action,
  seen?: Seen,
): Statement<Query, { refused: string }> {
  const payload = seen ? { ...input, view: { of: seen } } : input;
  const refused = Object.entries(payload.relations).map(([field, relation]) => {
    const value = sql`${slot(field, payload.writable[field]!.write.sqlType)}`;
    return sql`case when ${value} is not null
          and ${isCandidate(relation, payload, value)} is null
          then ${`${field}:does_not_exist`}
        end`;
  });
  return reads(
    `check ${action}`,
    sql`
      select concat_ws(
        ',',
        ${join(refused, ",\n")}
      ) as refused`,
  );
}

/** The rows that its SQL returns, each value as a text. The best plan depends on what is sent. */
export function actionStatement(
  { name, statement }: Action,
): Statement<Query, Record<string, string | null>> {
  return writes(`action ${name}`, statement, { replans: true, isText: true });
}

/** Shows these rows, which it gets as JSON, with the types of the fields. Postgres has statements that write at the top
 * alone, so nothing can be selected from one. */
export function shownStatement(
  { name: action, fields = {} }: Action,
): Statement<{ rows: string }, Item> {
  const columns = [...new Set(Object.values(fields).map(({ column }) => column))];
  return reads(
    `show ${action}`,
    items(
      fields,
      name("returned"),
      sql`json_to_recordset(${slot("rows", "json")}) as returned (
          ${join(columns.map((column) => sql`${name(column)} text`), ",\n")}
        )`,
    ),
  );
}

/** What mends the sequences of the tables that it names, where these are of resources. */
export function actionMends({ tables }: Action, resources: Resource[]) {
  return resources.filter(({ table }) => tables.includes(table)).flatMap(mendStatements);
}
