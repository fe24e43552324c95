// A TCP port in front of a server that fails as the net of a phone does: it is away, it loses a request or a half of it,
// or it takes the request to the server and loses the answer or a half of that.
import { connect, createServer, type Socket } from "node:net";
import { freePort } from "../port.ts";

export interface Network {
  /** The address of the server, through it. */
  url: string;
  /** Takes connections again; of what passes, one in so many is lost, with its connection. */
  open(oneIn: number): Promise<void>;
  /** Refuses connections, and cuts those that there are. */
  close(): Promise<void>;
  /** How often it cut a connection while something passed, by what was lost. */
  lost: Record<Loss, number>;
}

type Loss = "request" | "half of a request" | "answer" | "half of an answer";

/** Makes a network, which is away, to the server that is at an address at the time of a connection. `random` gives numbers
 * from 0 to 1. */
export async function networkTo(address: () => string, random: () => number): Promise<Network> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  const lost: Network["lost"] = {
    "request": 0,
    "half of a request": 0,
    "answer": 0,
    "half of an answer": 0,
  };
  let among = Infinity;

  const server = createServer((near) => {
    const far = connect(Number(new URL(address()).port), "127.0.0.1");
    let losesAnswer = false;
    for (const [one, other] of [[near, far], [far, near]] as const) {
      sockets.add(one.setNoDelay(true));
      one.on("error", () => {}).on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    const lose = (what: Loss, { socket, part }: { socket?: Socket; part?: Buffer } = {}) => {
      lost[what]++;
      if (part) socket!.write(part, () => near.destroy());
      else near.destroy();
    };
    near.on("data", (chunk: Buffer) => {
      const fate = random() * among;
      if (fate < 0.15) lose("request");
      else if (fate < 0.3) lose("half of a request", { socket: far, part: half(chunk) });
      else {
        losesAnswer = fate < 1;
        far.write(chunk);
      }
    });
    far.on("data", (chunk: Buffer) => {
      if (losesAnswer) lose("answer");
      else if (random() * among < 0.25) {
        lose("half of an answer", { socket: near, part: half(chunk) });
      } else near.write(chunk);
    });
  });

  return {
    url: `http://127.0.0.1:${port}`,
    lost,
    async open(oneIn) {
      among = oneIn;
      if (server.listening) return;
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function half(chunk: Buffer): Buffer {
  return chunk.subarray(0, Math.ceil(chunk.length / 2));
}
