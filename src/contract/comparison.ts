// What every part of the comparison works with: the two documents, and where changes are put down.
import { type Schema, schemaOf, type Unjudged } from "./alternative.ts";
import { differences } from "./difference.ts";
import { type Document, isReference, resolve } from "./document.ts";
import { kinds } from "./equivalence.ts";
import { literal } from "./json.ts";
import { type FindChanges, places } from "./places.ts";
import { type Reader, reader } from "./reader.ts";
import { type Bump, type Direction, type Rule, type RuleOf, rules, type Verdict } from "./rules.ts";
import { same } from "./same.ts";

export interface Change {
  rule: string;
  direction: Direction;
  verdict: Verdict;
  bump: Bump;
  /** Where it is met, as `GET /api/foos/{} response 200 application/json /bar/name`. */
  place: string;
  /** What it means and, where there is more to say, what was and what is. */
  detail: string;
}

export interface Comparison {
  before: Document;
  after: Document;
  readers: { before: Reader; after: Reader };
  report<Way extends Direction>(
    direction: Way,
    rule: RuleOf<Way>,
    place: string,
    detail?: string,
  ): void;
  /** Whether two values say the same, however they are written. */
  same(before: unknown, after: unknown): boolean;
  /** Reports a value that no rule judges where it differs. */
  leaveUnjudged(
    direction: Direction,
    place: string,
    name: string,
    before: unknown,
    after: unknown,
  ): void;
  /** Compares two schemas, as they stand in the documents. */
  schemas(direction: Direction, place: string, before: unknown, after: unknown): void;
  /** Follows the references of two values. Where one leads out of its document, it cannot be
   * judged: it is reported where the two differ, and nothing comes back. */
  resolved(
    direction: Direction,
    place: string,
    before: unknown,
    after: unknown,
  ): [before: unknown, after: unknown] | undefined;
}

/** A comparison and the changes it is told of. */
export function comparison(before: Document, after: Document) {
  const [old, now] = [reader(before), reader(after)];
  const isSame = (one: unknown, other: unknown) => same(before, after, [one, other]);
  const roots: [Reader, Schema][] = [];
  /** The changes, in order; those of schemas are found out once all schemas are known. */
  const found: ((findChanges: Record<Direction, FindChanges>) => Change[])[] = [];

  const comparison: Comparison = {
    before,
    after,
    readers: { before: old, after: now },
    same: isSame,
    report(direction, rule, place, detail) {
      found.push(() => [change(direction, rule, place, detail)]);
    },
    leaveUnjudged(direction, place, name, before, after) {
      if (isSame({ [name]: before }, { [name]: after })) return;
      comparison.report(direction, "not-judged", place, `"${name}" differs`);
    },
    schemas(direction, place, before, after) {
      const [was, is] = [schemaOf(before), schemaOf(after)];
      roots.push([old, was], [now, is]);
      found.push((findChanges) =>
        findChanges[direction](was, is).map(({ rule, pointer, detail }) =>
          change(direction, rule, pointer ? `${place} ${pointer}` : place, detail)
        )
      );
    },
    resolved(direction, place, one, other) {
      const pair: [unknown, unknown] = [resolve(before, one), resolve(after, other)];
      if (!pair.some(isReference)) return pair;
      comparison.leaveUnjudged(direction, place, "$ref", ...pair);
    },
  };

  function changes(): Change[] {
    const sides = { before: old, after: now, same: isSame, kindOf: kinds(roots, unjudgedNames()) };
    const findChanges = {
      request: places(differences(sides, "request")),
      response: places(differences(sides, "response")),
    };
    const all = found.flatMap((find) => find(findChanges));
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }

  /** Names values that no rule judges, those alike that say the same. */
  function unjudgedNames() {
    const met = new Map<string, { document: Document; value: unknown }[]>();
    return ({ keyword, value }: Unjudged, read: Reader): string => {
      const document = read === old ? before : after;
      const text = `${keyword} ${literal(value)}`;
      const all = met.get(text) ?? [];
      met.set(text, all);
      // What is written alike may refer to what is not.
      const known = all.findIndex((one) => same(one.document, document, [one.value, value]));
      return `${text} ${known >= 0 ? known : all.push({ document, value }) - 1}`;
    };
  }

  return { comparison, changes };
}

function change<Way extends Direction>(
  direction: Way,
  rule: RuleOf<Way>,
  place: string,
  detail?: string,
): Change {
  // What a table of rules has is a Rule, whichever direction picks the table.
  const { verdict, bump, sentence } = rules[direction][rule] as Rule;
  return {
    rule: String(rule),
    direction,
    verdict,
    bump,
    place,
    detail: detail ? `${sentence}: ${detail}` : sentence,
  };
}
