// How often a token may be used, told in the fields of draft-ietf-httpapi-ratelimit-headers. Each
// process counts for itself.
import { Problem } from "../problem.ts";

interface Window {
  left: number;
  /** When it is over, as `performance.now()` counts. */
  end: number;
}

/** Makes what counts a request of a token and gives what to tell of the rest; refuses with 429 one
 * more than `limit` in a window of so many seconds. A window begins with a request. All are equally
 * long, so the first to begin is the first that is over, and none is kept for longer. */
export function rate(limit: number, seconds: number): (token: number) => Record<string, string> {
  const windows = new Map<number, Window>();

  function windowOf(token: number, now: number): Window {
    for (const [token, { end }] of windows) {
      if (end > now) break;
      windows.delete(token);
    }
    const window = windows.get(token) ?? { left: limit, end: now + seconds * 1000 };
    windows.set(token, window);
    return window;
  }

  return (token) => {
    const now = Math.floor(performance.now()); // in whole milliseconds sums are exact
    const window = windowOf(token, now);
    const rest = Math.ceil((window.end - now) / 1000);
    const fields = (left: number) => ({
      "RateLimit-Policy": `"token";q=${limit};w=${seconds}`,
      "RateLimit": `"token";r=${left};t=${rest}`,
    });
    if (window.left > 0) return fields(--window.left);
    throw new Problem("too_many_requests", `A token has ${limit} requests in ${seconds} seconds`, {
      headers: { "Retry-After": String(rest), ...fields(0) },
    });
  };
}
