// Tokens for the tests, stored as `relata token` does it.
import type postgres from "postgres";
import { newToken, type Scope, sha256, withIncluded } from "./house.ts";

export interface Wishes {
  scope?: Scope;
  /** Seconds until it expires. */
  lasts?: number;
  revoked?: boolean;
  /** Whom it stands for. */
  claims?: object;
}

/** Makes a token and resolves to what a client sends. */
export async function grant(
  sql: postgres.Sql,
  { scope = "read", lasts, revoked = false, claims }: Wishes = {},
): Promise<string> {
  const token = newToken();
  await sql`
    insert into relata_token (sha256, scopes, claims, expires_at, revoked_at)
    values (
      ${sha256(token)},
      ${withIncluded(scope)}::text[],
      ${claims === undefined ? null : JSON.stringify(claims)}::text::json,
      now() + make_interval(secs => ${lasts ?? null}),
      case when ${revoked} then now() end
    )`;
  return token;
}

/** The header that a token is sent in. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
