// Ports of this machine: which are free, and what it means where one cannot be had.
import { createServer } from "node:net";
import { UsageError } from "../usage.ts";

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

/** What tells that a port cannot be listened on: a `UsageError`, unless another process has the port
 * and may yet leave it. */
export function cannotListen(host: string, port: number, cause: unknown): Error {
  const { message, code } = cause as NodeJS.ErrnoException;
  const Kind = code === "EADDRINUSE" ? Error : UsageError;
  return new Kind(`Cannot listen on ${host} port ${port}: ${message}`, { cause });
}
