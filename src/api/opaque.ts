// Opaque texts: JSON that clients send back as they got it, in cursors and positions.
import { Buffer } from "node:buffer";

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
