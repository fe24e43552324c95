// The only file that knows Node from Deno: it opens the port and hands requests to the app.
import type { AddressInfo } from "node:net";
import type { App } from "./app.ts";

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

/** The part of Deno that is used here; undefined under Node. */
interface DenoServe {
  serve(
    options: { hostname: string; port: number; reusePort: boolean; onListen(): void },
    handler: (request: Request) => Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

/** Opens the port; rejects where that cannot be done. */
export async function listen(app: App, address: Address): Promise<Listener> {
  const underWay = new Set<Promise<Response>>();
  const noted: App = (request, target) => {
    const response = app(request, target);
    underWay.add(response);
    response.then(() => underWay.delete(response));
    return response;
  };
  const deno = (globalThis as { Deno?: DenoServe }).Deno;
  const { port, close } =
    await (deno ? listenOnDeno(deno, noted, address) : listenOnNode(noted, address));
  return {
    port,
    async close() {
      await Promise.all(underWay);
      await close();
    },
  };
}

async function listenOnDeno(deno: DenoServe, app: App, { host, port, reusePort }: Address) {
  const server = await deno.serve(
    { hostname: host, port, reusePort, onListen() {} },
    async (request) => {
      const response = await app(request, sentToDeno(request));
      response.headers.delete("connection"); // HTTP/2, which Deno speaks too, forbids it
      return response;
    },
  );
  return { port: server.addr.port, close: () => server.shutdown() };
}

/** The target as it was sent: Deno puts the Host header before it, in which may stand anything. */
function sentToDeno({ url, headers }: Request): string {
  const host = headers.get("host");
  return host && url.startsWith(`http://${host}`) ? url.slice(`http://${host}`.length) : url;
}

/** Milliseconds between two looks for what is late. */
const LOOK = 1000;

/** Milliseconds that a body has more than a head: the app has a limit of its own for it, and tells
 * in words when that is over. */
const SPARE = 60_000;

async function listenOnNode(app: App, { timeLimit, ...address }: Address): Promise<Listener> {
  const [{ createServer }, { getRequestListener }] = await Promise.all([
    import("node:http"),
    import("@hono/node-server"),
  ]);
  const limits = {
    headersTimeout: timeLimit * 1000,
    requestTimeout: timeLimit * 1000 + SPARE,
    connectionsCheckingInterval: LOOK,
  };
  const targets = new WeakMap<object, string>();
  const adapted = getRequestListener((request, { incoming }) =>
    app(request, targets.get(incoming))
  );
  const server = createServer(limits, (incoming, outgoing) => {
    targets.set(incoming, incoming.url!);
    // The adapter refuses, in no words, a target or a Host header that makes no URL; the app reads
    // both as they were sent. HTTP/0.9, which has no headers, stays refused.
    incoming.url = "/";
    if (incoming.httpVersion !== "0.9") incoming.headers.host = "localhost";
    adapted(incoming, outgoing);
  });
  return await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () => new Promise((closed) => server.close(() => closed())),
      });
    });
  });
}
