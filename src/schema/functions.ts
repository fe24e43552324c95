// The server's own functions: what the grants give, and what `/readyz` and `relata check` look for.
import type { Database } from "../db/database.ts";
import { reads, slot, Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { pathTo } from "../model/path.ts";
import { has, ownedBy, writesOf } from "../model/resource.ts";
import { GRANTS, quotedNames } from "./privileges.ts";

interface OwnFunction {
  name: string;
  /** The types of what it takes. */
  takes: string;
  /** Whether requests to the routes of a resource run it. */
  isUsed(resource: Resource): boolean;
}

export const ownFunctions: OwnFunction[] = [
  { name: "relata_begin_epoch", takes: "", isUsed: isFollowed },
  { name: "relata_epoch", takes: "", isUsed: isFollowed },
  { name: "relata_take", takes: "text", isUsed: (resource) => writesOf(resource).length > 0 },
  {
    name: "relata_each",
    takes: "text, json, boolean",
    isUsed: (resource) => writesOf(resource).includes("insert"),
  },
  {
    name: "relata_cast",
    takes: "text, anyelement",
    isUsed: (resource) => hasTextKeys(resource) || writesKind(resource, "choice"),
  },
  {
    name: "relata_takes",
    takes: "text, text",
    isUsed: (resource) => writesKind(resource, "pgType"),
  },
  { name: "relata_key", takes: "text, anyelement", isUsed: hasTextKeys },
  {
    name: "relata_default",
    takes: "text, text, anyelement",
    isUsed: ({ writable, key }) => writable[key]?.write.default instanceof Sql,
  },
  {
    name: "relata_merge_patch",
    takes: "jsonb, jsonb",
    isUsed: (resource) =>
      writesOf(resource).includes("update") &&
      Object.values(resource.writable).some(({ write }) => write.merge !== undefined),
  },
  { name: "relata_jsonb", takes: "json", isUsed: filtersJson },
  { name: "relata_jsonb", takes: "jsonb", isUsed: filtersJson },
];

/** Whether its rows, or their changes, are followed. */
export function isFollowed(resource: Resource): boolean {
  return has(resource, "follow") || resource.history === true;
}

/** Whether its identifiers, or those that its relations have, may be of another type in the database. */
function hasTextKeys(resource: Resource): boolean {
  const targets = Object.values(resource.relations).map(({ target }) => target(resource));
  return [resource, ...targets].some(({ identifiers }) => identifiers.cast !== undefined);
}

/** Whether clients send a field of this kind, of its rows or of those that these own. */
function writesKind(resource: Resource, kind: string): boolean {
  return writesOf(resource).some((write) => write !== "delete") &&
    [resource, ...ownedBy(resource)].some(({ writable }) =>
      Object.values(writable).some((field) => field.kind === kind)
    );
}

function filtersJson(resource: Resource): boolean {
  return (resource.filter ?? []).some((path) => pathTo(resource, path).field.kind === "json");
}

/** A function with the types of what it takes, as Postgres knows it. */
export function signatureOf({ name, takes }: OwnFunction): string {
  return `${name}(${takes})`;
}

interface Found {
  signature: string;
  found: boolean;
  mayExecute: boolean;
}

export const findFunctions = reads<{ signatures: string }, Found>(
  "look for functions",
  sql`
    select
      signature,
      function is not null as found,
      coalesce(has_function_privilege(function, 'execute'), false) as "mayExecute"
    from json_array_elements_text(${slot("signatures", "json")}) as wanted (signature)
    cross join lateral to_regprocedure(signature) as function`,
);

/** Why requests to some resources would fail for want of a function, in one sentence for each reason. */
export async function lackOfFunctions(
  database: Database,
  resources: Resource[],
): Promise<string[]> {
  const used = ownFunctions.filter(({ isUsed }) => resources.some(isUsed));
  const signatures = JSON.stringify(used.map(signatureOf));
  const all = await database.run(findFunctions, { signatures });
  const away = all.filter(({ found }) => !found);
  const denied = all.filter(({ found, mayExecute }) => found && !mayExecute);
  return [
    ...away.length > 0 ? [`The database does not have ${functionsIn(away)}`] : [],
    ...denied.length > 0
      ? [`The role of DATABASE_URL may not execute ${functionsIn(denied)}: ${GRANTS}`]
      : [],
  ];
}

function functionsIn(found: Found[]): string {
  return `the ${found.length === 1 ? "function" : "functions"} ${
    quotedNames(found.map(({ signature }) => signature))
  }`;
}
