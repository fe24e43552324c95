// What a token allows, and what each method needs.

/** The scopes, the weakest first. Each includes those before it, because a write answers with the row. */
export const scopes = ["read", "write"] as const;

export type Scope = (typeof scopes)[number];

/** The scope that each method of a resource needs. */
export const scopeOf = {
  GET: "read",
  POST: "write",
  PUT: "write",
  PATCH: "write",
  DELETE: "write",
} as const satisfies Record<string, Scope>;

/** A scope and those it includes. */
export function withIncluded(scope: Scope): Scope[] {
  return scopes.slice(0, scopes.indexOf(scope) + 1);
}
