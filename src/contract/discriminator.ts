// The unions of a schema, `oneOf` and `anyOf`, with what a discriminator says of them: the values
// that it knows a component by hold only there.
import { type Document, isReference, resolve } from "./document.ts";
import { elements, isObject, type Members, members } from "./json.ts";

const components = "#/components/schemas/";

/** The schemas of each union, by the keyword that holds them. */
export function unions(document: Document, schema: Members): [keyword: string, unknown[]][] {
  const { propertyName: name, mapping } = members(schema["discriminator"]);
  return ["oneOf", "anyOf"].filter((keyword) => Array.isArray(schema[keyword])).map((keyword) => [
    keyword,
    elements(schema[keyword]).map((one) => {
      if (typeof name !== "string" || !isReference(one)) return one;
      const values = valuesFor(document, one, name, members(mapping));
      return values.length === 0
        ? one
        : { allOf: [one, { properties: { [name]: { enum: values } } }] };
    }),
  ]);
}

/** The values that mean a component: those that are mapped to it, by reference or bare name, else
 * its own name, unless it says itself what the member holds. */
function valuesFor(
  document: Document,
  schema: { $ref: string },
  name: string,
  mapping: Members,
): string[] {
  const { $ref } = schema;
  const mapped = Object.keys(mapping).filter((value) =>
    mapping[value] === $ref || `${components}${mapping[value]}` === $ref
  );
  const isNamed = mapped.length === 0 && $ref.startsWith(components) &&
    isOpen(document, schema, name);
  return isNamed ? [$ref.slice(components.length)] : mapped;
}

/** Whether every string is a value of a member, as far as a schema and its parts say. */
function isOpen(document: Document, value: unknown, name: string, trail = new Set()): boolean {
  const schema = resolve(document, value);
  if (!isObject(schema) || isReference(schema) || trail.has(schema)) return false;
  trail.add(schema);
  const member = members(schema["properties"])[name] ?? {};
  const isPlain = isObject(member) &&
    !["$ref", "allOf", "oneOf", "anyOf", "enum", "const"].some((keyword) => keyword in member);
  const parts = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => elements(schema[keyword]));
  return isPlain && parts.every((part) => isOpen(document, part, name, trail));
}
