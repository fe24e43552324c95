// Finds the route of a path. Paths are matched as they were sent, with or without a final slash; braces
// in a pattern match any text without a slash, several with commas between them one text.

export interface Match<Route> {
  route: Route;
  /** The texts that matched the braces, in their order. */
  parameters: string[];
}

/** What may follow a part of a path: segments as they are, and one with braces. */
interface Branch<Route> {
  exact: Map<string, Branch<Route>>;
  braced?: Branch<Route>;
  route?: Route;
}

/** Makes a router of patterns, which must all be different. A literal segment wins over one with braces. */
export function router<Route>(
  routes: [pattern: string, route: Route][],
): (path: string) => Match<Route> | undefined {
  const root: Branch<Route> = { exact: new Map() };
  for (const [pattern, route] of routes) {
    let branch = root;
    for (const segment of withoutFinalSlash(pattern).split("/")) {
      if (/[{}]/.test(segment.replace(/^\{\w+\}(,\{\w+\})*$/, ""))) {
        throw new Error(`The path "${pattern}" has braces that are no whole segment`);
      }
      branch = after(branch, segment);
    }
    if (branch.route) throw new Error(`Duplicate route: "${pattern}"`);
    branch.route = route;
  }
  return (path) => {
    const sought = withoutFinalSlash(path);
    return find(root, sought, 0, []);
  };
}

/** The branch after a segment of a pattern, which is made if it is not there. */
function after<Route>(branch: Branch<Route>, segment: string): Branch<Route> {
  if (segment.startsWith("{")) return branch.braced ??= { exact: new Map() };
  const next = branch.exact.get(segment) ?? { exact: new Map() };
  branch.exact.set(segment, next);
  return next;
}

/** Finds the rest of a path, from the segment that starts at an index. */
function find<Route>(
  { exact, braced, route }: Branch<Route>,
  path: string,
  start: number,
  parameters: string[],
): Match<Route> | undefined {
  if (start > path.length) return route && { route, parameters };
  const slash = path.indexOf("/", start);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(start, end);
  // An empty map is not asked: V8 keeps each text that is looked up, and each identifier is a new one
  const next = exact.size > 0 ? exact.get(segment) : undefined;
  const found = next && find(next, path, end + 1, parameters);
  if (found || !braced || segment === "") return found;
  return find(braced, path, end + 1, [...parameters, segment]);
}

function withoutFinalSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
