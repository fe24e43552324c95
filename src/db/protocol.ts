// The protocol of Postgres (its documentation, chapter 54) between the client and the embedded database,
// over a stream inside this process instead of a socket.
import type { Buffer } from "node:buffer";
import { Duplex } from "node:stream";

/** Turns a function that answers messages into a stream. The client writes whole messages, so each chunk
 * is answered when it arrives; an error ends the stream. */
export function stream(answer: (messages: Uint8Array) => Promise<Uint8Array>): Duplex {
  const duplex = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      answer(chunk).then((answered) => {
        duplex.push(answered);
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

/** The error that ended the session, if an answer has one (section 54.8). */
export function endOf(answer: Buffer): Error | undefined {
  for (let start = 0, end = 0; start < answer.length; start = end) {
    end = start + 1 + answer.readInt32BE(start + 1);
    if (answer[start] !== ERROR_RESPONSE) continue;
    const fields = answer.toString("utf8", start + 5, end).split("\0");
    const field = (type: string) => fields.find((text) => text.startsWith(type))?.slice(1);
    if (!["FATAL", "PANIC"].includes(field("V") ?? "")) continue;
    return Object.assign(new Error(`${field("V")}: ${field("M")}`), { code: field("C") });
  }
  return undefined;
}

const ERROR_RESPONSE = "E".charCodeAt(0);
