// Values that are wrong somewhere in a request.
import fc from "fast-check";
import { character, headerText, isSegment, type Json, timeless, unstorable } from "./arbitrary.ts";

/** Text of any kind, some of which means something to some layer. */
export const wildText = fc.oneof(
  fc.string({ unit: character }),
  unstorable,
  fc.constantFrom("", "null", "NaN", "-1", "1e3", "' or 1=1 --", "${1}", "{{7*7}}", "../../etc"),
  fc.nat(3000).map((length) => "a".repeat(length)),
);

/** Text of any kind that can stand in a header. */
export const wildHeader = fc.oneof(
  headerText,
  fc.constantFrom("*", "*/*", "*;q=0", "application/json", "text/html", "gzip", "null"),
);

/** Texts that a parameter refuses. */
export function outside(schema: Json): fc.Arbitrary<string> {
  if (schema.enum) return wildText.filter((value) => !schema.enum.includes(value));
  if (schema.format === "uuid") return wildText.filter(isSegment);
  if (schema.type === "integer") {
    const numbers = ["01", "1.0", "+1", "1e3", "0x1", " 1", "1 ", "١"];
    const beyond = ["-0", "9".repeat(30), String(schema.minimum - 1), String(schema.maximum + 1)];
    return fc.oneof(
      fc.constantFrom(...numbers, ...(schema.maximum === undefined ? [] : beyond)),
      wildText.filter((value) => !/^-?[0-9]+$/.test(value) && isSegment(value)),
    );
  }
  const unstored = unstorable.map((text) => `${text}\0`);
  return schema.format === undefined ? unstored : fc.oneof(unstored, timeless);
}

/** Methods that a path lacks. */
export function otherMethods(methods: string[]): fc.Arbitrary<string> {
  const others = ["POST", "PUT", "PATCH", "DELETE", "PURGE", "PROPFIND"];
  return fc.constantFrom(...others.filter((method) => !methods.includes(method)));
}

/** What no path answers in. */
export const unacceptable = fc.constantFrom(
  "text/nothing",
  "image/*",
  "*/*;q=0",
  "application/jsonp, image/png;q=0.5",
  "application",
  ";",
);

/** Media types other than those that are taken. */
export function otherMediaTypes(taken: string[]): fc.Arbitrary<string> {
  const others = [
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/merge-patch+json",
    "application/json; charset=utf-16",
    "application/json, application/json",
    "application/json-seq",
  ];
  return fc.constantFrom(...others.filter((type) => !taken.includes(type)));
}

/** Bodies that are no JSON text in UTF-8. */
export const malformed: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "{,}",
    "{'name':1}",
    '{"name":01}',
    "NaN",
    "[1,]",
    "\ufeff\ufeff{}",
    "{}{}",
    "//",
  ),
  fc.constantFrom([0xff], [0xc0, 0x80], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x7b, 0x00, 0x7d, 0x00])
    .map((bytes) => Uint8Array.from(bytes)),
);

/** A body whose numbers are spelt as no writer of JSON would. */
export function spelt(value: Json): string {
  return JSON.stringify(value).replaceAll(/:(\d+)/g, ":$1.0e0").replace(/e0/, "e400");
}
