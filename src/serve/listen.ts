// Opens the port under either runtime. This folder takes two functions and knows nothing of the app.
import { createServer } from "node:net";
import { sentenceOf, unusable } from "../errors/usage.ts";
import { type DenoServe, listenOnDeno } from "./deno.ts";
import type { Answering, ListenAddress, Listener } from "./listener.ts";
import { listenOnNode } from "./node.ts";

export type { ListenAddress as Address, Listener };

const { Deno: deno } = globalThis as { Deno?: DenoServe };

/** Opens the port; rejects if it cannot, with a `UsageError` if it never can. */
export async function listen(app: Answering, address: ListenAddress): Promise<Listener> {
  const opened = deno ? listenOnDeno(deno, app, address) : listenOnNode(app, address);
  return await opened.catch((error) => {
    throw cannotListen(address.host, address.port, error);
  });
}

/** A free port of a host: the given one, or any if that is 0. Rejects as `listen` does. */
export function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", (cause) => {
      reject(cannotListen(host, port, cause));
    });
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve((address as { port: number }).port));
    });
  });
}

/** The error for a port that cannot be opened: a `UsageError`, unless the cause may pass, as when another
 * process has the port, or the network is not up yet. */
function cannotListen(host: string, port: number, cause: unknown): Error {
  const { code } = cause as NodeJS.ErrnoException;
  return unusable(
    `Cannot listen on ${host} port ${port}: ${sentenceOf(cause)}`,
    cause,
    code === "EINVAL" ? "EADDRNOTAVAIL" : code, // Deno's code when several processes serve
  );
}
