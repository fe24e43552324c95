// The port under Node. A request is a thin view of Node's own, and a response only its parts: with real
// `Request` and `Response` objects, a request took twice the processor time.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { setTimeout } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { SHARES } from "../time.ts";
import type { Reply } from "../http/response.ts";
import type { Answering, ListenAddress, Listener } from "./listener.ts";

export async function listenOnNode(
  { reply }: Answering,
  { host, port, reusePort, timeLimit, keepAlive }: ListenAddress,
): Promise<Listener> {
  const { createServer } = await import("node:http");
  const milliseconds = timeLimit * 1000;
  const server = createServer({
    headersTimeout: milliseconds, // a head that comes too slowly: 408
    requestTimeout: 0, // the app has a limit of its own
    connectionsCheckingInterval: milliseconds * SHARES.look,
    keepAliveTimeout: keepAlive * 1000,
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  /** Connections that end with the current answer; further requests on them are not served. */
  const closing = new WeakSet<Socket>();

  function serve(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    sendContinue?: () => void,
  ): void {
    const { socket } = incoming;
    if (closing.has(socket)) return;
    if (isMisframed(incoming)) {
      closing.add(socket);
      return void outgoing.writeHead(400, { Connection: "close" }).end();
    }
    const request = new NodeRequest(incoming, sendContinue);
    reply(request as unknown as Request).then(async (response) => {
      if (!incoming.complete) await setImmediate(); // Node may not have parsed the rest of it yet
      if (incoming.complete) send(response, outgoing, milliseconds);
      else {
        closing.add(socket);
        // Node then sends "Connection: close"; the end of the connection is the end of the body
        outgoing.shouldKeepAlive = outgoing.useChunkedEncodingByDefault = false;
        send(response, outgoing, milliseconds, () => linger(incoming, 2 * milliseconds));
      }
      // Ends the connection of a client that stops reading: at the second timeout, because at the
      // first one Node notices what was read before
      if (socket.writableLength > 0) socket.setTimeout(milliseconds);
    });
  }

  server.on("request", serve);
  // Without this listener, Node would ask for the body before the app has seen the request
  server.on("checkContinue", (incoming, outgoing) => {
    serve(incoming, outgoing, () => outgoing.writeContinue());
  });
  // Without this one, it would refuse any other expectation, which the app ignores (RFC 9110, section 10.1.1)
  server.on("checkExpectation", (incoming, outgoing) => serve(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, reusePort }, () => resolve(void server.off("error", reject)));
  });
  return {
    port: (server.address() as AddressInfo).port,
    failed: new Promise(() => {}),
    async close() {
      // Node would close idle connections before their last answer is sent
      const sending = [...sockets].filter(({ writableLength }) => writableLength > 0);
      const closed = sending.map((socket) => once(socket, "close"));
      for (const socket of sending) socket.destroySoon();
      await Promise.all(closed);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The part of a `Request` that the app reads. */
class NodeRequest {
  readonly method: string;
  /** The path is as it was sent, neither resolved nor decoded. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  readonly #incoming: IncomingMessage;
  /** Asks for the body; there only if the client waits for that (RFC 9110, section 10.1.1). */
  readonly #sendContinue: (() => void) | undefined;

  constructor(incoming: IncomingMessage, sendContinue: (() => void) | undefined) {
    const { method, url, rawHeaders } = incoming;
    this.method = method!;
    const host = headerIn(rawHeaders, "host") || "localhost";
    this.url = url!.startsWith("/") ? `http://${host}${url}` : url!;
    this.headers = { get: (name) => headerIn(rawHeaders, name.toLowerCase()) };
    this.#incoming = incoming;
    this.#sendContinue = sendContinue;
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#asked().iterator({ destroyOnReturn: false });
  }

  bytes(): Promise<Uint8Array> {
    const incoming = this.#asked();
    return new Promise((resolve, reject) => {
      const broken = () => reject(new Error("The connection was closed"));
      if (incoming.destroyed) return broken(); // it emits nothing more
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
      incoming.on("close", () => incoming.readableEnded || broken()); // emitted for every request
    });
  }

  #asked(): IncomingMessage {
    this.#sendContinue?.();
    return this.#incoming;
  }
}

/** A header as it was sent. Repeated headers form a list (RFC 9110, section 5.3), even where Node would
 * take only the first. */
function headerIn(raw: string[], name: string): string | null {
  let value: string | null = null;
  for (let index = 0; index < raw.length; index += 2) {
    const sent = raw[index]!;
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    value = value === null ? raw[index + 1]! : `${value}, ${raw[index + 1]}`;
  }
  return value;
}

/** Sends a response; the client of a stream may be so many milliseconds without reading on. With `whenSent`, it
 * calls that instead of ending the message. */
function send(
  { status, headers, body }: Reply,
  outgoing: ServerResponse,
  milliseconds: number,
  whenSent?: () => void,
): void {
  outgoing.writeHead(status, headers);
  if (!(body instanceof ReadableStream)) {
    if (!whenSent) return void outgoing.end(body);
    outgoing.flushHeaders();
    outgoing.write(body ?? "", whenSent);
  } else {
    const stream = Readable.fromWeb(body as NodeStream);
    stream.on("pause", () => outgoing.setTimeout(milliseconds));
    stream.on("resume", () => outgoing.setTimeout(0));
    if (outgoing.destroyed) return void stream.destroy(); // the client is gone, which is told only once
    pipeline(stream, outgoing, { end: !whenSent }).then(whenSent, () => outgoing.destroy());
  }
}

/** Closes our side of a connection, but reads on for a while. Many clients write the whole body before they
 * read the answer; cut off, they would report a broken connection. */
function linger(incoming: IncomingMessage, milliseconds: number): void {
  const { socket } = incoming;
  socket.end();
  incoming.resume();
  incoming.once("end", () => socket.destroy());
  setTimeout(() => socket.destroy(), milliseconds).unref();
}

/** Whether a proxy may disagree about where this request ends: its version is neither 1.1 nor 1.0, or it is
 * 1.0 with chunks, which that version lacks (RFC 9112, section 6.1). */
function isMisframed({ httpVersion, headers }: IncomingMessage): boolean {
  if (httpVersion === "1.1") return false;
  return httpVersion !== "1.0" || headers["transfer-encoding"] !== undefined;
}
