// Bearer tokens (RFC 6750). A token is looked up by its SHA-256, in memory and in the database, so the
// time of a comparison reveals nothing about the token. Valid tokens are remembered for a few seconds,
// invalid ones never: nobody can fill the memory with guesses.
import { batched, sharing } from "../db/batch.ts";
import type { Database } from "../db/database.ts";
import { reads, slot, sql } from "../db/sql.ts";
import { Problem } from "../errors/problem.ts";
import type { Service } from "../model/model.ts";
import type { Scope } from "../model/scope.ts";
import type { Admission, Deadline } from "./admission.ts";
import { isToken, sha256 } from "./token.ts";

/** The rights of a valid token. */
interface Grant {
  id: number;
  scopes: Scope[];
  /** When to look the token up again, on the clock of `performance.now()`. */
  until: number;
}

/** Milliseconds for which a look-up is remembered. A revoked token stops working within 5 s on every
 * instance; the remaining second is for requests that are under way. */
const FRESH = 4000;

/** Makes the function that admits a request by its token, or refuses it with 401 or 403. Without a scope,
 * none needs to be sent, but one that is sent has to be valid. A look-up in the database takes a seat. */
export function access({ database, metrics }: Service, { seated }: Admission) {
  const find = tokenFinder(database, metrics.batches("find token"));
  const granted = new Map<string, Grant>();
  const lookUps = new Map<string, Promise<Grant | undefined>>();

  async function grantOf(hash: string, deadline: Deadline): Promise<Grant | undefined> {
    const known = granted.get(hash);
    if (known && known.until > performance.now()) return known;
    return await seated(deadline, () => lookUp(hash));
  }

  /** Requests with the same token share one look-up. */
  function lookUp(hash: string): Promise<Grant | undefined> {
    const pending = lookUps.get(hash) ?? find(hash).then((found) => remember(hash, found))
      .finally(() => lookUps.delete(hash));
    lookUps.set(hash, pending);
    return pending;
  }

  function remember(hash: string, found: Grant | undefined): Grant | undefined {
    if (found) granted.set(hash, found);
    else granted.delete(hash);
    return found;
  }

  return async (
    headers: Headers,
    scope: Scope | undefined,
    deadline: Deadline,
  ): Promise<Grant | undefined> => {
    const [, token] = /^Bearer +(.*)$/i.exec(headers.get("authorization") ?? "") ?? [];
    if (token === undefined) {
      if (!scope) return undefined;
      throw unauthorized("This path needs a token", {});
    }
    const grant = isToken(token) ? await grantOf(sha256(token), deadline) : undefined;
    if (!grant) throw unauthorized("The token is not valid", { error: "invalid_token" });
    if (!scope || grant.scopes.includes(scope)) return grant;
    throw new Problem("insufficient_scope", `This method needs a token with the scope "${scope}"`, {
      headers: challenge({ error: "insufficient_scope", scope }),
    });
  };
}

/** Makes the function that finds a valid token by its hash. */
function tokenFinder(
  database: Database,
  observe: (size: number) => void,
): (hash: string) => Promise<Grant | undefined> {
  return batched(async (hashes: string[]) => {
    const now = performance.now();
    const found = new Map<string, Grant>();
    for (const row of await database.run(findTokens, { hashes: JSON.stringify(hashes) })) {
      const until = now + Math.min(FRESH, row.rest ?? Infinity);
      found.set(row.hash, { id: row.id, scopes: row.scopes.split(" ") as Scope[], until });
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

function unauthorized(detail: string, parameters: Record<string, string>): Problem {
  return new Problem("unauthorized", detail, { headers: challenge(parameters) });
}

/** The header that tells a client what to send (RFC 6750, section 3). */
function challenge(parameters: Record<string, string>): Record<string, string> {
  const pairs = Object.entries({ realm: "relata", ...parameters })
    .map(([name, value]) => `${name}="${value}"`);
  return { "WWW-Authenticate": `Bearer ${pairs.join(", ")}` };
}
