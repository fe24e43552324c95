// Where the pages of a list begin: a server's own cursors, each the path of 50 items somewhere in it.

interface Page {
  next: string | null;
}

/** How many places there are at most. */
const PLACES = 100;

/** The paths of a list from as many places, found by going through it in longer steps. */
export async function placesOf(
  url: string,
  list = "/api/foos/",
  headers: Record<string, string> = {},
): Promise<string[]> {
  const paths = [];
  let path: string | undefined = `${list}?limit=200`;
  while (path !== undefined && paths.length < PLACES) {
    paths.push(path.replace("limit=200", "limit=50"));
    const response = await fetch(new URL(path, url), { headers });
    const { next } = await response.json() as Page;
    const { pathname, search }: URL = new URL(next ?? "", url);
    path = next === null ? undefined : pathname + search;
  }
  return paths;
}
