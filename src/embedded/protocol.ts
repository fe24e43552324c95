// The protocol of Postgres (its documentation, chapter 54) between the client and the embedded database,
// over a stream inside this process instead of a socket.
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { CANCEL_REQUEST } from "../db/client.ts";

export interface SessionAnswer {
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether the session ends with it. */
  isLast: boolean;
}

/** Turns a function that answers messages into a stream. The client writes whole messages, so each chunk
 * is answered when it arrives; an error ends the stream. Postgres outlives a session, so at the goodbye its prepared
 * statements are dropped. A request to cancel means nothing to it. */
export function stream(answer: (messages: Uint8Array) => Promise<SessionAnswer>): Duplex {
  const duplex = new Duplex({
    allowHalfOpen: false,
    read() {},
    write(chunk: Buffer, _encoding, done) {
      if (chunk[0] === 0 && chunk.readInt32BE(4) === CANCEL_REQUEST) return done();
      // Nobody reads an answer to the goodbye
      if (chunk[0] === TERMINATE) return void answer(FORGET).catch(() => {}).then(() => done());
      answer(chunk).then(({ bytes, isLast }) => {
        duplex.push(bytes);
        if (isLast) duplex.push(null);
        done();
      }, done);
    },
    final(done) {
      done();
      duplex.destroy(); // nobody reads on to its end
    },
  });
  return Object.assign(duplex, { readyState: "open" }); // the client asks it before it says goodbye
}

/** The answer with which a session ends: an error, after which the client expects no more. */
export function closingReply(reason: string): Uint8Array<ArrayBuffer> {
  const error = message("E", `SFATAL\0VFATAL\0C${CRASH}\0M${reason}\0\0`);
  return new Uint8Array(Buffer.concat([error, message("Z", "I")]));
}

/** The SQLSTATE of a session that ended because Postgres did. */
const CRASH = "57P02";

function message(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}size${content}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

const TERMINATE = "X".charCodeAt(0);
const FORGET = message("Q", "deallocate all\0");
