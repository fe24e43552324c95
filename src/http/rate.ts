// The rate limit of a caller, reported in the headers of draft-ietf-httpapi-ratelimit-headers. Each
// process counts for itself.
import { Problem } from "../errors/problem.ts";

interface Window {
  left: number;
  /** When it is over, on the clock of `performance.now()`. */
  end: number;
}

/** Makes the function that counts a request of a caller and returns the headers to send; it throws 429
 * after `limit` requests in a window of so many seconds. A window begins with a request. All windows
 * have the same length, so they end in the order in which they began, and are then dropped. */
export function rate(limit: number, seconds: number): (caller: string) => Record<string, string> {
  const windows = new Map<string, Window>();

  function windowOf(caller: string, now: number): Window {
    for (const [known, { end }] of windows) {
      if (end > now) break;
      windows.delete(known);
    }
    const window = windows.get(caller) ?? { left: limit, end: now + seconds * 1000 };
    windows.set(caller, window);
    return window;
  }

  return (caller) => {
    const now = Math.floor(performance.now()); // sums of whole milliseconds are exact
    const window = windowOf(caller, now);
    const rest = Math.ceil((window.end - now) / 1000);
    const fields = (left: number) => ({
      "RateLimit-Policy": `"token";q=${limit};w=${seconds}`,
      "RateLimit": `"token";r=${left};t=${rest}`,
    });
    if (window.left > 0) return fields(--window.left);
    throw new Problem("too_many_requests", `A caller has ${limit} requests in ${seconds} seconds`, {
      headers: { "Retry-After": String(rest), ...fields(0) },
    });
  };
}
