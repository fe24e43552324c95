// What Node's parser cannot read as a request, or reads where it must not: a problem, and the end of
// the connection.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "../problem.ts";
import type { Reply } from "./answer.ts";
import type { App } from "./app.ts";

/** What Node says of it. */
interface Unreadable extends Error {
  code?: string;
  /** Where it departs from HTTP. */
  reason?: string;
}

/** What is too much, or came too slowly, to be read on has a status and nothing more. */
const STATUSES: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Makes what listens to `clientError`. */
export function refusing(app: App) {
  async function answer({ code = "", reason = "" }: Unreadable): Promise<Reply> {
    const status = STATUSES[code];
    if (status !== undefined) return { status, headers: {}, body: null };
    const detail = `The request is not valid HTTP: ${reason}`;
    return await app.refuse(new Problem("malformed_request", detail));
  }

  const refused = new WeakSet<Socket>();
  return async (error: Unreadable, socket: Socket): Promise<void> => {
    if (refused.has(socket)) return; // Node says it again of whatever else comes
    refused.add(socket);
    await answerLast(socket, () => answer(error));
  };
}

/** Answers where Node has nothing that would, after the requests before, and ends the connection. */
export async function answerLast(socket: Socket, answer: () => Promise<Reply>): Promise<void> {
  await othersAnswered(socket);
  if (mayAnswer(socket)) {
    const text = written(await answer());
    if (mayAnswer(socket)) socket.write(text);
  }
  socket.destroySoon();
}

/** Resolves when the requests are answered that came whole before what cannot be read: its refusal is
 * not to be taken for theirs. */
async function othersAnswered(socket: Socket): Promise<void> {
  for (;;) {
    const { _httpMessage: other } = socket as { _httpMessage?: ServerResponse };
    if (!other?.req.complete) return;
    await new Promise((resolve) => other.once("close", resolve));
  }
}

/** Whether nothing of another answer is sent yet, as Node would ask without a listener. */
function mayAnswer(socket: Socket): boolean {
  const { _httpMessage: other } = socket as { _httpMessage?: ServerResponse };
  return socket.writable && !other?.headersSent;
}

/** An answer as it is sent, without a word for its status, which HTTP can do without (RFC 9112, section
 * 4). */
function written({ status, headers, body }: Reply): string {
  const lines = Object.entries({ ...headers, Date: new Date().toUTCString(), Connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} \r\n${lines.join("")}\r\n${body ?? ""}`;
}

/** The problem of a request that Node has read, though it is none of HTTP/1.1: of another version,
 * in chunks that an HTTP/1.0 proxy before this server would end elsewhere (RFC 9112, section 6.1),
 * or without a Host (section 3.2); undefined of any other. */
export function misframed(
  { httpVersion, httpVersionMajor, headers }: IncomingMessage,
): Problem | undefined {
  if (httpVersionMajor > 1) {
    return malformed(`This server speaks HTTP/1.1, not HTTP/${httpVersion}`);
  }
  if (httpVersion === "1.0") {
    const isChunked = headers["transfer-encoding"] !== undefined;
    return isChunked ? malformed("HTTP/1.0 knows no Transfer-Encoding") : undefined;
  }
  return headers.host === undefined ? malformed('HTTP/1.1 needs the header "Host"') : undefined;
}

function malformed(detail: string): Problem {
  return new Problem("malformed_request", detail, { headers: { Connection: "close" } });
}
