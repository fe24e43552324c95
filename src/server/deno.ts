// The listener under Deno, which speaks in web-standard requests and responses itself.
import { toResponse } from "./answer.ts";
import type { App } from "./app.ts";
import type { Address, Listener } from "./listen.ts";

/** The part of Deno that is used here. */
export interface DenoServe {
  serve(
    options: { hostname: string; port: number; reusePort: boolean; onListen(): void },
    handler: (request: Request) => Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

export async function listenOnDeno(
  deno: DenoServe,
  app: App,
  { host, port, reusePort }: Address,
): Promise<Listener> {
  const server = await deno.serve(
    { hostname: host, port, reusePort, onListen() {} },
    async (request) => {
      const reply = await app(request, targetOf(request));
      delete reply.headers["Connection"]; // HTTP/2, which Deno speaks too, forbids it
      return toResponse(reply);
    },
  );
  return { port: server.addr.port, close: () => server.shutdown() };
}

/** The target as it was sent: Deno puts the Host header before it, in which may stand anything. One that
 * was sent as a whole URL may begin alike, with a longer host. */
function targetOf({ url, headers }: Request): string {
  const origin = `http://${headers.get("host")}`;
  const isPut = url.startsWith(origin) && "/?*".includes(url.charAt(origin.length));
  return isPut ? url.slice(origin.length) : url;
}
