// Opaque texts: JSON that clients send back as they got it, in cursors and positions.
import { Buffer } from "node:buffer";
import * as v from "valibot";

/** An identifier in such a text: any `bigint`, because an older table may have one that no path reads. */
export const identifierInside = v.pipe(
  v.string(),
  v.check((text) => /^(0|-?[1-9]\d{0,18})$/.test(text) && isBigint(BigInt(text))),
);

function isBigint(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

export function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The value in a text; undefined if there is none. */
export function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}
