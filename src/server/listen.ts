// The only file that knows Node from Deno: it opens the port and hands requests to the app.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { App } from "./app.ts";

export interface Address {
  host: string;
  /** The port to listen on; 0 takes a free one. */
  port: number;
  /** Whether other processes may listen on it too. */
  reusePort: boolean;
}

export interface Listener {
  /** The port it listens on. */
  port: number;
  /** Takes no more connections and resolves when the last request is answered. */
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
export function listen(app: App, address: Address): Promise<Listener> {
  const deno = (globalThis as { Deno?: DenoServe }).Deno;
  return deno ? listenOnDeno(deno, app, address) : listenOnNode(app, address);
}

async function listenOnDeno(deno: DenoServe, app: App, { host, ...address }: Address) {
  const server = await deno.serve(
    { hostname: host, ...address, onListen() {} },
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

async function listenOnNode(app: App, address: Address): Promise<Listener> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const server = createAdaptorServer({
    fetch: (request: Request, { incoming }: { incoming: { url?: string | undefined } }) =>
      app(request, incoming.url),
  }) as Server;
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
