// The port under Deno, which uses the web's requests and responses itself.
import type { Answering, ListenAddress, Listener } from "./listener.ts";

/** The part of Deno that this file uses. */
export interface DenoServe {
  serve(
    options: { hostname: string; port: number; reusePort: boolean; onListen(): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): DenoServer;
}

interface DenoServer {
  addr: { port: number };
  /** Rejects if Deno closes the port by itself, which it does when the process may open no more files. */
  finished: Promise<void>;
  shutdown(): Promise<void>;
}

export async function listenOnDeno(
  deno: DenoServe,
  { fetch }: Answering,
  { host, port, reusePort }: ListenAddress,
): Promise<Listener> {
  const server = await deno.serve(
    { hostname: host, port, reusePort, onListen() {} },
    // HTTP/1.1 requires a Host (RFC 9112, section 3.2); Deno does not tell the version
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
