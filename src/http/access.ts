// Bearer tokens (RFC 6750): our own, and JWTs of the issuer. A token of our own is looked up by its SHA-256, in
// memory and in the database, so the time of a comparison reveals nothing about the token. Valid tokens are
// remembered, invalid ones never: nobody can fill the memory with guesses.
import { batched, sharing } from "../db/batch.ts";
import { reads, slot, sql } from "../db/sql.ts";
import { type Caller, everybody, nobody } from "../model/caller.ts";
import type { Service } from "../model/model.ts";
import type { Scope } from "../model/scope.ts";
import type { Log } from "../telemetry/log.ts";
import type { Admission, Deadline } from "./admission.ts";
import { insufficientScope, invalidToken, noToken } from "./challenge.ts";
import { callerIn } from "./claims.ts";
import { jwtVerifier, type Verified } from "./jwt.ts";
import { issuerKeys } from "./keys.ts";
import { memory } from "./memory.ts";
import { isOwn, isToken, sha256 } from "./token.ts";

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

/** The most tokens that are remembered. */
const MOST = 10_000;

/** Makes the function that tells who sends a request by its token, or refuses it with 401 or 403. A token that is
 * sent has to be valid also where none is needed: who holds one that has ended must not quietly see less. It
 * answers at once for a token that is remembered; a look-up in the database takes a seat. */
export function access(service: Service, { seated }: Admission, log: Log) {
  const find = tokenFinder(service);
  const known = memory<Caller>(MOST);
  const verify = jwts(service, log, known.clear);
  const lookUps = new Map<string, Promise<Verified | undefined>>();

  function callerOf(token: string, deadline: Deadline): Caller | Promise<Caller> {
    const hash = sha256(token);
    return known.get(hash) ?? newCaller(token, hash, deadline);
  }

  async function newCaller(token: string, hash: string, deadline: Deadline): Promise<Caller> {
    const found = isToken(token)
      ? await seated(deadline, () => shared(hash, find))
      : isOwn(token)
      ? undefined
      : await shared(hash, () => verify(token));
    if (found) return found.caller;
    throw invalidToken();
  }

  /** Requests with the same token share one look-up. */
  function shared(hash: string, lookUp: (hash: string) => Promise<Verified | undefined>) {
    const pending = lookUps.get(hash) ?? lookUp(hash).then((found) => remember(hash, found))
      .finally(() => lookUps.delete(hash));
    lookUps.set(hash, pending);
    return pending;
  }

  function remember(hash: string, found: Verified | undefined): Verified | undefined {
    if (found) known.set(hash, found.caller, found.until);
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
      throw noToken();
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
  throw insufficientScope(scope);
}

/** Makes the function that verifies JWTs; where no issuer is known, none is valid. */
function jwts(
  service: Service,
  log: Log,
  onWithdrawal: () => void,
): (token: string) => Promise<Verified | undefined> {
  const { issuer, ending, metrics } = service;
  if (!issuer) return () => Promise.resolve(undefined);
  const keys = issuerKeys(issuer, { log, onWithdrawal, ending });
  metrics.issuer(keys.state);
  return jwtVerifier(issuer, service, keys);
}

/** Makes the function that finds a valid token by its hash. */
function tokenFinder(service: Service): (hash: string) => Promise<Verified | undefined> {
  const { database, metrics } = service;
  const somebody = callerIn(service);
  return batched(async (hashes: string[]) => {
    const now = performance.now();
    const found = new Map<string, Verified>();
    for (const row of await database.run(findTokens, { hashes: JSON.stringify(hashes) })) {
      const scopes = row.scopes.split(" ") as Scope[];
      const who = row.claims === null ? everybody : somebody(JSON.parse(row.claims));
      const caller = { ...who, id: `token ${row.id}`, scopes };
      found.set(row.hash, { caller, until: now + Math.min(FRESH, row.rest ?? Infinity) });
    }
    return hashes.map((hash) => found.get(hash));
  }, { ...sharing(database, "reads"), observe: metrics.batches("find token") });
}

/** What tells who sends a request. */
export const tokenTable = {
  name: "relata_token",
  columns: ["id", "sha256", "scopes", "claims", "expires_at", "revoked_at"],
};

export const findTokens = reads<
  { hashes: string },
  { hash: string; id: number; scopes: string; claims: string | null; rest: number | null }
>(
  "find token",
  sql`
    select
      sha256 as hash,
      id,
      array_to_string(scopes, ' ') as scopes,
      claims::text as claims,
      extract(epoch from expires_at - now())::double precision * 1000 as rest
    from relata_token
    where sha256 in (select json_array_elements_text(${slot("hashes", "json")}))
      and revoked_at is null
      and (expires_at is null or expires_at > now())`,
);
