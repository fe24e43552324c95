// Deletes what is kept for a time only, some at a time: requests that need the rest gone do it, and are not held up.

/** Milliseconds between two requests that delete. */
const PAUSE = 60_000;

/** Makes the function that deletes what is too old, once a minute, or at once if the last time left some. */
export function forgetting(deleteSome: () => Promise<{ isAll: boolean }>): () => Promise<void> {
  let due = 0;
  return async () => {
    if (performance.now() < due) return;
    due = performance.now() + PAUSE;
    const { isAll } = await deleteSome();
    if (!isAll) due = 0;
  };
}
