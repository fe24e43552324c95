// The port under Deno, which speaks in requests and responses of the web itself.
import type { Address, Fetch, Listener } from "./listener.ts";

/** The part of Deno that is used here. */
export interface DenoServe {
  serve(
    options: { hostname: string; port: number; reusePort: boolean; onListen(): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): DenoServer;
}

interface DenoServer {
  addr: { port: number };
  /** Rejects where Deno closes the port by itself: at a connection for which the process may open no
   * more files. */
  finished: Promise<void>;
  shutdown(): Promise<void>;
}

export async function listenOnDeno(
  deno: DenoServe,
  fetch: Fetch,
  { host, port, reusePort }: Address,
): Promise<Listener> {
  const server = await deno.serve(
    { hostname: host, port, reusePort, onListen() {} },
    // HTTP/1.1 demands a Host (RFC 9112, section 3.2). Deno does not tell other versions from it
    (request) => request.headers.has("host") ? fetch(request) : new Response(null, { status: 400 }),
  );
  return {
    port: server.addr.port,
    failed: new Promise((_, reject) => {
      server.finished.catch((cause: Error) => {
        reject(new Error(`Deno closed the port: ${cause.message}`, { cause }));
      });
    }),
    close: () => server.shutdown(),
  };
}
