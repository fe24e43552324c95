// What changed between two unions of alternatives, or two alternatives, themselves: types, values,
// limits and annotations, not yet what is below them.
import type { Alternative, Union } from "./alternative.ts";
import { conditionChanges, ofIntegers, types } from "./limits.ts";
import type { SharedRule } from "./rules.ts";

/** A change of a schema; its pointer leads from the schema to the changed member or element. */
export interface Finding {
  rule: SharedRule;
  pointer: string;
  detail: string;
}

export function finding(rule: SharedRule, pointer: string, detail = ""): Finding {
  return { rule, pointer, detail };
}

/** What became of the types. */
export function typeChanges(was: Union, is: Union): Finding[] {
  const [before, after] = [typesOf(was), typesOf(is)];
  const findings: Finding[] = [];
  // Null is a matter of its own beside other types, but not beside every type.
  const isPlain = [before, after].every((all) =>
    all.size < types.length && [...all].some((type) => type !== "null")
  );
  if (isPlain && before.has("null") !== after.has("null")) {
    findings.push(finding(after.has("null") ? "became-nullable" : "no-longer-nullable", ""));
    before.delete("null");
    after.delete("null");
  }
  const lost = [...before].some((type) => !after.has(type));
  const added = [...after].some((type) => !before.has(type));
  if (!lost && !added) return findings;
  const rule = lost && added ? "type-changed" : added ? "type-widened" : "type-narrowed";
  return [...findings, finding(rule, "", `${written(was)}, now ${written(is)}`)];
}

function typesOf(all: Union): Set<string> {
  return new Set(all.map(({ type }) => type));
}

function written(all: Union): string {
  const names = typesOf(all);
  if (names.size === 0) return "nothing";
  if (names.size === types.length) return "any type";
  const areWhole = all.every(({ type, whole }) => type !== "number" || whole);
  return [...names].map((name) => name === "number" && areWhole ? "integer" : name).join(" or ");
}

/** What became of the values of one type: which numbers, which literals, which limits. */
export function valueChanges(was: Alternative, is: Alternative): Finding[] {
  return [...wholeChanges(was, is), ...literalChanges(was, is), ...limitChanges(was, is)];
}

function wholeChanges({ whole: was }: Alternative, { whole: is }: Alternative): Finding[] {
  if (was === is) return [];
  return is
    ? [finding("type-narrowed", "", "number, now integer")]
    : [finding("type-widened", "", "integer, now number")];
}

function literalChanges({ type, values: was }: Alternative, { values: is }: Alternative) {
  if (type === "null" || (!was && !is)) return [];
  if (!was) return [finding("values-removed", "", `any value, now ${[...is!].join(", ")}`)];
  if (!is) return [finding("values-added", "", `${[...was].join(", ")}, now any value`)];
  const lost = [...was].filter((value) => !is.has(value));
  const added = [...is].filter((value) => !was.has(value));
  return [
    ...(lost.length > 0 ? [finding("values-removed", "", lost.join(", "))] : []),
    ...(added.length > 0 ? [finding("values-added", "", added.join(", "))] : []),
  ];
}

function limitChanges(was: Alternative, is: Alternative): Finding[] {
  const [before, after] = [was, is].map(({ conditions, whole, values }) => ({
    conditions: whole ? ofIntegers(conditions) : conditions,
    values,
  }));
  return conditionChanges(before!, after!).map(({ keyword, change, from, to }) =>
    finding(
      `${keyword === "format" ? "format" : "limit"}-${change}`,
      "",
      `${keyword} ${from}, now ${to}`,
    )
  );
}

/** What became of the notes that tell callers more than they must know. */
export function annotationChanges(was: Union, is: Union): Finding[] {
  const findings: Finding[] = [];
  if (!was.some(({ deprecated }) => deprecated) && is.some(({ deprecated }) => deprecated)) {
    findings.push(finding("deprecated", ""));
  }
  const [from, to] = [was, is].map((all) => all.find(({ fallback }) => fallback)?.fallback);
  if (from !== to) {
    findings.push(
      finding("default-changed", "", `default ${from ?? "none"}, now ${to ?? "none"}`),
    );
  }
  return findings;
}

/** How a person knows an alternative again. */
export function describe({ type, members, values }: Alternative): string {
  if (values) return `${type} of ${[...values].join(", ")}`;
  return members.size > 0 ? `${type} with ${[...members.keys()].join(", ")}` : type;
}
