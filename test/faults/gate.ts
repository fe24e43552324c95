// A TCP port in front of a Postgres that fails as networks do: it refuses connections, cuts them off, drops
// data, or breaks it into pieces.
import { connect, createServer, type Socket } from "node:net";
import { freePort } from "../port.ts";

export interface Gate {
  /** The address of the database, through the gate. */
  url: string;
  /** Takes connections. */
  open(): Promise<void>;
  /** Refuses connections, and cuts those that there are. */
  close(): Promise<void>;
  /** Swallows what passes on the connections that there are, which stay as they are. With `all`, on
   * those to come as well, until it is opened. */
  silence(which?: "all"): void;
  /** Cuts each connection after so many messages of Postgres, which it counts from now on. */
  cutAfter(messages: number): void;
  /** Passes what Postgres says byte by byte. */
  crumble(): void;
  /** Connections that it has taken since it was made. */
  taken(): number;
  /** When a client last said something, as `performance.now()` counts. */
  heard(): number;
}

interface Pair {
  near: Socket;
  far: Socket;
  isSilent: boolean;
}

/** Makes a gate, closed, to the database at an address. */
export async function gateTo(address: string): Promise<Gate> {
  const target = new URL(address);
  const port = await freePort();
  const pairs = new Set<Pair>();
  let [silent, crumbles, limit, passed, taken, heard] = [false, false, Infinity, 0, 0, 0];

  const server = createServer((near) => {
    taken++;
    const far = connect(Number(target.port), target.hostname);
    const pair = { near, far, isSilent: silent };
    pairs.add(pair);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.setNoDelay(true);
      one.on("error", () => {}).on("close", () => {
        if (!pair.isSilent) other.destroy();
        if (other.destroyed) pairs.delete(pair);
      });
    }
    near.on("data", (chunk: Buffer) => {
      heard = performance.now();
      if (!pair.isSilent) far.write(chunk);
    });
    let rest: Buffer = Buffer.alloc(0);
    far.on("data", (chunk: Buffer) => {
      if (pair.isSilent) return;
      rest = Buffer.concat([rest, chunk]);
      for (const { length, message } of messages(rest)) {
        if (passed++ >= limit) return cut(pair);
        rest = rest.subarray(length);
        if (!crumbles) near.write(message);
        else for (const byte of message) near.write(Buffer.of(byte));
      }
    });
  });

  function cut({ near, far }: Pair): void {
    passed = 0;
    near.destroy();
    far.destroy();
  }

  const url = new URL(address);
  url.port = String(port);
  url.searchParams.set("sslmode", "disable"); // what passes is read here
  return {
    url: url.href,
    async open() {
      silent = false;
      if (!server.listening) {
        await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const { near, far } of pairs) {
          near.destroy();
          far.destroy();
        }
      }),
    silence(which) {
      silent = which === "all";
      for (const pair of pairs) pair.isSilent = true;
    },
    cutAfter(messages) {
      [limit, passed] = [messages, 0];
    },
    crumble() {
      crumbles = true;
    },
    taken: () => taken,
    heard: () => heard,
  };
}

/** The whole messages that some bytes of Postgres begin with (its documentation, 54.7). */
function* messages(bytes: Buffer): Generator<{ length: number; message: Buffer }> {
  for (let start = 0; bytes.length >= start + 5;) {
    const length = 1 + bytes.readUInt32BE(start + 1);
    if (bytes.length < start + length) return;
    yield { length, message: bytes.subarray(start, start + length) };
    start += length;
  }
}
