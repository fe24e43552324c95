// The listener under Node: the app reads Node's own requests and its replies are written as they are.
// (By way of web-standard objects, a read took about a tenth more of the processor.)
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers";
import type { Reply } from "./answer.ts";
import type { App } from "./app.ts";
import { connectionsTo } from "./connections.ts";
import type { Address, Listener } from "./listen.ts";
import type { HeadersLike, RequestLike } from "./request.ts";
import { answerLast, misframed, refusing } from "./unreadable.ts";

/** Milliseconds between two looks for what is late. */
const LOOK = 1000;

/** Milliseconds that a body has more than a head: the app has a limit of its own for it, and tells
 * in words when that is over. */
const SPARE = 60_000;

/** Milliseconds that what is left of a body has to arrive when the answer has been sent. */
const REST = 500;

export async function listenOnNode(
  app: App,
  { host, port, reusePort, timeLimit }: Address,
): Promise<Listener> {
  const { createServer } = await import("node:http");
  const limits = {
    headersTimeout: timeLimit * 1000,
    requestTimeout: timeLimit * 1000 + SPARE,
    connectionsCheckingInterval: LOOK,
    requireHostHeader: false, // without one, Node would answer with no problem
  };
  const server = createServer(limits);
  const { inTurn, drained } = connectionsTo(server);
  const misread = new WeakSet<Socket>();

  function listener(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    invite?: () => void,
  ): void {
    if (misread.has(incoming.socket)) return; // what it sends is no request
    // Of HTTP/0.9, which has no headers, nothing is known
    if (incoming.httpVersionMajor === 0) return void outgoing.writeHead(400).end();
    const problem = misframed(incoming);
    if (problem) misread.add(incoming.socket);
    inTurn(incoming, outgoing, () => {
      const replied = problem ? app.refuse(problem) : app(new NodeRequest(incoming, invite));
      replied.then((reply) => send(reply, incoming, outgoing, timeLimit));
    });
  }

  server.on("request", listener);
  // Without a listener, Node would ask for the body of what is refused by its head, too
  server.on("checkContinue", (incoming, outgoing) => {
    listener(incoming, outgoing, () => outgoing.writeContinue());
  });
  server.on("checkExpectation", listener); // what it does not know, Node would answer with no problem
  // Without a listener, Node would end the connection with no answer
  server.on("connect", (incoming, socket) => {
    socket.on("error", () => {}); // it may have gone
    answerLast(socket as Socket, () => app(new NodeRequest(incoming)));
  });
  const refuse = refusing(app);
  server.on("clientError", (error, socket) => void refuse(error, socket as Socket));
  return await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, reusePort }, () => {
      server.off("error", reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        async close() {
          await drained();
          await new Promise<void>((closed) => server.close(() => closed()));
        },
      });
    });
  });
}

/** A request of Node's as the app reads it. */
class NodeRequest implements RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersLike;
  readonly #incoming: IncomingMessage;
  /** Has the client send its body, where it waits to be asked for it (RFC 9110, section 10.1.1). */
  readonly #invite: (() => void) | undefined;

  constructor(incoming: IncomingMessage, invite?: () => void) {
    this.method = incoming.method!;
    this.url = incoming.url!;
    const { rawHeaders } = incoming;
    this.headers = { get: (name) => header(rawHeaders, name.toLowerCase()) };
    this.#incoming = incoming;
    this.#invite = invite;
  }

  get body(): AsyncIterable<Uint8Array> {
    this.#invite?.();
    return this.#incoming.iterator({ destroyOnReturn: false });
  }

  bytes(): Promise<Uint8Array> {
    this.#invite?.();
    return bytes(this.#incoming);
  }
}

/** A header as it was sent; what was sent of it more than once is a list (RFC 9110, section 5.3), also
 * where Node would take the first. */
function header(raw: string[], name: string): string | null {
  let value: string | null = null;
  for (let place = 0; place < raw.length; place += 2) {
    const sent = raw[place]!;
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    value = value === null ? raw[place + 1]! : `${value}, ${raw[place + 1]}`;
  }
  return value;
}

function bytes(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // Of one that went away before nothing more is told
    if (incoming.destroyed) return reject(new Error("The connection was closed"));
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    incoming.on("close", () => {
      // It is told of every request; an error that nobody hears of costs as much as one that is thrown.
      if (!incoming.readableEnded) reject(new Error("The connection was closed"));
    });
  });
}

/** Sends an answer. A client that takes nothing of it for longer than two answers may take to be made
 * loses its connection, and what is kept for it. */
function send(
  { status, headers, body }: Reply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  timeLimit: number,
): void {
  const { socket } = incoming;
  outgoing.writeHead(status, headers);
  outgoing.end(body);
  if (socket.writableLength > 0) socket.setTimeout(2 * timeLimit * 1000);
  if (incoming.complete) return;
  // Node reads on, so that the connection can serve another request, but not for ever.
  outgoing.once("finish", () => {
    setTimeout(() => incoming.complete || socket.destroy(), REST).unref();
  });
}
