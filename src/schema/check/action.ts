// The SQL of an action compared with the fields that it answers with. Nothing of it is run: Postgres plans it, and tells
// the columns that it returns.
import { actionStatements } from "../../api/action.ts";
import type { Database } from "../../db/database.ts";
import { reads, slot, sql } from "../../db/sql.ts";
import type { Standing } from "../../model/access.ts";
import type { Action } from "../../model/model.ts";
import { seenBy } from "../../model/view.ts";
import { actionStatement } from "../../statements/action.ts";
import { fails, type Finding } from "./finding.ts";
import { compareType } from "./report.ts";
import { explainEach } from "./statements.ts";

/** Finds what Postgres refuses in an action, else the columns that are missing, or whose types do not fit. */
export async function compareAction(
  database: Database,
  action: Action,
  standings: Standing[],
): Promise<Finding[]> {
  const title = `the action "${action.name}"`;
  const statements = [
    ...actionStatements(action),
    ...action.access ? standings.flatMap((each) => actionStatements(action, seenBy(each))) : [],
  ];
  const refused = await explainEach(database, title, statements);
  if (refused.length > 0 || !action.fields) return refused;
  const columns = await database.describe(actionStatement(action));
  const names = await database.run(typeNames, { types: columns.map(({ type }) => type) });
  const types = new Map(columns.map(({ name }, index) => [name, names[index]!.name]));
  return Object.entries(action.fields).flatMap(([field, column]) => {
    const type = types.get(column.column);
    return type === undefined
      ? [fails(`The statement of ${title} returns no column "${column.column}"`)]
      : compareType(title, field, column, type);
  });
}

const typeNames = reads<{ types: number[] }, { name: string }>(
  "name types",
  sql`
    select format_type(type, null) as name
    from unnest(${slot("types", "oid[]")}) with ordinality as given (type, ordinal)
    order by ordinal`,
);
