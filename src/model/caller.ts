// Who sends a request, as its token says.
import type { Scope } from "./scope.ts";

/** Who sends a request. A service sees every row, as far as its scopes go: everybody where AUTH=off, and tokens
 * of our own without claims. Somebody is who a JWT, or a token of our own with claims, stands for. Nobody sent
 * no token. */
export interface Caller {
  kind: "service" | "somebody" | "nobody";
  /** What its requests are counted by and its Idempotency-Keys kept under: `token 3`, or issuer and subject; ""
   * for nobody, and where tokens are not asked for. */
  id: string;
  /** The subject; null if it stands for nobody. */
  subject: string | null;
  roles: readonly string[];
  /** What its token says, as far as a declaration names it: by the name, or by the JSON pointer. */
  claims: Readonly<Record<string, unknown>>;
  /** What its token allows; undefined where tokens are not asked for. */
  scopes: readonly Scope[] | undefined;
}

/** What people know a caller by: the subject, or `token 3`; null where tokens are not asked for. */
export function callerName({ subject, id }: Caller): string | null {
  return subject ?? (id || null);
}

const bare = { id: "", subject: null, roles: [], claims: {} } as const;

/** Everybody, where tokens are not asked for. */
export const everybody: Caller = { ...bare, kind: "service", scopes: undefined };

/** Who sent no token. */
export const nobody = { ...bare, kind: "nobody", scopes: [] } as const satisfies Caller;
