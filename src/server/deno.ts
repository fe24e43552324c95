// The listener under Deno, which speaks in web-standard requests and responses itself.
import { setTimeout as delay } from "node:timers/promises";
import { errorMembers, type Log } from "../log.ts";
import { toResponse } from "./answer.ts";
import type { App } from "./app.ts";
import type { Address, Listener } from "./listen.ts";

/** Milliseconds until a port that Deno has closed is opened again. */
const PAUSE = 200;

/** The part of Deno that is used here. */
export interface DenoServe {
  serve(
    options: { hostname: string; port: number; reusePort: boolean; onListen(): void },
    handler: (request: Request) => Promise<Response>,
  ): DenoServer;
}

interface DenoServer {
  addr: { port: number };
  /** Rejects where it has closed the port by itself. */
  finished: Promise<void>;
  shutdown(): Promise<void>;
}

export async function listenOnDeno(
  deno: DenoServe,
  app: App,
  { host, port, reusePort }: Address,
  log: Log,
): Promise<Listener> {
  const servers: DenoServer[] = [];
  let isClosed = false;

  async function open(port: number): Promise<DenoServer> {
    const server = await deno.serve(
      { hostname: host, port, reusePort, onListen() {} },
      async (request) => toResponse(await app(request, targetOf(request))),
    );
    servers.push(server);
    server.finished.catch((error) => reopen(server.addr.port, error));
    return server;
  }

  /** Deno closes the port where a connection takes more files than a process may open. Whoever is
   * connected is served all the same. */
  async function reopen(port: number, error: unknown): Promise<void> {
    log("error", "The port was closed and is opened again", errorMembers(error));
    await delay(PAUSE);
    if (!isClosed) await open(port).catch((error) => reopen(port, error));
  }

  const { addr } = await open(port);
  return {
    port: addr.port,
    async close() {
      isClosed = true;
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

/** The target as it was sent: Deno puts the Host header before it, in which may stand anything. One that
 * was sent as a whole URL may begin alike, with a longer host. */
function targetOf({ url, headers }: Request): string {
  const origin = `http://${headers.get("host")}`;
  const isPut = url.startsWith(origin) && "/?*".includes(url.charAt(origin.length));
  return isPut ? url.slice(origin.length) : url;
}
