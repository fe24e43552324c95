// Content by media type, in requests and answers; and values that are held by a schema alone.
import type { Comparison } from "./comparison.ts";
import { type Members, members } from "./json.ts";
import type { Direction } from "./rules.ts";

/** Compares the content of two bodies. */
export function compareContent(
  comparison: Comparison,
  direction: Direction,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const [was, is] = [mediaTypes(before), mediaTypes(after)];
  for (const [name, media] of was) {
    const counterpart = counterpartOf(direction, name, is);
    if (counterpart === undefined) {
      comparison.report(direction, "media-type-removed", `${place} ${name}`);
    } else {
      compareMedia(comparison, direction, `${place} ${name}`, media, is.get(counterpart)!);
    }
  }
  for (const name of is.keys()) {
    if (was.has(name)) continue;
    comparison.report(direction, "media-type-added", `${place} ${name}`);
  }
}

/** Compares what a parameter or a header holds. */
export function compareValues(
  comparison: Comparison,
  direction: Direction,
  place: string,
  before: Members,
  after: Members,
): void {
  if (before["content"] || after["content"]) {
    compareContent(comparison, direction, place, before["content"], after["content"]);
  } else {
    comparison.schemas(direction, place, before["schema"], after["schema"]);
  }
}

function compareMedia(
  comparison: Comparison,
  direction: Direction,
  place: string,
  was: Members,
  is: Members,
): void {
  comparison.schemas(direction, place, was["schema"], is["schema"]);
  comparison.leaveUnjudged(direction, place, "encoding", was["encoding"], is["encoding"]);
}

/** The media types by their name in one spelling: JSON is in UTF-8 whether it says so or not. */
function mediaTypes(content: unknown): Map<string, Members> {
  return new Map(
    Object.entries(members(content)).map(([name, media]) => [
      name.toLowerCase().replaceAll(/\s/g, "").replace(/;charset="?utf-8"?/, ""),
      members(media),
    ]),
  );
}

/** The media type that stands for an earlier one: a range may take its place in requests, and a
 * member of the range in answers. */
function counterpartOf(
  direction: Direction,
  name: string,
  among: Map<string, Members>,
): string | undefined {
  if (among.has(name)) return name;
  return [...among.keys()].find((other) =>
    direction === "request" ? isWithin(name, other) : isWithin(other, name)
  );
}

function isWithin(name: string, range: string): boolean {
  return range === "*/*" || (range.endsWith("/*") && name.startsWith(range.slice(0, -1)));
}
