// From a path to what lives there. Paths are matched as they were sent, in either spelling of the
// final slash, and what stands in a pattern's braces is text without a slash.

export interface Match<Place> {
  place: Place;
  /** What the path has where the pattern has braces; "" where it has none. */
  parameter: string;
}

/** What lives under one parent: what patterns spell out, and what has braces. */
interface Siblings<Place> {
  exact: Map<string, Place>;
  braced?: Place;
}

/** Finds the place of a path by patterns, of which no two may match alike. A path that a pattern spells
 * out wins over one with braces. */
export function router<Place>(
  places: [pattern: string, place: Place][],
): (path: string) => Match<Place> | undefined {
  const parents = new Map<string, Siblings<Place>>();
  function under(parent: string): Siblings<Place> {
    const siblings = parents.get(parent) ?? { exact: new Map() };
    parents.set(parent, siblings);
    return siblings;
  }
  for (const [pattern, place] of places) {
    const [before = "", name, after] = withoutFinalSlash(pattern).split(/[{}]/);
    const start = segmentOf(before);
    const [siblings, segment] = [under(before.slice(0, start)), before.slice(start)];
    const isBraced = name !== undefined;
    if (isBraced && (segment !== "" || after !== "")) {
      throw new Error(`The path "${pattern}" has braces elsewhere than as its last segment`);
    }
    if (isBraced ? siblings.braced : siblings.exact.has(segment)) {
      throw new Error(`The path "${pattern}" is that of another route, too`);
    }
    if (isBraced) siblings.braced = place;
    else siblings.exact.set(segment, place);
  }

  return (path) => {
    const sought = withoutFinalSlash(path);
    const start = segmentOf(sought);
    const siblings = parents.get(sought.slice(0, start));
    if (siblings === undefined) return undefined;
    const { exact, braced } = siblings;
    const segment = sought.slice(start);
    // A text that is looked up is kept by the engine for a while, and here each is another
    const place = exact.size > 0 ? exact.get(segment) : undefined;
    if (place !== undefined) return { place, parameter: "" };
    if (braced === undefined || segment === "") return undefined;
    return { place: braced, parameter: segment };
  };
}

/** Where the last segment of a path begins. */
function segmentOf(path: string): number {
  return path.lastIndexOf("/") + 1;
}

function withoutFinalSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
