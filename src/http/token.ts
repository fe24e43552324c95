// A token: 256 random bits after a prefix that people and secret scanners recognize. The database keeps
// only its SHA-256.
import { hash, randomBytes } from "node:crypto";

const PATTERN = /^relata_[\w-]{43}$/;

export function newToken(): string {
  return `relata_${randomBytes(32).toString("base64url")}`;
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return PATTERN.test(text);
}

/** Whether a text is meant to be a token of our own. */
export function isOwn(text: string): boolean {
  return text.startsWith("relata_");
}

/** The SHA-256 of a token in hexadecimal, as the database keeps it. */
export function sha256(token: string): string {
  return hash("sha256", token, "hex");
}
