// What a schema admits, as a union of alternatives of one type each.
import { common, settled, valuesOf } from "./enumeration.ts";
import { elements, isObject, literal, type Members, members } from "./json.ts";
import { type Condition, conditions, isLimit, type Type, types } from "./limits.ts";
import { isAnnotation } from "./same.ts";

/** What must hold together: schemas as documents write them, nothing where everything goes. */
export type Schema = readonly Members[];

/** A keyword that no rule judges. */
export interface Unjudged {
  keyword: string;
  value: unknown;
}

/** Values of one type, and all that must hold for them. */
export interface Alternative {
  type: Type;
  /** Numbers: whether they are integers. */
  whole: boolean;
  /** The literals of an enumeration; undefined where there is none. */
  values: ReadonlySet<string> | undefined;
  conditions: readonly Condition[];
  /** Objects: the schema of each listed member, and of every other one. */
  members: ReadonlyMap<string, Schema>;
  required: ReadonlySet<string>;
  additional: Schema;
  /** Arrays: the schema of every element. */
  items: Schema;
  unjudged: readonly Unjudged[];
  readOnly: boolean;
  writeOnly: boolean;
  deprecated: boolean;
  /** The literal of the default; undefined where there is none. */
  fallback: string | undefined;
}

/** All that a schema admits. */
export type Union = readonly Alternative[];

/** The schema that admits nothing, which documents write as `false`. */
const nothing: Members = { not: {} };

/** A schema where a document has one, or a boolean instead, or none. */
export function schemaOf(value: unknown): Schema {
  if (value === false) return [nothing];
  return isObject(value) ? [value] : [];
}

/** The keywords with a rule, and whether a value has the form that the rule judges. */
const judged: Record<string, (value: unknown) => boolean> = {
  type: (value) => typesIn(value).every((name) => name === "integer" || isType(name)),
  enum: Array.isArray,
  const: () => true,
  nullable: (value) => typeof value === "boolean",
  allOf: Array.isArray,
  oneOf: Array.isArray,
  anyOf: Array.isArray,
  properties: isObject,
  required: Array.isArray,
  additionalProperties: isSchema,
  items: isSchema,
  $ref: (value) => typeof value === "string",
};

/** Keywords that say nothing of their own schema: they hold other ones, or describe. */
const held = new Set(["$ref", "allOf", "oneOf", "anyOf"]);
const flags = new Set(["default", "deprecated", "readOnly", "writeOnly"]);

/** What a schema admits that says nothing. */
export const anything: Union = types.map((type) => ({
  type,
  whole: false,
  values: undefined,
  conditions: [],
  members: new Map(),
  required: new Set(),
  additional: [],
  items: [],
  unjudged: [],
  readOnly: false,
  writeOnly: false,
  deprecated: false,
  fallback: undefined,
}));

/** What a schema's own keywords admit. */
export function plain(schema: Members): Union {
  if (schema === nothing) return [];
  if (Object.keys(schema).every(isSilent)) return anything;
  const names = typesIn(schema["type"]).filter((name) => name === "integer" || isType(name));
  const whole = names.includes("integer") && !names.includes("number");
  const said = {
    unjudged: unjudgedIn(schema),
    readOnly: schema["readOnly"] === true,
    writeOnly: schema["writeOnly"] === true,
    deprecated: schema["deprecated"] === true,
    fallback: Object.hasOwn(schema, "default") ? literal(schema["default"]) : undefined,
  };
  return anything
    .filter(({ type }) =>
      names.length === 0 || names.includes(type) || (type === "number" && names.includes("integer"))
    )
    .map((alternative) =>
      settled({
        ...alternative,
        ...said,
        whole: alternative.type === "number" && whole,
        values: valuesOf(schema, alternative.type),
        conditions: conditions(schema, alternative.type),
        ...(alternative.type === "object" ? ofObject(schema) : {}),
        ...(alternative.type === "array" ? { items: schemaOf(schema["items"]) } : {}),
      })
    )
    .filter(isPossible);
}

function ofObject({ properties, required, additionalProperties }: Members) {
  const all = Object.entries(members(properties));
  return {
    members: new Map(all.map(([name, member]) => [name, schemaOf(member)])),
    required: new Set(elements(required).map(String)),
    additional: schemaOf(additionalProperties),
  };
}

function isSilent(keyword: string): boolean {
  return held.has(keyword) || (isAnnotation(keyword) && !flags.has(keyword));
}

/** Anything, under a keyword that no rule judges. */
export function unjudged(keyword: string, value: unknown): Union {
  return anything.map((alternative) => ({ ...alternative, unjudged: [{ keyword, value }] }));
}

function unjudgedIn(schema: Members): Unjudged[] {
  const { discriminator } = schema;
  const isUnion = Array.isArray(schema["oneOf"]) || Array.isArray(schema["anyOf"]);
  return Object.entries(schema).flatMap(([keyword, value]): Unjudged[] => {
    if (keyword === "discriminator" && isObject(discriminator) && isUnion) {
      return [{ keyword, value: discriminator["propertyName"] }]; // its mapping is in the unions
    }
    if (keyword === "$dynamicRef") return [{ keyword, value: { $ref: value } }];
    const isJudged = isAnnotation(keyword) || isLimit(keyword, value) ||
      (Object.hasOwn(judged, keyword) && judged[keyword]!(value));
    return isJudged ? [] : [{ keyword, value }];
  });
}

/** What meets an alternative of each of two unions. */
export function both(one: Union, other: Union): Union {
  return one.flatMap((a) =>
    other.filter(({ type }) => type === a.type).map((b) =>
      settled({
        type: a.type,
        whole: a.whole || b.whole,
        values: common(a.values, b.values),
        conditions: [...a.conditions, ...b.conditions],
        members: new Map(
          [...a.members.keys(), ...b.members.keys()].map((name) => [
            name,
            unique(a.members.get(name) ?? a.additional, b.members.get(name) ?? b.additional),
          ]),
        ),
        required: new Set([...a.required, ...b.required]),
        additional: unique(a.additional, b.additional),
        items: unique(a.items, b.items),
        unjudged: [...a.unjudged, ...b.unjudged],
        readOnly: a.readOnly || b.readOnly,
        writeOnly: a.writeOnly || b.writeOnly,
        deprecated: a.deprecated || b.deprecated,
        fallback: a.fallback ?? b.fallback,
      })
    )
  ).filter(isPossible);
}

function unique(one: Schema, other: Schema): Schema {
  return [...new Set([...one, ...other])];
}

/** An enumeration without a value of the type leaves nothing of it. */
function isPossible({ values }: Alternative): boolean {
  return values === undefined || values.size > 0;
}

function typesIn(value: unknown): unknown[] {
  return value === undefined ? [] : [value].flat();
}

function isType(name: unknown): name is Type {
  return types.some((type) => type === name);
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === "boolean";
}
