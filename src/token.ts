// A token: 256 random bits after a prefix that people and secret scanners recognize. The database keeps
// only its SHA-256.
import { hash, randomBytes } from "node:crypto";

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

const PATTERN = /^relata_[\w-]{43}$/;

export function newToken(): string {
  return `relata_${randomBytes(32).toString("base64url")}`;
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return PATTERN.test(text);
}

/** The SHA-256 of a token in hexadecimal, as the database keeps it. */
export function sha256(token: string): string {
  return hash("sha256", token, "hex");
}

/** A scope and those it includes. */
export function withIncluded(scope: Scope): Scope[] {
  return scopes.slice(0, scopes.indexOf(scope) + 1);
}
