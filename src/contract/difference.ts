// How two schemas differ in one direction. Every pair of schemas is compared once; a difference
// knows the pairs below it, so that one change is found again at every place it reaches.
import type { Alternative, Reader, Schema } from "./alternative.ts";
import { limitChanges, ofIntegers, types } from "./limits.ts";
import { type Direction, rules, type SharedRule } from "./rules.ts";

/** A change of a schema; its pointer leads from the schema to the changed member or element. */
export interface Finding {
  rule: SharedRule;
  pointer: string;
  detail: string;
}

interface Difference {
  findings: Finding[];
  below: Below[];
}

/** What to compare below, and the pointer that leads there. */
interface Below {
  step: string;
  before: Schema;
  after: Schema;
  /** Their difference, once it was asked for: schemas may lead back to themselves. */
  difference?: Difference;
}

/** Places of one schema after which only changes that were not met yet are looked for: recursive
 * schemas have more places than anyone reads. */
const MANY_PLACES = 1000;

/** Unions within unions whose alternatives are told apart by all that is below them; beyond, by what
 * they say themselves. It keeps the stack small, and costs no verdict: what is paired is compared. */
const DEPTH = 2;

export interface Sides {
  before: Reader;
  after: Reader;
  /** Whether two values say the same in their documents. */
  same(before: unknown, after: unknown): boolean;
}

/** Compares schemas of two documents. */
export type FindChanges = (before: Schema, after: Schema) => Finding[];

export function differences(
  { before: old, after: now, same }: Sides,
  direction: Direction,
): FindChanges {
  const known = new Map<string, Difference>();
  /** Whether a difference holds a finding or leads to one. */
  const changed = new Map<Difference, boolean>();
  let depth = 0;
  return findChanges;

  /** Every change, at every place below the schemas; a recursion is followed once. */
  function findChanges(before: Schema, after: Schema): Finding[] {
    const root = differ(before, after);
    settle(root);
    const queue = [{ difference: root, pointer: "", trail: [root] }];
    const met = new Set<Difference>();
    const findings: Finding[] = [];
    let places = 0;
    for (const { difference, pointer, trail } of queue) {
      if (++places > MANY_PLACES && met.has(difference)) continue;
      met.add(difference);
      for (const finding of difference.findings) {
        findings.push({ ...finding, pointer: pointer + finding.pointer });
      }
      for (const below of difference.below) {
        const next = differenceOf(below);
        if (!changed.get(next) || trail.includes(next)) continue;
        if (places > MANY_PLACES && met.has(next)) continue;
        queue.push({ difference: next, pointer: pointer + below.step, trail: [...trail, next] });
      }
    }
    return findings;
  }

  function differenceOf(below: Below): Difference {
    return below.difference ??= differ(below.before, below.after);
  }

  function differ(before: Schema, after: Schema): Difference {
    const name = `${old.key(before)}:${now.key(after)}`;
    const found = known.get(name);
    if (found) return found;
    const difference: Difference = { findings: [], below: [] };
    known.set(name, difference); // before it is filled: a recursive schema comes by here again
    const [was, is] = [old.alternatives(before), now.alternatives(after)];
    difference.findings.push(...typeChanges(was, is), ...annotationChanges(was, is));
    for (const type of types) {
      const [some, others] = [was, is].map((all) => all.filter((one) => one.type === type));
      if (some!.length > 0 && others!.length > 0) add(difference, match(some!, others!));
    }
    return difference;
  }

  /** Pairs the alternatives of one type, the most alike first, whatever their order. */
  function match(was: Alternative[], is: Alternative[]): Difference {
    if (was.length === 1 && is.length === 1) return compare(was[0]!, is[0]!);
    const pairs = was.flatMap((one) =>
      is.filter((other) => !areToldApart(one, other))
        .map((other) => ({ one, other, difference: compare(one, other), weight: 0 }))
    );
    for (const pair of pairs) {
      const isSole = pairs.every((other) =>
        other === pair || (other.one !== pair.one && other.other !== pair.other)
      );
      if (!isSole) pair.weight = weightBelow(pair.difference);
    }
    const [lost, added] = [new Set(was), new Set(is)];
    const sum: Difference = { findings: [], below: [] };
    for (const { one, other, difference, weight } of pairs.sort((a, b) => a.weight - b.weight)) {
      const isRepeated = weight === 0 && depth < DEPTH; // said twice: neither lost nor added
      const isFree = lost.has(one) && added.has(other);
      const isLast = lost.size === 1 && added.size === 1;
      if (!isRepeated && !(isFree && (weight < Infinity || isLast))) continue;
      lost.delete(one);
      added.delete(other);
      add(sum, difference);
    }
    for (const one of lost) sum.findings.push(finding("alternative-removed", "", describe(one)));
    for (const one of added) sum.findings.push(finding("alternative-added", "", describe(one)));
    return sum;
  }

  /** Whether a member with other values in each, as a discriminator has, keeps two forms apart. */
  function areToldApart(was: Alternative, is: Alternative): boolean {
    return [...was.members].some(([name, member]) => {
      const [before, after] = [valuesOf(old, member), valuesOf(now, is.members.get(name) ?? [])];
      return before && after && !before.some((value) => after.includes(value));
    });
  }

  /** The number of changes; infinite where one is known to break. */
  function weightBelow(difference: Difference): number {
    let sum = 0;
    const met = new Set([difference]);
    depth++;
    for (const { findings, below } of met) {
      const breaks = findings.some(({ rule }) =>
        rule !== "not-judged" && rules[direction][rule].verdict === "breaking"
      );
      sum += breaks ? Infinity : findings.length;
      if (sum === Infinity || depth > DEPTH) break;
      for (const inner of below) met.add(differenceOf(inner));
    }
    depth--;
    return sum;
  }

  /** Finds out, once for each difference, whether it leads to a finding. */
  function settle(root: Difference): void {
    if (changed.has(root)) return;
    const above = new Map<Difference, Difference[]>([[root, []]]);
    const leading = new Set<Difference>();
    for (const difference of above.keys()) {
      if (difference.findings.length > 0) leading.add(difference);
      for (const below of difference.below) {
        const next = differenceOf(below);
        if (changed.get(next)) leading.add(difference);
        if (changed.has(next)) continue;
        const uppers = above.get(next);
        if (uppers) uppers.push(difference);
        else above.set(next, [difference]);
      }
    }
    for (const difference of leading) {
      for (const upper of above.get(difference)!) leading.add(upper);
    }
    for (const difference of above.keys()) changed.set(difference, leading.has(difference));
  }

  function compare(was: Alternative, is: Alternative): Difference {
    const difference: Difference = {
      findings: [...valueChanges(was, is), ...boundChanges(was, is), ...unjudgedChanges(was, is)],
      below: was.type === "array" ? [{ step: "/[]", before: was.items, after: is.items }] : [],
    };
    if (was.type === "object") add(difference, compareObjects(was, is));
    return difference;
  }

  function compareObjects(was: Alternative, is: Alternative): Difference {
    const sum: Difference = { findings: [], below: [] };
    const [before, after] = [listed(old, was), listed(now, is)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const step = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const [one, other] = [before.get(name), after.get(name)];
      const [wasRequired, isRequired] = [was.required.has(name), is.required.has(name)];
      if (one && other) {
        sum.below.push({ step, before: one, after: other });
        if (wasRequired === isRequired) continue;
        const rule = isRequired ? "member-became-required" : "member-became-optional";
        sum.findings.push(finding(rule, step));
      } else if (one) {
        sum.findings.push(finding("member-removed", step));
      } else {
        const rule = isRequired ? "required-member-added" : "optional-member-added";
        sum.findings.push(finding(rule, step));
      }
    }
    const wasClosed = old.alternatives(was.additional).length === 0;
    const isClosed = now.alternatives(is.additional).length === 0;
    if (!wasClosed && isClosed) sum.findings.push(finding("object-closed", ""));
    if (wasClosed && !isClosed) sum.findings.push(finding("object-opened", ""));
    if (!wasClosed && !isClosed) {
      sum.below.push({ step: "/*", before: was.additional, after: is.additional });
    }
    return sum;
  }

  /** The members that count in the direction: clients do not send what is only read. */
  function listed(side: Reader, alternative: Alternative): Map<string, Schema> {
    const { members, required, additional } = alternative;
    const isClosed = side.alternatives(additional).length === 0;
    const names = [...new Set([...members.keys(), ...required])];
    const all = names.map((name) => [name, members.get(name) ?? additional] as const);
    return new Map(all.filter(([, schema]) => {
      const admitted = side.alternatives(schema);
      if (admitted.length === 0) return !isClosed; // `false` among listed ones is like unlisted
      return !admitted.some((one) => direction === "request" ? one.readOnly : one.writeOnly);
    }));
  }

  function annotationChanges(was: readonly Alternative[], is: readonly Alternative[]): Finding[] {
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

  function unjudgedChanges(was: Alternative, is: Alternative): Finding[] {
    const keywords = new Set([...was.unjudged, ...is.unjudged].map(({ keyword }) => keyword));
    return [...keywords].flatMap((keyword) => {
      const [before, after] = [was, is].map(({ unjudged }) =>
        unjudged.filter((one) => one.keyword === keyword)
      );
      const isSame = before!.length === after!.length &&
        before!.every(({ value }) => after!.some((other) => same(value, other.value)));
      return isSame ? [] : [finding("not-judged", "", `"${keyword}" differs`)];
    });
  }
}

/** The literals of an enumeration; undefined where the schema admits more than those. */
function valuesOf(side: Reader, schema: Schema): string[] | undefined {
  const lists = side.alternatives(schema).map(({ values }) => values);
  return lists.some((list) => !list) ? undefined : lists.flatMap((list) => [...list!]);
}

function add(sum: Difference, { findings, below }: Difference): void {
  sum.findings.push(...findings);
  sum.below.push(...below);
}

function finding(rule: SharedRule, pointer: string, detail = ""): Finding {
  return { rule, pointer, detail };
}

function typeChanges(was: readonly Alternative[], is: readonly Alternative[]): Finding[] {
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
  const wasWhole = isWhole(was);
  const both = before.has("number") && after.has("number");
  const narrowed = lost || (both && !wasWhole && isWhole(is));
  const widened = added || (both && wasWhole && !isWhole(is));
  if (!narrowed && !widened) return findings;
  const rule = narrowed && widened ? "type-changed" : widened ? "type-widened" : "type-narrowed";
  return [...findings, finding(rule, "", `${written(was)}, now ${written(is)}`)];
}

function typesOf(all: readonly Alternative[]): Set<string> {
  return new Set(all.map(({ type }) => type));
}

function isWhole(all: readonly Alternative[]): boolean {
  return all.every(({ type, whole }) => type !== "number" || whole);
}

function written(all: readonly Alternative[]): string {
  const names = typesOf(all);
  if (names.size === 0) return "nothing";
  if (names.size === types.length) return "any type";
  return [...names].map((name) => name === "number" && isWhole(all) ? "integer" : name).join(
    " or ",
  );
}

function valueChanges({ type, values: was }: Alternative, { values: is }: Alternative): Finding[] {
  if (type === "null") return [];
  if (!was && !is) return [];
  if (!was) return [finding("values-removed", "", `any value, now ${[...is!].join(", ")}`)];
  if (!is) return [finding("values-added", "", `${[...was].join(", ")}, now any value`)];
  const lost = [...was].filter((value) => !is.has(value));
  const added = [...is].filter((value) => !was.has(value));
  return [
    ...(lost.length > 0 ? [finding("values-removed", "", lost.join(", "))] : []),
    ...(added.length > 0 ? [finding("values-added", "", added.join(", "))] : []),
  ];
}

function boundChanges(was: Alternative, is: Alternative): Finding[] {
  const [before, after] = [was, is].map(({ conditions, whole }) =>
    whole ? ofIntegers([...conditions]) : [...conditions]
  );
  return limitChanges(before!, after!).map(({ keyword, change, from, to }) =>
    finding(
      `${keyword === "format" ? "format" : "limit"}-${change}`,
      "",
      `${keyword} ${from}, now ${to}`,
    )
  );
}

/** How a person knows an alternative again. */
function describe({ type, members, values }: Alternative): string {
  if (values) return `${type} of ${[...values].join(", ")}`;
  return members.size > 0 ? `${type} with ${[...members.keys()].join(", ")}` : type;
}
