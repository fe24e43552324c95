// From a path to what lives there. Paths are matched as they were sent, in either spelling of the
// final slash, and what stands in a pattern's braces is text without a slash.

export interface Match<Place> {
  place: Place;
  /** What the path has where the pattern has braces; "" where it has none. */
  parameter: string;
}

/** Finds the place of a path. A path that a pattern spells out wins over one with braces. */
export function router<Place>(
  places: Record<string, Place>,
): (path: string) => Match<Place> | undefined {
  const exact = new Map<string, Place>();
  const braced = new Map<string, Place>();
  for (const [pattern, place] of Object.entries(places)) {
    const [before, name, after] = withoutFinalSlash(pattern).split(/[{}]/);
    if (name === undefined) exact.set(before!, place);
    else if (after === "" && before!.endsWith("/")) braced.set(before!, place);
    else throw new Error(`The path "${pattern}" has braces elsewhere than as its last segment`);
  }

  return (path) => {
    const sought = withoutFinalSlash(path);
    const place = exact.get(sought);
    if (place !== undefined) return { place, parameter: "" };
    const start = sought.lastIndexOf("/") + 1;
    const parent = braced.get(sought.slice(0, start));
    if (parent === undefined || start === sought.length) return undefined;
    return { place: parent, parameter: sought.slice(start) };
  };
}

function withoutFinalSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
