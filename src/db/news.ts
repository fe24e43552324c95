// Tells every process that serves the database that rows were created, so that those who follow them need not
// wait for the next look. Nothing relies on it: the next look makes up for what is lost.
import { setTimeout } from "node:timers";
import type { Database } from "./database.ts";
import { slot, sql, writes } from "./sql.ts";

export interface News {
  /** Says that rows of a resource were created, soon. */
  tell(resource: string): void;
  /** Calls a function whenever rows of a resource were created, until the function that it returns is called. */
  hear(resource: string, heard: () => void): () => void;
}

/** Milliseconds for which news of a resource are gathered: commits with a notification wait for each other, in
 * the whole cluster. */
const PAUSE = 20;

/** The news of a database. Without a way to listen, those of this process alone. */
export function newsOf({ run, listen }: Database): News {
  const due = new Set<string>();
  const hearing = new Map<string, Set<() => void>>();
  let stop: (() => void) | undefined;

  function announce(resource: string): void {
    for (const heard of hearing.get(resource) ?? []) heard();
  }

  return {
    tell(resource) {
      if (due.has(resource)) return;
      due.add(resource);
      setTimeout(() => {
        due.delete(resource);
        if (listen) run(notify, { resource }).catch(() => {});
        else announce(resource);
      }, PAUSE).unref();
    },
    hear(resource, heard) {
      const all = hearing.get(resource) ?? new Set();
      hearing.set(resource, all.add(heard));
      stop ??= listen?.(CHANNEL, announce);
      return () => {
        all.delete(heard);
        if ([...hearing.values()].some(({ size }) => size > 0)) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

const CHANNEL = "relata";

export const notify = writes<{ resource: string }, object>(
  "tell of rows",
  sql`select pg_notify(${CHANNEL}, ${slot("resource", "text")})`,
);
