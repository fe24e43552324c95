// What every part of the comparison works with: the two documents, and where changes are put down.
import { reader, schemaOf } from "./alternative.ts";
import { differences } from "./difference.ts";
import { type Document, isReference, resolve } from "./document.ts";
import { type Bump, type Direction, type RuleOf, rules, type Verdict } from "./rules.ts";
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
  const changes = new Map<string, Change>();
  const isSame = (one: unknown, other: unknown) => same(before, after, [one, other]);
  const sides = { before: reader(before), after: reader(after), same: isSame };
  const findChanges = {
    request: differences(sides, "request"),
    response: differences(sides, "response"),
  };

  const comparison: Comparison = {
    before,
    after,
    same: isSame,
    report(direction, rule, place, detail) {
      // What a table of rules has is a Rule, whichever direction picks the table.
      const { verdict, bump, sentence } = rules[direction][rule] as {
        verdict: Verdict;
        bump: Bump;
        sentence: string;
      };
      const change: Change = {
        rule: String(rule),
        direction,
        verdict,
        bump,
        place,
        detail: detail ? `${sentence}: ${detail}` : sentence,
      };
      changes.set(JSON.stringify(change), change);
    },
    leaveUnjudged(direction, place, name, before, after) {
      if (isSame(before, after)) return;
      comparison.report(direction, "not-judged", place, `"${name}" differs`);
    },
    schemas(direction, place, before, after) {
      const findings = findChanges[direction](schemaOf(before), schemaOf(after));
      for (const { rule, pointer, detail } of findings) {
        comparison.report(direction, rule, pointer ? `${place} ${pointer}` : place, detail);
      }
    },
    resolved(direction, place, one, other) {
      const pair: [unknown, unknown] = [resolve(before, one), resolve(after, other)];
      if (!pair.some(isReference)) return pair;
      comparison.leaveUnjudged(direction, place, "$ref", ...pair);
    },
  };
  return { comparison, changes: () => [...changes.values()] };
}
