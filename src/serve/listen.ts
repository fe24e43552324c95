// Opens the port under whichever runtime this is. This room takes a `fetch`, as the web has it, and
// knows nothing of what answers.
import { createServer } from "node:net";
import { sentenceOf, unusable } from "../usage.ts";
import { type DenoServe, listenOnDeno } from "./deno.ts";
import type { Address, Fetch, Listener } from "./listener.ts";
import { lightResponse, listenOnNode } from "./node.ts";

export type { Address, Listener };

const { Deno: deno } = globalThis as { Deno?: DenoServe };

/** What makes responses that this runtime sends fastest; undefined where that is a plain `Response`. */
export const runtimeResponse = deno ? undefined : lightResponse;

/** Opens the port; rejects where that cannot be done, with a `UsageError` where it never can. */
export async function listen(fetch: Fetch, address: Address): Promise<Listener> {
  const opened = deno ? listenOnDeno(deno, fetch, address) : listenOnNode(fetch, address);
  return await opened.catch((error) => {
    throw cannotListen(address.host, address.port, error);
  });
}

/** A port of a host that nothing listens on: the given one, or any. Rejects where there is none. */
export function freePort(host = "127.0.0.1", port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve((address as { port: number }).port));
    });
  });
}

/** What tells that a port cannot be listened on: a `UsageError`, unless that may pass, as where another
 * process has the port, or the network is not up yet. */
export function cannotListen(host: string, port: number, cause: unknown): Error {
  const { code } = cause as NodeJS.ErrnoException;
  return unusable(
    `Cannot listen on ${host} port ${port}: ${sentenceOf(cause)}`,
    cause,
    code === "EINVAL" ? "EADDRNOTAVAIL" : code, // so Deno calls it where several processes serve
  );
}
