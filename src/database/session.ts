// A session of Postgres, over one connection, which is never mended: the client would hand what is
// left of a lost one, its error and how many rows had come, to the first statement on the next.
import { type Run, running } from "./query.ts";
import type { Tag } from "./sql.ts";
import { READ_ONLY } from "./state.ts";

/** A client of one connection, which it opens once, with its first statement. */
export interface Client {
  sql: Tag;
  /** Cuts the connection, without a word to the other side. */
  cut(): void;
}

/** Makes a client of a host, which says when its connection is gone. */
export type Connect = (gone: () => void) => Client;

export interface Session extends Pick<Client, "cut"> {
  /** The place of its host. */
  host: number;
  run: Run;
  close(): void;
}

/** Opens a session, which says when its connection is gone. */
export type Open = (gone: () => void) => Promise<Session>;

/** Makes what opens sessions on the first host that will do, beginning with the one that did last.
 * Where it is to be `writable`, one does that takes writes. */
export function opener(hosts: Connect[], { writable }: { writable: boolean }): Open {
  let preferred = 0;
  return async (gone) => {
    const first = preferred;
    let error: unknown;
    for (let turn = 0; turn < hosts.length; turn++) {
      const host = (first + turn) % hosts.length;
      let isOpen = false;
      const client = hosts[host]!(() => isOpen && gone());
      const close = () => void client.sql.end({ timeout: 0 });
      try {
        const [shown] = await client.sql.unsafe("show transaction_read_only");
        if (writable && shown!["transaction_read_only"] === "on") {
          throw Object.assign(new Error("The host takes no writes"), { code: READ_ONLY });
        }
        [preferred, isOpen] = [host, true];
        return { host, run: running(client.sql), cut: client.cut, close };
      } catch (reason) {
        error = reason;
        close();
      }
    }
    throw error;
  };
}
