// Opens the port under whichever runtime this is, and closes it without leaving a request unanswered.
import type { Log } from "../log.ts";
import type { App } from "./app.ts";
import { type DenoServe, listenOnDeno } from "./deno.ts";
import { listenOnNode } from "./node.ts";
import { cannotListen } from "./port.ts";

export interface Address {
  host: string;
  /** The port to listen on; 0 takes a free one. */
  port: number;
  /** Whether other processes may listen on it too. */
  reusePort: boolean;
  /** Seconds that the head of a request may take to arrive. Deno, which knows no such limit, waits as
   * long as its client does. */
  timeLimit: number;
}

export interface Listener {
  /** The port it listens on. */
  port: number;
  /** Answers what is under way, and whatever else comes meanwhile; then takes no more connections,
   * and resolves when the last request is answered. */
  close(): Promise<void>;
}

/** Opens the port; rejects where that cannot be done, with a `UsageError` where it never can. */
export async function listen(app: App, address: Address, log: Log): Promise<Listener> {
  const deno = (globalThis as { Deno?: DenoServe }).Deno;
  const opened = deno ? listenOnDeno(deno, app, address, log) : listenOnNode(app, address);
  const { port, close } = await opened.catch((error) => {
    throw cannotListen(address.host, address.port, error);
  });
  return {
    port,
    async close() {
      await app.idle();
      await close();
    },
  };
}
