// `relata access`: one table of who may do what to which rows, for reviewers. It needs no database.
import type { Config } from "../config.ts";
import { fillIn, type Sql } from "../db/sql.ts";
import type { Entry, Right } from "../model/access.ts";
import { isAction } from "../model/action.ts";
import { Claim, isClaim } from "../model/claim.ts";
import type { Action, Report, Resource } from "../model/model.ts";
import { rightOf, rightsIn } from "../model/permission.ts";
import { isReport } from "../model/report.ts";
import { isResource } from "../model/resource.ts";
import { writtenCondition } from "../model/view.ts";
import { openProject } from "../project/project.ts";
import { print } from "../terminal/output.ts";
import { table } from "../terminal/table.ts";

/** What one entry allows. */
interface Allowed {
  resource: string;
  right: Right;
  /** Whom; nobody but services, if there is no entry; null if nothing is said. */
  who: Entry["who"] | "service" | null;
  role?: string;
  /** Which rows, as the declaration says it; null for all. */
  rows: string | null;
}

/** Prints a line for each entry of each resource, report and action. */
export async function printAccess(config: Config, { json }: { json?: boolean }): Promise<void> {
  const { resources, reports, actions } = await openProject(config);
  const all = [...resources, ...reports, ...actions].flatMap(allowedBy);
  if (json) return await print(JSON.stringify(all, null, 2));
  const rows = all.map(({ resource, right, who, role, rows }) => [
    resource,
    right,
    who === null ? "every token" : role === undefined ? who : `${who} ${JSON.stringify(role)}`,
    rows ?? (who === "service" ? "" : "all"),
  ]);
  await print([
    table([["RESOURCE", "RIGHT", "WHO", "ROWS"], ...rows]),
    "",
    "A service, which is a token without claims or, where AUTH=off, everybody, may do all",
  ].join("\n"));
}

function allowedBy(declared: Resource | Report | Action): Allowed[] {
  const { name: resource, access } = declared;
  const rights: Right[] = isResource(declared) ? rightsIn(declared) : [rightOf(declared)];
  return rights.flatMap((right): Allowed[] => {
    if (!access) return [{ resource, right, who: null, rows: null }];
    if (access[right].length === 0) return [{ resource, right, who: "service", rows: null }];
    return access[right].map((entry) => ({
      resource,
      right,
      who: entry.who,
      ...(entry.role !== undefined && { role: entry.role }),
      rows: rowsOf(declared, right, entry),
    }));
  });
}

/** The rows of an entry, as its declaration says them. */
function rowsOf(
  declared: Resource | Report | Action,
  right: Right,
  { field, rows }: Entry,
): string | null {
  if (field !== undefined) return `as ${field} may be ${right === "read" ? "read" : "updated"}`;
  if (isAction(declared)) return "as its SQL says";
  if (rows === undefined || isReport(declared)) return null;
  if (typeof rows === "function") return lineOf(writtenCondition(declared, rows));
  return Object.entries(rows)
    .map(([path, value]) =>
      `${path}: ${value instanceof Claim ? claimText(value) : JSON.stringify(value)}`
    ).join(", ");
}

/** SQL on one line, with claims as they are asked for. */
function lineOf(piece: Sql): string {
  return fillIn(piece, (slot) => isClaim(slot) ? claimText(slot) : "null").replaceAll(/\s+/g, " ");
}

function claimText({ claim }: { claim: string }): string {
  return `claim(${JSON.stringify(claim)})`;
}
