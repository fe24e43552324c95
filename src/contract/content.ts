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
    if (is.has(name)) continue;
    const now = standIn(name, is);
    const isKept = direction === "request"
      ? now !== undefined
      : [...is.keys()].some((other) => standIn(other, was) === name);
    if (!isKept) comparison.report(direction, "media-type-removed", `${place} ${name}`);
    else if (now) compareMedia(comparison, direction, `${place} ${name}`, media, is.get(now)!);
  }
  for (const [name, media] of is) {
    const earlier = standIn(name, was);
    const here = `${place} ${name}`;
    if (earlier) compareMedia(comparison, direction, here, was.get(earlier)!, media);
    else comparison.report(direction, "media-type-added", here);
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

/** The media type that stands for one: itself, else the narrowest range that it is in. */
function standIn(name: string, among: ReadonlyMap<string, Members>): string | undefined {
  return [name, name.replace(/\/.*/, "/*"), "*/*"].find((other) => among.has(other));
}
