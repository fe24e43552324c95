// How long a request may take, and how many may wait for the database at once.
import { Problem } from "../problem.ts";

/** Gives up waiting after some seconds; what was waited for may still come to its end. */
export async function within<Result>(seconds: number, work: Promise<Result>): Promise<Result> {
  let timer;
  const limit = new Promise<never>((_, reject) => {
    const detail = `The request took more than ${seconds} seconds`;
    timer = setTimeout(() => reject(new Problem("out_of_time", detail)), seconds * 1000);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets so many through at once; one more is told to come back, rather than kept waiting. */
export function gate(capacity: number) {
  let inside = 0;
  return async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    if (inside >= capacity) throw new Problem("unavailable", "Too many requests are under way");
    inside++;
    try {
      return await work();
    } finally {
      inside--;
    }
  };
}
