// What the catalogue and the rows tell about access: what it cannot hide, whom it shows nothing, what else decides.
import type { Database } from "../../db/database.ts";
import { claimedPaths } from "../../model/access.ts";
import type { Resource } from "../../model/model.ts";
import { pathTo } from "../../model/path.ts";
import { writesOf } from "../../model/resource.ts";
import { keyColumnsOf } from "../../model/table.ts";
import { claimNames } from "../../model/view.ts";
import { ownerlessStatement } from "../audit.ts";
import type { Catalogue, Index, Table } from "../catalogue.ts";
import { differs, type Finding } from "./finding.ts";

/** Compares what a resource says of access with its table. */
export function compareAccess(resource: Resource, table: Table): Finding[] {
  if (!resource.access) return [];
  const { name } = resource;
  return [
    ...claimNames([resource]).includes("email")
      ? [differs(`The rule of ${name} compares "email": people can change it, "sub" stays`)]
      : [],
    ...table.policies === null ? [] : [
      differs(
        `The table "${table.name}" has row security, whose policies see no claims of callers: ` +
          `"access" of ${name} is asked beside it`,
      ),
    ],
    ...telling(resource, table).map(({ index, field }) =>
      differs(
        `The unique constraint "${index.name}" lacks "${field}": who writes a ${name} learns what ` +
          "others have",
      )
    ),
  ];
}

/** The unique indexes that tell callers of rows which they do not read, each with a field that they read by. */
function telling(resource: Resource, { indexes }: Table): { index: Index; field: string }[] {
  const isWritten = writesOf(resource).some((write) => write !== "delete");
  const [first] = ownColumns(resource);
  if (!isWritten || !first) return [];
  const keys = keyColumnsOf(resource);
  const columns = ownColumns(resource).map(({ column }) => column);
  return indexes.filter(({ isUnique, parts }) =>
    isUnique && !parts.every(({ column }) => column !== null && keys.includes(column)) &&
    !parts.some(({ column }) => column !== null && columns.includes(column))
  ).map((index) => ({ index, field: first.field }));
}

/** Counts the rows in which a column is null that access compares with claims. */
export async function compareOwners(
  database: Database,
  resource: Resource,
  catalogue: Catalogue,
): Promise<Finding[]> {
  const table = catalogue.get(resource.table)!;
  const findings: Finding[] = [];
  for (const { field, column } of ownColumns(resource)) {
    if (table.columns[column]!.isNotNull) continue;
    const [row] = await database.run(ownerlessStatement(resource, column), {});
    if (!row || row.count === 0) continue;
    const rows = row.count === 1 ? "A row" : `${row.count} rows`;
    findings.push(
      differs(
        `${rows} of ${resource.name} ${row.count === 1 ? "has" : "have"} no "${field}": its rule ` +
          "shows them to nobody",
      ),
    );
  }
  return findings;
}

/** The columns of its own table that access compares with claims. */
function ownColumns(resource: Resource): { field: string; column: string }[] {
  return claimedPaths(resource).flatMap((path) => {
    const { steps, field } = pathTo(resource, path);
    return steps.length === 0 ? [{ field: path, column: field.column }] : [];
  });
}
