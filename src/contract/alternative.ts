// What a schema admits, as a union of alternatives of one type each. References, `allOf`, `oneOf`,
// `anyOf`, `nullable` and lists of types all come down to it, so that two documents that say the
// same in different words are compared as the same.
import { type Document, isReference, resolve } from "./document.ts";
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

/** Reads the schemas of one document. */
export interface Reader {
  alternatives(schema: Schema): readonly Alternative[];
  /** A text that is the same for the same schema. */
  key(schema: Schema): string;
}

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

/** What no schema at all admits. */
const anything: readonly Alternative[] = plain({});

export function reader(document: Document): Reader {
  const numbers = new WeakMap<Members, number>();
  const known = new Map<string, readonly Alternative[]>();
  const expanded = new WeakMap<Members, readonly Alternative[]>();
  let count = 0;

  return { alternatives, key };

  function key(schema: Schema): string {
    return schema.map(numbered).sort((one, other) => one - other).join();
  }

  function numbered(schema: Members): number {
    const number = numbers.get(schema) ?? ++count;
    numbers.set(schema, number);
    return number;
  }

  function alternatives(schema: Schema): readonly Alternative[] {
    const name = key(schema);
    const found = known.get(name) ??
      (schema.length === 0 ? anything : schema.map((one) => expand(one, new Set())).reduce(both));
    known.set(name, found);
    return found;
  }

  function expand(schema: Members, trail: ReadonlySet<Members>): readonly Alternative[] {
    if (schema === nothing) return [];
    if (trail.has(schema)) return unjudged("$ref", "a schema that consists of itself");
    const found = expanded.get(schema) ?? expandOnce(schema, new Set([...trail, schema]));
    expanded.set(schema, found);
    return found;
  }

  function expandOnce(schema: Members, trail: ReadonlySet<Members>): readonly Alternative[] {
    const expandAny = (one: unknown) => {
      const [inner] = schemaOf(one);
      return inner ? expand(inner, trail) : anything;
    };
    const parts = [plain(schema), ...elements(schema["allOf"]).map(expandAny)];
    for (const union of unions(schema)) parts.push(union.flatMap(expandAny));
    if (isReference(schema)) {
      const target = resolve(document, schema);
      parts.push(isReference(target) ? unjudged("$ref", target.$ref) : expandAny(target));
    }
    const admitted = parts.reduce(both);
    // Taken as authors mean it, also beside `allOf` or an enumeration without null.
    if (schema["nullable"] !== true || admitted.some(({ type }) => type === "null")) {
      return admitted;
    }
    return [...admitted, ...plain({ type: "null" })];
  }
}

/** The unions of a schema. The values that a discriminator maps to a component hold only there. */
function unions(schema: Members): unknown[][] {
  const lists = [schema["oneOf"], schema["anyOf"]].filter(Array.isArray);
  const { propertyName, mapping } = members(schema["discriminator"]);
  if (typeof propertyName !== "string" || !isObject(mapping)) return lists;
  return lists.map((list) =>
    list.map((one) => {
      const values = Object.keys(mapping).filter((value) => refersTo(one, mapping[value]));
      if (values.length === 0) return one;
      return { allOf: [one, { properties: { [propertyName]: { enum: values } } }] };
    })
  );
}

/** Whether a value of a mapping, a reference or the bare name of a component, means a schema. */
function refersTo(schema: unknown, target: unknown): boolean {
  if (!isReference(schema)) return false;
  return schema.$ref === target || schema.$ref === `#/components/schemas/${target}`;
}

/** What a schema's own keywords admit. */
function plain(schema: Members): Alternative[] {
  const names = typesIn(schema["type"]).filter((name) => name === "integer" || isType(name));
  const admitted = types.filter((type) =>
    names.length === 0 || names.includes(type) || (type === "number" && names.includes("integer"))
  );
  const whole = names.includes("integer") && !names.includes("number");
  const unjudged = unjudgedIn(schema);
  const { properties, required, additionalProperties, items } = schema;
  return admitted.map((type) => ({
    type,
    whole: type === "number" && (whole || isEnumerationOfIntegers(schema)),
    values: valuesOf(schema, type, whole),
    conditions: conditions(schema, type),
    members: new Map(
      isObject(properties)
        ? Object.entries(properties).map(([name, member]) => [name, schemaOf(member)])
        : [],
    ),
    required: new Set(elements(required).map(String)),
    additional: schemaOf(additionalProperties),
    items: schemaOf(items),
    unjudged,
    readOnly: schema["readOnly"] === true,
    writeOnly: schema["writeOnly"] === true,
    deprecated: schema["deprecated"] === true,
    fallback: Object.hasOwn(schema, "default") ? literal(schema["default"]) : undefined,
  })).filter(isPossible);
}

/** Anything, under a keyword that no rule judges. */
function unjudged(keyword: string, value: unknown): readonly Alternative[] {
  return anything.map((alternative) => ({ ...alternative, unjudged: [{ keyword, value }] }));
}

function unjudgedIn(schema: Members): Unjudged[] {
  const { discriminator } = schema;
  return Object.entries(schema).flatMap(([keyword, value]): Unjudged[] => {
    if (keyword === "discriminator" && isObject(discriminator) && unions(schema).length > 0) {
      return [{ keyword, value: discriminator["propertyName"] }]; // its mapping is in the unions
    }
    const isJudged = isAnnotation(keyword) || isLimit(keyword, value) ||
      (Object.hasOwn(judged, keyword) && judged[keyword]!(value));
    return isJudged ? [] : [{ keyword, value }];
  });
}

function valuesOf(schema: Members, type: Type, whole: boolean): Set<string> | undefined {
  const lists = [
    ...(Array.isArray(schema["enum"]) ? [schema["enum"]] : []),
    ...(Object.hasOwn(schema, "const") ? [[schema["const"]]] : []),
  ];
  const [first, ...rest] = lists.map((list) =>
    list.filter((value) => typeOf(value) === type && !(whole && !Number.isInteger(value)))
      .map(literal)
  );
  const values = first && new Set(first.filter((one) => rest.every((list) => list.includes(one))));
  return type === "boolean" && values?.size === 2 ? undefined : values; // false and true are all
}

function isEnumerationOfIntegers(schema: Members): boolean {
  const values = valuesOf(schema, "number", false);
  return values !== undefined && [...values].every((value) => Number.isInteger(Number(value)));
}

/** What meets an alternative of each of two unions. */
function both(
  one: readonly Alternative[],
  other: readonly Alternative[],
): readonly Alternative[] {
  return one.flatMap((a) =>
    other.filter(({ type }) => type === a.type).map((b): Alternative => ({
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
    }))
  ).filter(isPossible);
}

function common(
  one: ReadonlySet<string> | undefined,
  other: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return one && other ? new Set([...one].filter((value) => other.has(value))) : one ?? other;
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

function typeOf(value: unknown): unknown {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
