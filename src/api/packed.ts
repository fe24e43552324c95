// Answers that are compressed for clients that accept gzip: pages, once each, and answers of many rows, each by
// itself.
import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Answer, Call } from "../model/model.ts";
import { tagOf } from "./conditions.ts";

const compress = promisify(gzip);

/** A body with fewer bytes is sent as it is: on a line of 100 Mbit/s, that takes less time than to compress it. */
const SHORTEST = 4096;

/** Whether an answer is being compressed; meanwhile others go as they are. To compress may take longer than to make a
 * page, and who asks for many at once would hold up everybody. */
let isBusy = false;

type Packed = Extract<Answer, { body: string }>;

/** Makes the handler of a page whose text never changes. `write` gets what the path has in place of the braces,
 * each value once. */
export function packed(
  write: (parameter: string) => { body: string; mediaType?: string; connects?: string | undefined },
): (call: Pick<Call, "parameter">) => Promise<Packed> {
  const answers = new Map<string, Packed>();
  return async ({ parameter }) => {
    const known = answers.get(parameter);
    if (known) return known;
    const written = write(parameter);
    const gzipped = new Uint8Array(
      await compress(written.body, { level: constants.Z_BEST_COMPRESSION }),
    );
    const answer: Packed = { status: 200, ...written, gzipped, tag: tagOf(written.body) };
    answers.set(parameter, answer);
    return answer;
  };
}

/** An answer with its body as gzip too, if that is long enough and no other is being compressed. It is made for this
 * request alone, so speed comes before size. */
export async function withGzip(answer: Answer): Promise<Answer> {
  if (!("body" in answer) || answer.gzipped) return answer;
  if (isBusy || Buffer.byteLength(answer.body) < SHORTEST) return answer;
  isBusy = true;
  try {
    const gzipped = await compress(answer.body, { level: constants.Z_BEST_SPEED });
    return { ...answer, gzipped: new Uint8Array(gzipped) };
  } finally {
    // Deno compresses in the thread of all requests: others have their turn before the next
    setImmediate(() => isBusy = false);
  }
}
