// Writes with an Idempotency-Key: carried out once; a repeated request gets the first answer again. The rows and the
// answer are written in one transaction, so both are there or neither, for every process.
import { createHash, hash } from "node:crypto";
import * as v from "valibot";
import type { Database, Run } from "../db/database.ts";
import type { Statement } from "../db/sql.ts";
import { invalid, Problem } from "../errors/problem.ts";
import type { Action, Call, Header, Resource, Service } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { claimsSeen } from "../model/view.ts";
import {
  forgetStatement,
  keepStatement,
  type Kept,
  keptStatement,
  type KeyedRequest,
  TAKEN,
  takeStatement,
} from "../statements/once.ts";
import { refusalIn } from "../statements/refusal.ts";
import { forgetting } from "./forgetting.ts";

/** The header of writes: a key that the client chooses, quoted or bare. A request with the same key is
 * carried out once, however often it is sent (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyKey: Record<string, Header> = {
  "Idempotency-Key": v.pipe(
    v.string(),
    v.metadata({
      description: "Carries the request out once, however often it is sent with this key",
    }),
    v.regex(
      /^(?:"[\x20\x21\x23-\x5b\x5d-\x7e]{1,255}"|[\x21\x23-\x5b\x5d-\x7e]{1,255})$/,
      '1 to 255 visible ASCII characters but " and \\, or these and blanks in double quotes',
    ),
    v.transform((key) => [key.replace(/^"|"$/g, "")]),
  ),
};

/** Makes the function that tells of a request whether it has a key, and which. Answers depend on the claims that rules,
 * defaults and SQL look at, so the key is that of a caller of whom these are the same. */
export function keying(declared: Resource | Action, method: string, pattern: string) {
  const claims = claimsSeen(declared);
  return (call: Call): KeyedRequest | undefined => {
    const { headers, identifier, path: said, bytes, caller } = call;
    const { "Idempotency-Key": [key] = [], ...conditions } = headers;
    if (key === undefined) return undefined;
    const seen = JSON.stringify(claims.map((name) => caller.claims[name] ?? null));
    const keeper = claims.length > 0 ? `${caller.id} ${hash("sha256", seen, "hex")}` : caller.id;
    const path = pattern.replace(
      /\{(\w+)\}/g,
      (_, name) => encodeURIComponent(String(said[name] ?? identifier)),
    );
    const same = mapValues(conditions, (tags) => [...new Set(tags)].sort());
    const sent = createHash("sha256").update(JSON.stringify(same)).update(bytes);
    return {
      request: hash("sha256", JSON.stringify([keeper, method, path, key]), "hex"),
      caller: keeper,
      method,
      path,
      key,
      sent: sent.digest("hex"),
    };
  };
}

type KeepsAnswers = Pick<Service, "database" | "idempotencyHours">;

/** Makes the function that works in a transaction once for a key, and keeps the outcome if that has the status of an
 * answer; or finds what was kept. Throws a problem if a request with the key is under way, or had other contents. */
export function once(service: KeepsAnswers) {
  const { database } = service;
  const attempt = unlessTaken(service);
  return <Outcome extends object>(
    keyed: KeyedRequest,
    of: Statement,
    work: (run: Run) => Promise<Outcome | Kept>,
  ): Promise<Outcome | Kept> =>
    attempt(keyed, () =>
      database.transaction(of, async (run) => {
        const steps = [run(takeStatement, keyed), work(run)] as const;
        await Promise.allSettled(steps); // none may be under way when the transaction ends
        const [, outcome] = await Promise.all(steps);
        if (isKept(outcome)) {
          const { id, status, text } = outcome;
          run(keepStatement, { ...keyed, identifier: id, status, text });
        }
        return outcome;
      }));
}

/** Makes the function that does what takes a key and keeps its answer, or finds what was kept. */
export function unlessTaken({ database, idempotencyHours }: KeepsAnswers) {
  const forget = forgetting(database, forgetStatement, { hours: idempotencyHours });
  return async <Outcome extends object>(
    keyed: KeyedRequest,
    work: () => Promise<Outcome>,
  ): Promise<Outcome | Kept> => {
    await forget();
    try {
      return await work();
    } catch (error) {
      if (refusalIn(error) === TAKEN) return await keptFor(database, keyed);
      throw error;
    }
  };
}

function isKept(outcome: object): outcome is Kept {
  return "status" in outcome;
}

async function keptFor(database: Database, keyed: KeyedRequest): Promise<Kept> {
  const [kept] = await database.run(keptStatement, keyed);
  if (!kept) {
    const detail = `The first request with the key "${keyed.key}" has not ended yet`;
    throw new Problem("in_progress", detail);
  }
  if (kept.isSame) return kept;
  const detail = `The key "${keyed.key}" was sent before with another body or other conditions`;
  throw invalid([{ pointer: "", code: "reused_key", detail }]);
}
