// Judges a comparison; its judgement as a table for people, or JSON for programs.
import { table as aligned } from "../terminal/table.ts";
import { type Bump, bumps, type Direction, type Verdict } from "./rules.ts";

export interface Change {
  rule: string;
  direction: Direction;
  verdict: Verdict;
  bump: Bump;
  /** Its place, as `GET /api/foos/{} response 200 application/json /bar/name`. */
  place: string;
  /** What it means, and the values before and after if they help. */
  detail: string;
}

interface Judgement {
  verdict: Verdict;
  /** The part of the version to raise; a patch if nothing changed. */
  bump: Bump;
  /** The most serious first. */
  changes: Change[];
}

export function judge(changes: Change[]): Judgement {
  const sorted = changes.toSorted((one, other) =>
    bumps.indexOf(one.bump) - bumps.indexOf(other.bump)
  );
  return {
    verdict: sorted[0]?.verdict ?? "compatible",
    bump: sorted[0]?.bump ?? "patch",
    changes: sorted,
  };
}

export function changeTable({ verdict, bump, changes }: Judgement): string {
  const rows = [
    ["VERDICT", "DIRECTION", "RULE", "PLACE", "DETAIL"],
    ...changes.map(({ verdict, direction, rule, place, detail }) => [
      rule === "not-judged" ? "not judged" : verdict,
      direction,
      rule,
      place,
      detail,
    ]),
  ];
  const sentence = summary(verdict, bump, changes);
  return changes.length === 0 ? sentence : `${aligned(rows)}\n\n${sentence}`;
}

/** The last line. */
function summary(verdict: Verdict, bump: Bump, changes: Change[]): string {
  const count = (wanted: Verdict) => changes.filter(({ verdict }) => verdict === wanted).length;
  const unjudged = changes.filter(({ rule }) => rule === "not-judged").length;
  const counts = [
    `${count("breaking")} breaking`,
    ...(unjudged > 0 ? [`${unjudged} of them not judged`] : []),
    `${count("compatible")} compatible`,
  ];
  const title = verdict === "breaking" ? "Breaking" : "Compatible";
  return `${title}: asks for a ${bump} version (${counts.join(", ")})`;
}
