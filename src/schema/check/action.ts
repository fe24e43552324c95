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

/** Finds what Postgres refuses in an action, else the columns that are missing or there twice, or whose types do not
 * fit. */
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
  return Object.entries(action.fields).flatMap(([field, column]) => {
    const types = names.filter((_, index) => columns[index]!.name === column.column);
    const [type] = types;
    const returned = `The statement of ${title} returns`;
    if (!type) return [fails(`${returned} no column "${column.column}"`)];
    if (types.length > 1) return [fails(`${returned} more than one column "${column.column}"`)];
    return compareType(title, field, column, type.name);
  });
}

const typeNames = reads<{ types: number[] }, { name: string }>(
  "name types",
  sql`
    select format_type(type, null) as name
    from unnest(${slot("types", "oid[]")}) with ordinality as given (type, ordinal)
    order by ordinal`,
);
