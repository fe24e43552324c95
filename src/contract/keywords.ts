// The scan: which keywords of a schema the rules know, with values of the form that they judge. A
// schema with any other is compared as text.
import { elements, isObject, literal, type Members } from "./json.ts";
import { isLimit } from "./limits.ts";
import { isNote } from "./text.ts";
import { typesNamed } from "./types.ts";

const isBoolean = (value: unknown) => typeof value === "boolean";
const isSchema = (value: unknown) => isObject(value) || isBoolean(value);

const judged: Record<string, (value: unknown) => boolean> = {
  $ref: (value) => typeof value === "string",
  allOf: (value) => Array.isArray(value) && value.every(isSchema),
  oneOf: (value) => nonNull(value).length === 1,
  anyOf: (value) => nonNull(value).length === 1,
  type: (value) => typesNamed(value).length > 0,
  nullable: isBoolean,
  enum: Array.isArray,
  const: () => true,
  properties: (value) => isObject(value) && Object.values(value).every(isSchema),
  required: Array.isArray,
  // Every name is a text, as some generators say.
  propertyNames: (value) => literal(value) === literal({ type: "string" }),
  additionalProperties: isSchema,
  items: isSchema,
  readOnly: isBoolean,
  writeOnly: isBoolean,
};

/** The keywords that no rule judges. */
export function unjudgedIn(schema: Members): string[] {
  return Object.entries(schema)
    .filter(([keyword, value]) => {
      const isJudged = Object.hasOwn(judged, keyword) && judged[keyword]!(value);
      return !isJudged && !isNote(keyword) && !isLimit(keyword, value);
    })
    .map(([keyword]) => keyword);
}

/** The forms of a union but null: where there is one, the union says only that it may be null. */
export function nonNull(union: unknown): unknown[] {
  return elements(union).filter((form) =>
    !(isObject(form) && form["type"] === "null" && Object.keys(form).length === 1)
  );
}
