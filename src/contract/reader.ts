// Reads the schemas of one document. References, `allOf`, `oneOf`, `anyOf`, `nullable` and lists of
// types all come down to a union, so that two documents that say the same in different words are
// compared as the same.
import { hash } from "node:crypto";
import {
  anything,
  both,
  plain,
  type Schema,
  schemaOf,
  type Union,
  unjudged,
} from "./alternative.ts";
import { unions } from "./discriminator.ts";
import { type Document, isReference, resolve } from "./document.ts";
import { merged } from "./enumeration.ts";
import { elements, literal, type Members } from "./json.ts";

/** What a schema admits: the same union, and not one like it, for the same schema. */
export type Reader = (schema: Schema) => Union;

/** Alternatives of one schema beyond which it is not judged. */
const MANY_ALTERNATIVES = 500;

/** Combinations of alternatives in one document, beyond which it is judged as a whole where others
 * are called for: schemas that combine each other do so without end. */
const MANY_COMBINATIONS = 10_000;

const none: ReadonlySet<Members> = new Set();

export function reader(document: Document): Reader {
  const expanded = new WeakMap<Members, Union>();
  const combined = new Map<string, Union>();
  const numbers = new WeakMap<Members, number>();
  let count = 0;
  let combinations = 0;
  let whole: string | undefined;

  return (schema) => {
    if (schema.length === 0) return anything;
    if (schema.length === 1) return expand(schema[0]!, none);
    const key = schema.map(numbered).sort((one, other) => one - other).join();
    const union = combined.get(key) ??
      combine(schema.map((one) => expand(one, none)), "allOf", schema);
    combined.set(key, union);
    return union;
  };

  function numbered(schema: Members): number {
    const number = numbers.get(schema) ?? ++count;
    numbers.set(schema, number);
    return number;
  }

  function expand(schema: Members, trail: ReadonlySet<Members>): Union {
    const known = expanded.get(schema);
    if (known) return known;
    if (trail.has(schema)) return unjudged("$ref", "a schema that consists of itself");
    const union = expandOnce(schema, new Set([...trail, schema]));
    expanded.set(schema, union);
    return union;
  }

  function expandOnce(schema: Members, trail: ReadonlySet<Members>): Union {
    const expandAny = (one: unknown) => {
      const [inner] = schemaOf(one);
      return inner ? expand(inner, trail) : anything;
    };
    const parts = [plain(schema), ...elements(schema["allOf"]).map(expandAny)];
    for (const [keyword, schemas] of unions(document, schema)) {
      const union = merged(schemas.flatMap(expandAny));
      parts.push(union.length > MANY_ALTERNATIVES ? unjudged(keyword, schemas) : union);
    }
    if (isReference(schema)) {
      const target = resolve(document, schema);
      parts.push(isReference(target) ? unjudged("$ref", target.$ref) : expandAny(target));
    }
    const admitted = combine(parts, "allOf", schema);
    // Taken as authors mean it, also beside `allOf` or an enumeration without null.
    if (schema["nullable"] !== true || admitted.some(({ type }) => type === "null")) {
      return admitted;
    }
    return [...admitted, ...plain({ type: "null" })];
  }

  /** What meets every one of some unions. Unions of many alternatives multiply without end. */
  function combine(unions: readonly Union[], keyword: string, value: unknown): Union {
    return unions.reduce((one, other) => {
      if (one === anything || other === anything) return one === anything ? other : one;
      const pairs = one.reduce(
        (sum, { type }) => sum + other.filter((b) => b.type === type).length,
        0,
      );
      combinations += Math.min(pairs, MANY_ALTERNATIVES);
      if (combinations > MANY_COMBINATIONS) return unjudged(keyword, whole ??= digest(document));
      return pairs > MANY_ALTERNATIVES ? unjudged(keyword, value) : both(one, other);
    }, anything);
  }
}

/** What differs where the texts of two documents do. */
function digest({ paths, components }: Document): string {
  return hash("sha256", literal({ paths, components }), "hex");
}
