// Tells every process that serves the database that rows were created, so that those who follow them need not
// wait for the next look. Nothing relies on it: the next look makes up for what is lost.
import { setTimeout } from "node:timers";
import type { Database } from "./database.ts";
import { slot, sql, writes } from "./sql.ts";

export interface News {
  /** Tells the subscribers soon that rows of a resource were created. */
  publish(resource: string): void;
  /** Calls a function whenever rows of a resource were created, until the function that it returns is called. */
  subscribe(resource: string, onNews: () => void): () => void;
}

/** Milliseconds for which news of a resource are gathered: commits with a notification wait for each other, in
 * the whole cluster. */
const PAUSE = 20;

/** The news of a database. Without a way to listen, those of this process alone. */
export function newsOf({ run, listen }: Database): News {
  const due = new Set<string>();
  const subscribers = new Map<string, Set<() => void>>();
  let stop: (() => void) | undefined;

  function notifySubscribers(resource: string): void {
    for (const onNews of subscribers.get(resource) ?? []) onNews();
  }

  return {
    publish(resource) {
      if (due.has(resource)) return;
      due.add(resource);
      setTimeout(() => {
        due.delete(resource);
        if (listen) run(notify, { resource }).catch(() => {});
        else notifySubscribers(resource);
      }, PAUSE).unref();
    },
    subscribe(resource, onNews) {
      const all = subscribers.get(resource) ?? new Set();
      subscribers.set(resource, all.add(onNews));
      stop ??= listen?.(CHANNEL, notifySubscribers);
      return () => {
        all.delete(onNews);
        if ([...subscribers.values()].some(({ size }) => size > 0)) return;
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
