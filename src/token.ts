// What a token is: 256 random bits behind a prefix that people and scanners know it by. The database
// keeps its SHA-256 alone.
import { hash, randomBytes } from "node:crypto";

/** What a token lets its bearer do, least first; each includes those before it, since a write answers
 * with what it stored. */
export const scopes = ["read", "write"] as const;

export type Scope = (typeof scopes)[number];

/** What a token needs for each method of a resource. */
export const scopeOf = {
  GET: "read",
  POST: "write",
  PUT: "write",
  PATCH: "write",
  DELETE: "write",
} as const satisfies Record<string, Scope>;

const PATTERN = /^relata_[\w-]{43}$/;

export function newToken(): string {
  return `relata_${randomBytes(32).toString("base64url")}`;
}

/** Whether a text can be a token at all. */
export function isToken(text: string): boolean {
  return PATTERN.test(text);
}

/** What the database knows a token by, in hexadecimal. */
export function sha256(token: string): string {
  return hash("sha256", token, "hex");
}

/** A scope and those it includes. */
export function withIncluded(scope: Scope): Scope[] {
  return scopes.slice(0, scopes.indexOf(scope) + 1);
}
