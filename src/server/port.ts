// Ports of this machine: which are free, and what it means where one cannot be had.
import { createServer } from "node:net";
import { sentenceOf, unusable } from "../usage.ts";

/** A port of a host that nothing listens on: the one that is asked for, or any. Rejects where that cannot
 * be had. */
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
