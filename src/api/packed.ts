// Pages whose text is long and never changes: made once, and compressed for clients that accept gzip.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Answer, Call } from "../model/model.ts";
import { tagOf } from "./conditions.ts";

const pack = promisify(gzip);

type Packed = Extract<Answer, { body: string }>;

/** Makes the handler of a page. `write` gets what the path has in place of the braces, each value once. */
export function packed(
  write: (parameter: string) => { body: string; mediaType?: string; connects?: string | undefined },
): (call: Pick<Call, "parameter">) => Promise<Packed> {
  const answers = new Map<string, Packed>();
  return async ({ parameter }) => {
    const known = answers.get(parameter);
    if (known) return known;
    const written = write(parameter);
    const gzipped = new Uint8Array(await pack(written.body, { level: 9 }));
    const answer: Packed = { status: 200, ...written, gzipped, tag: tagOf(written.body) };
    answers.set(parameter, answer);
    return answer;
  };
}
