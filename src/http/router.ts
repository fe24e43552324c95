// Finds the route of a path. Paths are matched as they were sent, with or without a final slash; braces
// in a pattern match any text without a slash.

export interface Match<Route> {
  route: Route;
  /** The text that matched the braces; "" if there are none. */
  parameter: string;
}

/** The routes under one parent: the literal ones, and the one with braces. */
interface Siblings<Route> {
  exact: Map<string, Route>;
  braced?: Route;
}

/** Makes a router of patterns, which must all be different. A literal pattern wins over one with braces. */
export function router<Route>(
  routes: [pattern: string, route: Route][],
): (path: string) => Match<Route> | undefined {
  const parents = new Map<string, Siblings<Route>>();
  function under(parent: string): Siblings<Route> {
    const siblings = parents.get(parent) ?? { exact: new Map() };
    parents.set(parent, siblings);
    return siblings;
  }
  for (const [pattern, route] of routes) {
    const [before = "", name, after] = withoutFinalSlash(pattern).split(/[{}]/);
    const start = lastSegmentStart(before);
    const [siblings, segment] = [under(before.slice(0, start)), before.slice(start)];
    const isBraced = name !== undefined;
    if (isBraced && (segment !== "" || after !== "")) {
      throw new Error(`The path "${pattern}" has braces elsewhere than as its last segment`);
    }
    if (isBraced ? siblings.braced : siblings.exact.has(segment)) {
      throw new Error(`Duplicate route: "${pattern}"`);
    }
    if (isBraced) siblings.braced = route;
    else siblings.exact.set(segment, route);
  }

  return (path) => {
    const sought = withoutFinalSlash(path);
    const start = lastSegmentStart(sought);
    const siblings = parents.get(sought.slice(0, start));
    if (siblings === undefined) return undefined;
    const { exact, braced } = siblings;
    const segment = sought.slice(start);
    // An empty map is not asked: V8 keeps each text that is looked up, and each identifier is a new one
    const route = exact.size > 0 ? exact.get(segment) : undefined;
    if (route !== undefined) return { route, parameter: "" };
    if (braced === undefined || segment === "") return undefined;
    return { route: braced, parameter: segment };
  };
}

/** The index at which the last segment of a path begins. */
function lastSegmentStart(path: string): number {
  return path.lastIndexOf("/") + 1;
}

function withoutFinalSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
