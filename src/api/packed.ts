// Pages whose text is long and never changes: made once, and compressed for clients that accept gzip.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Answer, Handler } from "../model/model.ts";
import { tagOf } from "./conditions.ts";

const pack = promisify(gzip);

/** Makes the handler of a page. `write` gets what the path has in place of the braces, each value once. */
export function packed(
  write: (parameter: string) => { body: string; mediaType?: string; connects?: string | undefined },
): Handler {
  const answers = new Map<string, Answer>();
  return async ({ parameter }) => {
    const known = answers.get(parameter);
    if (known) return known;
    const written = write(parameter);
    const gzipped = new Uint8Array(await pack(written.body));
    const answer: Answer = { status: 200, ...written, gzipped, tag: tagOf(written.body) };
    answers.set(parameter, answer);
    return answer;
  };
}
