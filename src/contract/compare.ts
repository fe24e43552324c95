// Compares two documents, place by place: what was added, removed or changed.
import { findings, type RuleMatch } from "./comparators.ts";
import type { Document } from "./document.ts";
import { type Facts, sourceOf, type Thing, type Things } from "./facts.ts";
import { thingsOf } from "./operation.ts";
import { pathsOf } from "./paths.ts";
import type { Change } from "./judge.ts";
import { type Direction, type Rule, rules } from "./rules.ts";
import { anything, isClosed } from "./shape.ts";

export function compareDocuments(before: Document, after: Document): Change[] {
  const [old, now] = [sourceOf(before), sourceOf(after)];
  const [was, is] = [pathsOf(old), pathsOf(now)];
  const changes = compareThings(was.things, is.things);
  for (const [place, operation] of was.operations) {
    const other = is.operations.get(place);
    if (!other) continue;
    const sides = [thingsOf(old, place, operation), thingsOf(now, place, other)] as const;
    changes.push(...compareErrors(...sides), ...compareThings(...sides));
  }
  return changes;
}

/** Compares an error that only one document lists with the default response of the other, which stands for it
 * there. */
function compareErrors(was: Things, is: Things): Change[] {
  const all = [...was, ...is].filter(([, { kind }]) => kind === "error-status");
  return all.flatMap(([place, { holder }]) => {
    if (was.has(place) && is.has(place)) return [];
    const usual = `${holder} response default`;
    const sides = [was, is].map((side) => thingsAt(place, side, side.has(place) ? place : usual));
    return sides.every((side) => side.has(place)) ? compareThings(sides[0]!, sides[1]!) : [];
  });
}

/** The things at `source` and inside it, as if they were at `place`; and what holds them. */
function thingsAt(place: string, things: Things, source: string): Things {
  const moved = (from: string) =>
    from.startsWith(source) ? place + from.slice(source.length) : from;
  const inside = [...things].filter(([name]) => name === source || name.startsWith(`${source} `));
  const { holder = "" } = things.get(source) ?? {};
  const holding = things.get(holder);
  return new Map([
    ...holding ? [[holder, { ...holding, facts: {} }] as const] : [],
    ...inside.map(([name, thing]) =>
      [moved(name), { ...thing, holder: moved(thing.holder) }] as const
    ),
  ]);
}

function compareThings(was: Things, is: Things): Change[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((place) => {
    const thing = was.get(place) ?? is.get(place)!;
    const { direction, kind, holder } = thing;
    if (![was, is].every((side) => holds(side.get(holder), kind))) return [];
    if (kind === "element" || kind === "others") {
      // A schema that does not mention its elements or other members allows any
      for (const side of [was, is]) {
        side.set(place, side.get(place) ?? { ...thing, facts: emptyFacts });
      }
    }
    return changesOf(was.get(place), is.get(place))
      .map((finding) => change(direction, place, finding));
  });
}

/** The facts of an empty schema. */
const emptyFacts: Partial<Facts> = { shape: anything, names: { listed: [], isOpen: false } };

/** Whether a thing of one document can hold things of a kind. */
function holds(holder: Thing | undefined, kind: Thing["kind"]): boolean {
  const shape = holder?.facts.shape;
  if (kind === "element") return shape?.types.has("array") === true;
  if (kind === "member") return shape?.types.has("object") === true;
  if (kind === "others") return shape?.types.has("object") === true && !isClosed(shape);
  return holder !== undefined;
}

function changesOf(was: Thing | undefined, is: Thing | undefined): RuleMatch[] {
  if (was && is) return findings(was.facts, is.facts);
  const { kind, facts } = (was ?? is)!;
  switch (kind) {
    case "root":
    case "element":
    case "others":
      return [];
    case "parameter":
    case "body":
    case "member":
      if (was) return [[`${kind}-removed`]];
      return [[`${facts.demand?.isRequired ? "required" : "optional"}-${kind}-added`]];
    default:
      return [[`${kind}-${was ? "removed" : "added"}`]];
  }
}

function change(direction: Direction, place: string, [rule, detail]: RuleMatch): Change {
  const { verdict, bump, sentence } = (rules[direction] as Record<string, Rule>)[rule]!;
  const text = detail ? `${sentence}: ${detail}` : sentence;
  return { rule, direction, verdict, bump, place, detail: text };
}
