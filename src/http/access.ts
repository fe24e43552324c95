// Who may ask (RFC 6750). Tokens are looked up by their SHA-256, in the database and in memory: how
// long a comparison takes tells of a hash that nobody can choose, never of a token. A valid token is
// remembered for a while, an invalid one never, so that nobody can fill the memory with guesses.
import { batched, SHARED } from "../db/batch.ts";
import type { Database } from "../db/database.ts";
import { reads, slot, sql } from "../db/sql.ts";
import type { Service } from "../model/model.ts";
import { Problem } from "../problem.ts";
import { isToken, type Scope, sha256 } from "../token.ts";
import type { Admission, Ticket } from "./admission.ts";

/** What a valid token stands for. */
interface Grant {
  id: number;
  scopes: Scope[];
  /** When the database has to be asked again, as `performance.now()` counts. */
  until: number;
}

/** Milliseconds that a token is taken for valid, counted from before the database is asked. A revoked
 * one has to stop within 5 s on every instance; the rest of them is for what is under way. */
const FRESH = 4000;

/** Makes what lets a request in, or refuses it with 401 or 403. Asking the database takes a seat. */
export function access({ database, metrics }: Service, { seated }: Admission) {
  const find = tokenFinder(database, metrics.batches("find token"));
  const granted = new Map<string, Grant>();
  const sought = new Map<string, Promise<Grant | undefined>>();

  async function grantOf(hash: string, ticket: Ticket): Promise<Grant | undefined> {
    const known = granted.get(hash);
    if (known && known.until > performance.now()) return known;
    return await seated(ticket, () => seek(hash));
  }

  /** Requests with the same token share one look-up. */
  function seek(hash: string): Promise<Grant | undefined> {
    const seeking = sought.get(hash) ?? find(hash).then((found) => remember(hash, found))
      .finally(() => sought.delete(hash));
    sought.set(hash, seeking);
    return seeking;
  }

  function remember(hash: string, found: Grant | undefined): Grant | undefined {
    if (found) granted.set(hash, found);
    else granted.delete(hash);
    return found;
  }

  return async (headers: Headers, scope: Scope, ticket: Ticket): Promise<Grant> => {
    const [, token] = /^Bearer +(.*)$/i.exec(headers.get("authorization") ?? "") ?? [];
    if (token === undefined) throw unauthorized("This path needs a token", {});
    const grant = isToken(token) ? await grantOf(sha256(token), ticket) : undefined;
    if (!grant) throw unauthorized("The token is not valid", { error: "invalid_token" });
    if (grant.scopes.includes(scope)) return grant;
    throw new Problem("insufficient_scope", `This method needs a token with the scope "${scope}"`, {
      headers: challenge({ error: "insufficient_scope", scope }),
    });
  };
}

/** Makes what finds a valid token by its hash. */
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
  }, { ...SHARED, observe });
}

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
    where sha256 in (select json_array_elements_text(${slot("hashes", "text")}::json))
      and revoked_at is null
      and (expires_at is null or expires_at > now())`,
);

function unauthorized(detail: string, parameters: Record<string, string>): Problem {
  return new Problem("unauthorized", detail, { headers: challenge(parameters) });
}

/** How a client is told what to send (RFC 6750, section 3). */
function challenge(parameters: Record<string, string>): Record<string, string> {
  const told = Object.entries({ realm: "relata", ...parameters })
    .map(([name, value]) => `${name}="${value}"`);
  return { "WWW-Authenticate": `Bearer ${told.join(", ")}` };
}
