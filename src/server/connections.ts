// The connections under Node. What a client sends before the answer to another request has come, as
// pipelining has it, Node hands over at once; here it is served when that answer has left.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between two looks at what is still to leave. */
const LOOK = 20;

interface Connection {
  /** The last answer that is made, or is to be. */
  last: ServerResponse | undefined;
  /** The requests that wait for the answers before theirs. */
  waiting: number;
}

export interface Connections {
  /** Serves a request when those before it on its connection are answered: it may be about what they
   * write (RFC 9112, section 9.3.2). Where the connection ends with one of these, it is not served. */
  inTurn(incoming: IncomingMessage, outgoing: ServerResponse, serve: () => void): void;
  /** Resolves when all answers that are made have left: what Node still keeps of them, it would throw
   * away with the connections. */
  drained(): Promise<void>;
}

/** Keeps count of the connections to a server. */
export function connectionsTo(server: Server): Connections {
  const connections = new Map<Socket, Connection>();
  server.on("connection", (socket) => {
    connections.set(socket, { last: undefined, waiting: 0 });
    socket.once("close", () => connections.delete(socket));
  });

  return {
    inTurn({ socket }, outgoing, serve) {
      const connection = connections.get(socket);
      if (!connection || socket.writableEnded) return;
      const { last } = connection;
      connection.last = outgoing;
      if (outgoing.socket) return serve();
      wait(connection, socket);
      last!.once("close", () => {
        connection.waiting--;
        if (connection.waiting === 0) socket.resume();
        if (outgoing.socket) serve();
      });
    },

    async drained() {
      while ([...connections.keys()].some(({ writableLength }) => writableLength > 0)) {
        await delay(LOOK);
      }
    },
  };
}

/** Counts a request that waits. Nothing more is read meanwhile, or a client could fill the memory with
 * its requests; Node, which reads on after each, is told so when it has done that. */
function wait(connection: Connection, socket: Socket): void {
  connection.waiting++;
  if (connection.waiting > 1) return;
  setImmediate(() => {
    if (connection.waiting > 0) socket.pause();
  });
}
