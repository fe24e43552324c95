// What peers are served by under Deno; undefined under Node.

interface DenoServe {
  serve(
    options: { hostname: string; port: number; onListen(address: { port: number }): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): void;
}

export const deno = (globalThis as { Deno?: DenoServe }).Deno;
