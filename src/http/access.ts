// Bearer tokens (RFC 6750). A token is looked up by its SHA-256, in memory and in the database, so the
// time of a comparison reveals nothing about the token. Valid tokens are remembered for a few seconds,
// invalid ones never: nobody can fill the memory with guesses.
import { batched, sharing } from "../db/batch.ts";
import type { Database } from "../db/database.ts";
import { reads, slot, sql } from "../db/sql.ts";
import { Problem } from "../errors/problem.ts";
import { type Caller, everybody, nobody } from "../model/caller.ts";
import type { Service } from "../model/model.ts";
import type { Scope } from "../model/scope.ts";
import type { Admission, Deadline } from "./admission.ts";
import { isToken, sha256 } from "./token.ts";

/** Who sent a valid token. */
interface Known {
  caller: Caller;
  /** When to look the token up again, on the clock of `performance.now()`. */
  until: number;
}

/** What an endpoint needs. */
export interface Need {
  /** The scope that a token needs. */
  scope?: Scope | undefined;
  /** Whether a request without a token is admitted, too. */
  isOpen: boolean;
}

/** Milliseconds for which a look-up is remembered. A revoked token stops working within 5 s on every
 * instance; the remaining second is for requests that are under way. */
const FRESH = 4000;

/** Makes the function that tells who sends a request by its token, or refuses it with 401 or 403. A token that is
 * sent has to be valid also where none is needed: who holds one that has ended must not quietly see less. It
 * answers at once for a token that is remembered; a look-up in the database takes a seat. */
export function access({ database, metrics }: Service, { seated }: Admission) {
  const find = tokenFinder(database, metrics.batches("find token"));
  const known = new Map<string, Known>();
  const lookUps = new Map<string, Promise<Known | undefined>>();

  function callerOf(token: string, deadline: Deadline): Caller | Promise<Caller> {
    if (!isToken(token)) throw invalidToken();
    const hash = sha256(token);
    const found = known.get(hash);
    if (found && found.until > performance.now()) return found.caller;
    return seated(deadline, () => lookUp(hash)).then((found) => {
      if (found) return found.caller;
      throw invalidToken();
    });
  }

  /** Requests with the same token share one look-up. */
  function lookUp(hash: string): Promise<Known | undefined> {
    const pending = lookUps.get(hash) ?? find(hash).then((found) => remember(hash, found))
      .finally(() => lookUps.delete(hash));
    lookUps.set(hash, pending);
    return pending;
  }

  function remember(hash: string, found: Known | undefined): Known | undefined {
    if (found) known.set(hash, found);
    else known.delete(hash);
    return found;
  }

  return (
    headers: Headers,
    { scope, isOpen }: Need,
    deadline: Deadline,
  ): Caller | Promise<Caller> => {
    const [, token] = /^Bearer +(.*)$/i.exec(headers.get("authorization") ?? "") ?? [];
    if (token === undefined) {
      if (isOpen) return nobody;
      throw unauthorized("This path needs a token", {});
    }
    const caller = callerOf(token, deadline);
    return caller instanceof Promise
      ? caller.then((caller) => admit(caller, scope))
      : admit(caller, scope);
  };
}

/** The caller, if its token has the scope. */
function admit(caller: Caller, scope: Scope | undefined): Caller {
  if (!scope || caller.scopes?.includes(scope)) return caller;
  throw new Problem("insufficient_scope", `This method needs a token with the scope "${scope}"`, {
    headers: challenge({ error: "insufficient_scope", scope }),
  });
}

/** Makes the function that finds a valid token by its hash. */
function tokenFinder(
  database: Database,
  observe: (size: number) => void,
): (hash: string) => Promise<Known | undefined> {
  return batched(async (hashes: string[]) => {
    const now = performance.now();
    const found = new Map<string, Known>();
    for (const row of await database.run(findTokens, { hashes: JSON.stringify(hashes) })) {
      const until = now + Math.min(FRESH, row.rest ?? Infinity);
      const scopes = row.scopes.split(" ") as Scope[];
      const caller = { ...everybody, id: `token ${row.id}`, scopes };
      found.set(row.hash, { caller, until });
    }
    return hashes.map((hash) => found.get(hash));
  }, { ...sharing(database, "reads"), observe });
}

/** What tells who sends a request. */
export const tokenTable = {
  name: "relata_token",
  columns: ["id", "sha256", "scopes", "expires_at", "revoked_at"],
};

export const findTokens = reads<
  { hashes: string },
  { hash: string; id: number; scopes: string; rest: number | null }
>(
  "find token",
  sql`
    select
      sha256 as hash,
      id,
      array_to_string(scopes, ' ') as scopes,
      extract(epoch from expires_at - now())::double precision * 1000 as rest
    from relata_token
    where sha256 in (select json_array_elements_text(${slot("hashes", "json")}))
      and revoked_at is null
      and (expires_at is null or expires_at > now())`,
);

function invalidToken(): Problem {
  return unauthorized("The token is not valid", { error: "invalid_token" });
}

function unauthorized(detail: string, parameters: Record<string, string>): Problem {
  return new Problem("unauthorized", detail, { headers: challenge(parameters) });
}

/** The header that tells a client what to send (RFC 6750, section 3). */
function challenge(parameters: Record<string, string>): Record<string, string> {
  const pairs = Object.entries({ realm: "relata", ...parameters })
    .map(([name, value]) => `${name}="${value}"`);
  return { "WWW-Authenticate": `Bearer ${pairs.join(", ")}` };
}
