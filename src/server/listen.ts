// The only file that knows Node from Deno: it opens the port and hands requests to the app.
import type { AddressInfo } from "node:net";
import type { App } from "./app.ts";

export interface Listener {
  /** The port it listens on. */
  port: number;
  /** Takes no more connections and resolves when the last request is answered. */
  close(): Promise<void>;
}

/** The part of Deno that is used here; undefined under Node. */
interface DenoServe {
  serve(
    options: { hostname: string; port: number; onListen(): void },
    handler: (request: Request) => Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

/** Opens the port; rejects where that cannot be done. */
export function listen(app: App, host: string, port: number): Promise<Listener> {
  const deno = (globalThis as { Deno?: DenoServe }).Deno;
  return deno ? listenOnDeno(deno, app, host, port) : listenOnNode(app, host, port);
}

async function listenOnDeno(deno: DenoServe, app: App, hostname: string, port: number) {
  const server = await deno.serve(
    { hostname, port, onListen() {} },
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

async function listenOnNode(app: App, hostname: string, port: number): Promise<Listener> {
  const { serve } = await import("@hono/node-server");
  return await new Promise((resolve, reject) => {
    const handler = (request: Request, { incoming }: { incoming: { url?: string | undefined } }) =>
      app(request, incoming.url);
    const server = serve({ fetch: handler, hostname, port }, (address: AddressInfo) => {
      server.off("error", reject);
      resolve({
        port: address.port,
        close: () => new Promise((closed) => server.close(() => closed())),
      });
    });
    server.once("error", reject);
  });
}
