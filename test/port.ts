// A port of this machine that nothing listens on. It is below those that Linux gives to outgoing
// connections, one of which could take the port before the test does.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const [FIRST, LAST] = [10_000, 32_000];

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const port = randomInt(FIRST, LAST);
    const server = createServer().once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(freePort());
      else reject(error);
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(port)));
  });
}
