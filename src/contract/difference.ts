// How two schemas differ in one direction. Every pair of schemas is compared once, whatever the
// places that lead to it; a difference knows the pairs below it.
import { pointerTo } from "../model/pointer.ts";
import { type Alternative, anything, type Schema, type Union } from "./alternative.ts";
import type { KindOf } from "./equivalence.ts";
import {
  annotationChanges,
  describe,
  type Finding,
  finding,
  typeChanges,
  valueChanges,
} from "./finding.ts";
import { pairs } from "./json.ts";
import { type Type, types } from "./limits.ts";
import type { Reader } from "./reader.ts";
import { type Direction, rules, type SharedRule } from "./rules.ts";

export interface Difference {
  findings: readonly Finding[];
  below: readonly Below[];
}

/** What to compare below, and the pointer that leads there. */
export interface Below {
  step: string;
  before: Schema;
  after: Schema;
}

export interface Sides {
  before: Reader;
  after: Reader;
  /** Whether two values say the same in their documents. */
  same(before: unknown, after: unknown): boolean;
  kindOf: KindOf;
}

/** Two alternatives of which one may have become the other, and how much they differ. */
interface Candidate {
  one: Alternative;
  other: Alternative;
  difference: Difference;
  weight: number;
}

export type Differ = (before: Schema, after: Schema) => Difference;

/** Levels below two alternatives that are looked at to tell how much alike they are. */
const DEPTH = 2;

/** The weight of a change that breaks, beside those that weigh 1. */
const BREAKING = 1000;

/** What became of a member that was there, or had to be, or not. */
const memberRules: Record<string, SharedRule> = {
  "absent optional": "optional-member-added",
  "absent required": "required-member-added",
  "optional absent": "member-removed",
  "required absent": "member-removed",
  "optional required": "member-became-required",
  "required optional": "member-became-optional",
};

const none: Difference = { findings: [], below: [] };

/** Compares schemas of two documents. */
export function differences(
  { before: old, after: now, same, kindOf }: Sides,
  direction: Direction,
): Differ {
  const known = new Map<Union, Map<Union, Difference>>();
  return differ;

  function differ(before: Schema, after: Schema): Difference {
    const [was, is] = [old(before), now(after)];
    if (kindOf(was) === kindOf(is)) return none;
    const others = known.get(was) ?? new Map<Union, Difference>();
    known.set(was, others);
    const difference = others.get(is) ?? sum([
      { findings: [...typeChanges(was, is), ...annotationChanges(was, is)], below: [] },
      ...types.map((type) => match(ofType(was, type), ofType(is, type))),
    ]);
    others.set(is, difference);
    return difference;
  }

  /** Pairs the alternatives of one type: those that say the same, then the most alike first. */
  function match(was: Union, is: Union): Difference {
    if (was.length === 0 || is.length === 0) return none; // a change of types
    if (was.length === 1 && is.length === 1) return compare(was[0]!, is[0]!);
    const [lost, added] = [without(was, is), without(is, was)];
    const isRequest = direction === "request";
    const candidates = isRequest ? candidatesOf(lost, is) : candidatesOf(was, added);
    const paired: Difference[] = [];
    const pair = (some: Candidate[], isOpen: (one: Alternative, other: Alternative) => boolean) => {
      for (const { one, other, difference } of some) {
        if (!isOpen(one, other)) continue;
        lost.delete(one);
        added.delete(other);
        paired.push(difference);
      }
    };
    const areOpen = (one: Alternative, other: Alternative) => lost.has(one) && added.has(other);
    const near = candidates.filter(({ weight }) => weight < BREAKING);
    pair(near, areOpen);
    // What clients may still send is not gone, and what they had to expect before is not new.
    pair(near, (one, other) => isRequest ? lost.has(one) : added.has(other));
    pair(candidates.filter(({ one, other }) => areAlike(one, other)), areOpen);
    const findings = [
      ...[...lost].map((one) => finding("alternative-removed", "", describe(one))),
      ...[...added].map((one) => finding("alternative-added", "", describe(one))),
    ];
    return sum([...paired, { findings, below: [] }]);
  }

  /** The pairs that are not told apart, the most alike first. */
  function candidatesOf(some: Iterable<Alternative>, others: Iterable<Alternative>): Candidate[] {
    return [...some].flatMap((one) =>
      [...others].filter((other) => !areToldApart(one, other)).map((other) => {
        const difference = compare(one, other);
        return { one, other, difference, weight: weigh(difference, DEPTH) };
      })
    ).sort((a, b) => a.weight - b.weight);
  }

  /** The alternatives that none of the others says, each said once. */
  function without(some: Union, others: Union): Set<Alternative> {
    const met = new Set(others.map(kindOf));
    return new Set(some.filter((one) => {
      const kind = kindOf(one);
      return !met.has(kind) && met.add(kind);
    }));
  }

  /** Whether a member never has the same value in both, as one that a discriminator looks at. */
  function areToldApart(was: Alternative, is: Alternative): boolean {
    return [...was.members].some(([name, member]) => {
      const [before, after] = [literals(old(member)), literals(now(is.members.get(name) ?? []))];
      return before && after && !before.some((value) => after.includes(value));
    });
  }

  /** How much two alternatives differ: a change that breaks weighs more than any that do not. */
  function weigh({ findings, below }: Difference, depth: number): number {
    const weights: number[] = findings.map(({ rule }) =>
      rules[direction][rule].verdict === "breaking" ? BREAKING : 1
    );
    for (const { before, after } of below) {
      const [was, is] = [old(before), now(after)];
      if (kindOf(was) === kindOf(is)) continue;
      const isPair = was.length === 1 && is.length === 1 && was[0]!.type === is[0]!.type;
      const inner = isPair
        ? compare(was[0]!, is[0]!)
        : { findings: typeChanges(was, is), below: [] };
      weights.push(1, depth > 0 ? weigh(inner, depth - 1) : 0);
    }
    return weights.reduce((sum, weight) => sum + weight, 0);
  }

  function compare(was: Alternative, is: Alternative): Difference {
    const own = { findings: [...valueChanges(was, is), ...unjudgedChanges(was, is)], below: [] };
    if (was.type === "object") return sum([own, compareObjects(was, is)]);
    if (was.type !== "array") return own;
    return { ...own, below: [{ step: "/[]", before: was.items, after: is.items }] };
  }

  function compareObjects(was: Alternative, is: Alternative): Difference {
    const [before, after] = [listed(old, was), listed(now, is)];
    const members = pairs(before, after).map(([name, one, other]): Difference => {
      const step = pointerTo(name);
      const rule = memberRules[`${one?.presence ?? "absent"} ${other?.presence ?? "absent"}`];
      const from = one?.schema ?? unlisted(old, was, name);
      const to = other?.schema ?? unlisted(now, is, name);
      return {
        findings: rule ? [finding(rule, step)] : [],
        below: from && to ? [{ step, before: from, after: to }] : [],
      };
    });
    const [wasClosed, isClosed] = [isNothing(old, was.additional), isNothing(now, is.additional)];
    const rule = isClosed ? "object-closed" : "object-opened";
    const others = { step: "/*", before: was.additional, after: is.additional };
    return sum([...members, {
      findings: wasClosed === isClosed ? [] : [finding(rule, "")],
      below: wasClosed || isClosed ? [] : [others],
    }]);
  }

  /** The members that count in the direction: clients do not send what is only read. */
  function listed(read: Reader, { members, required, additional }: Alternative) {
    const isClosed = isNothing(read, additional);
    const isElsewhere = ({ readOnly, writeOnly }: Alternative) =>
      direction === "request" ? readOnly : writeOnly;
    const found = new Map<string, { schema: Schema; presence: "optional" | "required" }>();
    for (const name of new Set([...members.keys(), ...required])) {
      const schema = members.get(name) ?? additional;
      const values = read(schema).filter(({ type }) => type !== "null");
      if (isNothing(read, schema) && isClosed) continue; // `false` is like unlisted there
      if (values.length > 0 && values.every(isElsewhere)) continue;
      found.set(name, { schema, presence: required.has(name) ? "required" : "optional" });
    }
    return found;
  }

  function unjudgedChanges(was: Alternative, is: Alternative): Finding[] {
    const keywords = new Set([...was.unjudged, ...is.unjudged].map(({ keyword }) => keyword));
    return [...keywords].flatMap((keyword) => {
      const [before = [], after = []] = [was, is].map(({ unjudged }) =>
        unjudged.filter((one) => one.keyword === keyword).map(({ value }) => value)
      );
      const isKept = before.every((value) => after.some((other) => same(value, other)));
      const isOld = after.every((other) => before.some((value) => same(value, other)));
      return isKept && isOld ? [] : [finding("not-judged", "", `"${keyword}" differs`)];
    });
  }
}

/** The alternatives of one type, or the one of them that admits all the others. */
function ofType(union: Union, type: Type): Union {
  const some = union.filter((one) => one.type === type);
  const widest = some.find(isUnlimited);
  return widest ? [widest] : some;
}

/** Whether two objects are one form rather than two: half of the members have the same names. */
function areAlike({ members: was }: Alternative, { members: is }: Alternative): boolean {
  const common = [...was.keys()].filter((name) => is.has(name));
  return common.length * 2 >= Math.max(was.size, is.size);
}

/** Whether an alternative admits every text, every number or both booleans. */
function isUnlimited({ type, whole, values, conditions, unjudged }: Alternative): boolean {
  return type !== "object" && type !== "array" && !whole && values === undefined &&
    conditions.length === 0 && unjudged.length === 0;
}

/** The literals of an enumeration; undefined where other values are admitted, or none at all. */
function literals(union: Union): string[] | undefined {
  const lists = union.map(({ values }) => values);
  if (lists.length === 0 || lists.some((list) => !list)) return undefined;
  return lists.flatMap((list) => [...list!]);
}

/** What an object says of a member that it does not list; undefined where it says nothing. */
function unlisted(read: Reader, { members, additional }: Alternative, name: string) {
  const union = read(additional);
  return members.has(name) || union.length === 0 || union === anything ? undefined : additional;
}

function isNothing(read: Reader, schema: Schema): boolean {
  return read(schema).length === 0;
}

function sum(differences: readonly Difference[]): Difference {
  return {
    findings: differences.flatMap(({ findings }) => findings),
    below: differences.flatMap(({ below }) => below),
  };
}
