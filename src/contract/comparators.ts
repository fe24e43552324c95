// The one table of comparisons: for each kind of fact, the rules that a change falls under. Whether a rule
// breaks callers depends on its direction (rules.ts).
import { areGranted } from "./access.ts";
import type { Facts } from "./facts.ts";
import { literal } from "./json.ts";
import { limitChanges } from "./limits.ts";
import type { RuleName } from "./rules.ts";
import { areServed } from "./security.ts";
import { isClosed, type Shape } from "./shape.ts";
import { type Type, typeNames, types, typesOf } from "./types.ts";

/** A rule that a change falls under, and the values before and after if they help. */
export type RuleMatch = readonly [rule: RuleName, detail?: string | undefined];

type Comparator<Fact> = (was: Fact, is: Fact) => RuleMatch[];

const comparators: { [Name in keyof Facts]: Comparator<Facts[Name]> } = {
  demand: ({ kind, isRequired: was }, { isRequired: is }) =>
    when(was !== is, `${kind}-became-${is ? "required" : "optional"}`),
  servers: (was, is) => when(was !== is, "servers-changed"),
  operationId: (was, is) => when(was !== is, "operation-renamed", `${was}, now ${is}`),
  pathNames: (was, is) => when(was !== is, "path-parameter-renamed", `${was}, now ${is}`),
  security: (was, is) => [
    ...when(!areServed(was, is), "security-tightened"),
    ...when(!areServed(is, was), "security-loosened"),
  ],
  access: (was, is) => [
    ...when(!areGranted(was, is), "access-tightened"),
    ...when(!areGranted(is, was), "access-loosened"),
  ],
  schemes: (was, is) => {
    const isKept = [...was].every(([name, scheme]) => scheme === (is.get(name) ?? scheme));
    return when(!isKept, "not-judged", "a security scheme");
  },
  names: (was, is) => {
    // A name that is added or removed beside a range changes the meaning of the range
    const isSame = literal(was.listed.toSorted()) === literal(is.listed.toSorted());
    return when((was.isOpen || is.isOpen) && !isSame, "not-judged", "the names beside a range");
  },
  isDeprecated: (was, is) => when(!was && is, "deprecated"),
  shape: (was, is) => [
    ...typeChanges(was, is),
    ...valueChanges(was, is),
    ...limitChanges(was, is),
    ...when(isClosed(is) && admitOthers(was, is), "object-closed"),
    ...when(isClosed(was) && admitOthers(is, was), "object-opened"),
    ...when(isFlagged(is) && !isFlagged(was), "deprecated"),
    ...when(was.fallback !== is.fallback, "default-changed", `${was.fallback}, now ${is.fallback}`),
  ],
  unjudged: (was, is) => {
    const names = new Set([...Object.keys(was), ...Object.keys(is)]);
    const differing = [...names].filter((name) => was[name] !== is[name]);
    return when(differing.length > 0, "not-judged", differing.join(" and "));
  },
};

/** The changes between the facts of a place. */
export function findings(was: Partial<Facts>, is: Partial<Facts>): RuleMatch[] {
  const [before, after] = [{ unjudged: {}, ...was }, { unjudged: {}, ...is }];
  const names = Object.keys(comparators) as (keyof Facts)[];
  return names.flatMap((name) => compareFacts(name, before[name], after[name]));
}

function compareFacts<Name extends keyof Facts>(
  name: Name,
  was: Facts[Name] | undefined,
  is: Facts[Name] | undefined,
): RuleMatch[] {
  // A fact of only one side is part of the text that is compared instead
  return was === undefined || is === undefined ? [] : comparators[name](was, is);
}

function when(isMet: boolean, rule: RuleName, detail?: string): RuleMatch[] {
  return isMet ? [[rule, detail]] : [];
}

function typeChanges({ types: was }: Shape, { types: is }: Shape): RuleMatch[] {
  // Null is reported apart from other types, unless every type is allowed
  const isPlain = [was, is].every((all) =>
    all.size < types.length && [...all].some((type) => type !== "null")
  );
  const counts = (type: Type) => !isPlain || type !== "null";
  const lost = [...was].some((type) => counts(type) && !is.has(type));
  const added = [...is].some((type) => counts(type) && !was.has(type));
  const rule = lost && added ? "type-changed" : added ? "type-widened" : "type-narrowed";
  return [
    ...when(isPlain && !was.has("null") && is.has("null"), "became-nullable"),
    ...when(isPlain && was.has("null") && !is.has("null"), "no-longer-nullable"),
    ...when(lost || added, rule, `${typeNames(was)}, now ${typeNames(is)}`),
  ];
}

/** Values whose type only one side allows are reported with the types. */
function valueChanges(was: Shape, is: Shape): RuleMatch[] {
  const isShared = (type: Type) => type !== "null" && was.types.has(type) && is.types.has(type);
  if (!types.some(isShared)) return [];
  const only = (some: Shape["values"], others: Shape["values"]) => {
    if (!others) return "";
    if (!some) return "any value";
    const all = [...some].filter((one) =>
      !others.has(one) && typesOf(JSON.parse(one)).every(isShared)
    );
    return all.join(", ");
  };
  const [lost, added] = [only(was.values, is.values), only(is.values, was.values)];
  return [
    ...when(lost !== "", "values-removed", lost),
    ...when(added !== "", "values-added", added),
  ];
}

function isFlagged({ flags }: Shape): boolean {
  return flags.includes("deprecated");
}

/** Whether one side allows further members, and the other allows objects. */
function admitOthers(here: Shape, there: Shape): boolean {
  return !isClosed(here) && here.types.has("object") && there.types.has("object");
}
