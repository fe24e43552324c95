// The parts of the document, and how they refer to each other.

/** A JSON Schema, or any other object of the document. */
export type Json = { [name: string]: unknown };

export function reference(kind: "schemas" | "responses" | "headers", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}
