// What became of the tables and their columns, in sentences that count the reasons.
import type { DeclaredField } from "./fields.ts";
import type { Declared, Left } from "./tables.ts";

/** What a reason is called without the names in it. */
const GENERAL: [names: RegExp, without: string][] = [
  [/^it links .* and "[^"]*"/, "it links two tables"],
  [/^"[^"]*" (of its key)/, "a column $1"],
  [/ "[^"]*"( and "[^"]*")*/g, ""],
];

export function summaryOfTables(resources: Declared[], left: Left[]): string {
  const relations = resources.flatMap(({ relations }) => relations);
  const links = new Set(relations.flatMap(({ links }) => links ? [links.table] : []));
  const all = resources.length + links.size + left.length;
  const linking = links.size === 0
    ? ""
    : links.size === 1
    ? ", 1 has the links of a to-many"
    : `, ${links.size} have the links of to-many`;
  const reasons = left.map(({ reason }) => reason);
  return `${resources.length} of ${all} tables are resources${linking}${counted(reasons)}`;
}

/** Secrets are counted apart. Undefined if no column is left out. */
export function summaryOfColumns(fields: DeclaredField[]): string | undefined {
  const reasons = fields.flatMap(({ leftOut }) => leftOut ?? []);
  if (reasons.length === 0) return undefined;
  return `${reasons.length} of their ${fields.length} fields are left out${counted(reasons)}`;
}

/** The reasons, the most frequent first, each with how often it is met. */
function counted(reasons: string[]): string {
  if (reasons.length === 0) return "";
  const general = reasons.map((reason) =>
    GENERAL.reduce((text, [names, without]) => text.replace(names, without), reason)
  );
  const groups = [...Map.groupBy(general, (reason) => reason)];
  const told = groups.map(([reason, { length }]) => ({ reason, length }))
    .sort((one, other) => other.length - one.length)
    .map(({ reason, length }) => `${reason} (${length})`);
  return `: ${told.join("; ")}`;
}
