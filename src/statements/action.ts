// The statements of an action: the check of what its input refers to, its own SQL as it is written, and what shows the
// rows that this returns.
import { join, name, reads, slot, sql, type Statement, writes } from "../db/sql.ts";
import type { Action, Payload, Query, Resource } from "../model/model.ts";
import { refusedText } from "../model/pg-type.ts";
import { isCandidate } from "../model/relation.ts";
import type { Seen } from "../model/view.ts";
import { type Item, items } from "./items.ts";
import { mendStatements } from "./sequence.ts";

/** Finds what is wrong with an input that only Postgres knows: relations that refer to no row which the callers may read,
 * as `job:does_not_exist`, and texts that are none of their type. */
export function inputStatement(
  { name: action, input }: Action,
  seen?: Seen,
): Statement<Query, { refused: string }> {
  const payload = seen ? { ...input, view: { of: seen } } : input;
  const refused = checkedInputs(payload).map(([field, { relation, write }]) => {
    const value = sql`${slot(field, write.sqlType)}`;
    if (!relation) return refusedText(write.givenType!, value, field);
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

/** The inputs that a statement checks. */
export function checkedInputs({ writable }: Payload): [string, Payload["writable"][string]][] {
  return Object.entries(writable).filter(([, { relation, write }]) => relation || write.givenType);
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
