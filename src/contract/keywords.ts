// The keywords of a schema that the rules can judge, and the form of their values. A schema with any other
// keyword is compared as text.
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
  // Some generators state that every name is a text
  propertyNames: (value) => literal(value) === literal({ type: "string" }),
  additionalProperties: isSchema,
  items: isSchema,
  readOnly: isBoolean,
  writeOnly: isBoolean,
};

/** The keywords that no rule judges, in a document of 3.0 or a newer one. Some readers follow the keywords of
 * the other version too, so these are not judged either. */
export function unjudgedIn(schema: Members, isOld: boolean): string[] {
  const keywords = Object.entries(schema).filter(([keyword]) => !isNote(keyword));
  return keywords
    .filter(([keyword, value]) => {
      const isJudged = Object.hasOwn(judged, keyword) && judged[keyword]!(value);
      const isOther = isOld ? keyword === "$ref" && keywords.length > 1 : keyword === "nullable";
      return isOther || (!isJudged && !isLimit(keyword, value));
    })
    .map(([keyword]) => keyword);
}

/** The forms of a union, without null. If there is only one, the union means that the value may be null. */
export function nonNull(union: unknown): unknown[] {
  return elements(union).filter((form) =>
    !(isObject(form) && form["type"] === "null" && Object.keys(form).length === 1)
  );
}
