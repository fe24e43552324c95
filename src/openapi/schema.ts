// Resources as JSON Schema. Reading and writing have schemas of their own, because a relation is written as
// an identifier and read as an object; a union would allow either.
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { sharedDefault } from "../model/default.ts";
import type { Field, KnownField, Payload, Resource } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import {
  capitalized,
  example,
  exampleKey,
  nestedIn,
  ownedAt,
  withArticle,
} from "../model/resource.ts";
import { mayHide } from "../model/table.ts";
import { propertyExtension } from "./extension.ts";
import { type Json, reference } from "./json.ts";

/** The schemas of a resource that its routes use, by name: `Foo`, `FooWrite`, `FooPatch`, `FooList`. */
export function resourceSchemas(resource: Resource, prefix: string): Record<string, Json> {
  const { title, routes } = resource;
  const operations = Object.values(routes).flat().map((verb) => verb.operation(resource));
  const takes = (...bodies: unknown[]) => operations.some(({ body }) => bodies.includes(body));
  const lists = operations.some(({ answer, of }) => answer.holds === "list" && !of);
  const others = operations.flatMap(({ of }) => of ?? []);
  const candidatesAt = (field: string) => pathOfCandidates(resource, prefix, field);
  const write = writeSchema(resource, candidatesAt);
  const selves = Object.values(resource.relations).filter((relation) =>
    relation.nested && relation.target(resource) === resource
  ).map((relation) => nestedIn(resource, relation));
  return {
    [title]: readSchema(resource, `${capitalized(withArticle(resource))}, as it is read`),
    ...Object.fromEntries(
      selves.map((nested) => [
        nested.title,
        mayHide(resource) ? embeddedSchema(nested) : readSchema(
          nested,
          `${capitalized(withArticle(resource))}, as it is read within another`,
        ),
      ]),
    ),
    ...(takes("write", "batch") && { [writeTitle(resource)]: write }),
    ...(takes("replace") && {
      [`${title}Replacement`]: {
        ...write,
        description:
          `${capitalized(withArticle(resource))}, as it is replaced: its identifier is ` +
          "that of the path",
        required: write.required.filter((name) => !resource.keys.includes(name)),
      },
    }),
    ...(takes("patch") && {
      [`${title}Patch`]: {
        type: "object",
        description: `The fields of ${
          withArticle(resource)
        } to change; the others stay as they are`,
        properties: mapValues(write.properties, ({ default: _, ...property }) => property),
        additionalProperties: false,
        examples: [writeExample(resource)],
      },
    }),
    ...(lists && listSchema(resource)),
    ...Object.assign(
      {},
      ...others.map((other) => ({
        [other.title]: readSchema(other, capitalized(withArticle(other))),
        ...listSchema(other),
      })),
    ),
  };
}

function listSchema(resource: Resource): Record<string, Json> {
  const { title, name } = resource;
  return {
    [`${title}List`]: {
      type: "object",
      description: `A page of ${name}s`,
      properties: {
        items: { type: "array", items: reference("schemas", title) },
        next: nextMember,
        count: {
          type: "integer",
          format: "int64",
          minimum: 0,
          description: "How many rows match, on all pages; there if it was asked for",
        },
        etags: {
          type: "array",
          items: { type: "string" },
          description: "The `ETag` of each item, in their order; there if they were asked for",
        },
      },
      required: ["items", "next"],
      examples: [{ items: [example(resource)], next: null }],
    },
  };
}

/** The schemas of the rows that rows of a resource own, as they are within these. */
export function ownedSchemas(resource: Resource, prefix: string): Record<string, Json> {
  const writes = Object.values(resource.routes).flat().some(({ accepts }) => accepts);
  return Object.fromEntries(
    ownedAt(resource).flatMap(({ path, rows }) => {
      const candidatesAt = (field: string) =>
        pathOfCandidates(resource, prefix, `${path}/${field}`);
      const description = `${capitalized(withArticle(rows))}, as it is read within what owns it`;
      return [
        [rows.title, readSchema(rows, description)] as const,
        ...writes ? [[writeTitle(rows), writeSchema(rows, candidatesAt)] as const] : [],
      ];
    }),
  );
}

/** The path with the candidates of a relation, where a route lists them. */
type CandidatesAt = (field: string) => string | undefined;

function pathOfCandidates(resource: Resource, prefix: string, field: string): string | undefined {
  const path = Object.keys(resource.routes).find((path) =>
    resource.routes[path]!.some((verb) => verb.operation(resource).candidatesOf === field)
  );
  return path === undefined ? undefined : prefix + path;
}

function writeSchema(resource: Resource, candidatesAt: CandidatesAt) {
  const description = `${capitalized(withArticle(resource))}, as it is written${
    resource.owned ? " within what owns it" : ""
  }`;
  return {
    ...payloadSchema(resource, description, candidatesAt),
    examples: [writeExample(resource)],
  };
}

/** The schema of what clients send together. */
export function payloadSchema(
  payload: Payload,
  description: string,
  candidatesAt: CandidatesAt = () => undefined,
) {
  const fields = sentFields(payload);
  return {
    type: "object",
    description,
    properties: mapValues(
      fields,
      (field, name) => writableProperty(payload, candidatesAt, name, field),
    ),
    required: Object.keys(fields).filter((name) => fields[name]!.write.default === undefined),
    additionalProperties: false,
  };
}

function writeTitle({ title }: Resource): string {
  return `${title}Write`;
}

/** The schemas of the objects within the rows of a resource that not all callers may read. */
export function embeddedSchemas(resource: Resource): Record<string, Json> {
  const targets = Object.values(resource.relations)
    .filter(({ nested }) => nested)
    .map((relation) => relation.target(resource))
    .filter((target) => target !== resource && mayHide(target));
  return Object.fromEntries(
    targets.map((target) => [embeddedTitle(target), embeddedSchema(target)]),
  );
}

/** The name of such a schema. */
export function embeddedTitle({ title }: Resource): string {
  return `${title}Embedded`;
}

function embeddedSchema(resource: Resource): Json {
  const description = `${capitalized(withArticle(resource))}, as it is read within another row: ` +
    "its identifier alone, if the caller may not read it";
  return { ...readSchema(resource, description), required: [resource.key] };
}

/** The member `next`, which every kind of page has. */
export const nextMember: Json = {
  type: ["string", "null"],
  description: "The path of the next page; null on the last",
};

/** The JSON Schema of a validation schema. Our own checks describe themselves by metadata. */
export function jsonSchema(schema: v.GenericSchema): Json {
  const { $schema: _, ...json } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode: "input",
    ignoreActions: ["check", "check_items"],
  });
  return schema.type === "nullable" ? orNull(json.anyOf![0] as Json) : json;
}

/** A schema that also allows null. Generators of clients take null for a text if it is in an `enum`. */
export function orNull(schema: Json): Json {
  if (schema["$ref"] || schema["enum"]) return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [schema["type"], "null"].flat() };
}

function readSchema(resource: Resource, description: string): Json {
  return {
    type: "object",
    description,
    properties: mapValues(resource.fields, (field) => readProperty(resource, field)),
    required: Object.keys(resource.fields),
    examples: [example(resource)],
  };
}

/** The fields that clients send. */
function sentFields({ writable }: Payload): Payload["writable"] {
  return Object.fromEntries(
    Object.entries(writable).filter(([, { write }]) => !write.isFilled),
  );
}

/** A body that creates a row, with relations as identifiers. */
export function writeExample(resource: Resource): Json {
  const { owned, key, takesKeys } = resource;
  const { [key]: identifier, ...others } = sentFields(resource);
  const isSent = identifier && (!owned || takesKeys);
  return sentExample(resource, { ...isSent && { [key]: identifier }, ...others });
}

/** An example of some fields that clients send together. */
export function sentExample(
  payload: Payload,
  fields: Payload["writable"] = payload.writable,
): Json {
  return mapValues(fields, ({ relation, example }) => {
    if (!relation) return example;
    if (relation.isOwned) return [writeExample(relation.target(payload))];
    const one = exampleKey(relation.target(payload));
    return relation.isMany ? [one] : one;
  });
}

function readProperty(resource: Resource, field: KnownField): Json {
  return { ...readValue(resource, field), ...annotations(field, resource) };
}

function readValue(resource: Resource, { read, relation, nullable }: KnownField): Json {
  if (!relation?.nested) return jsonSchema(read);
  const target = nestedIn(resource, relation);
  const isEmbedded = mayHide(target) && relation.target(resource) !== resource;
  const object = reference("schemas", isEmbedded ? embeddedTitle(target) : target.title);
  if (relation.isMany) return { type: "array", items: object };
  return nullable ? orNull(object) : object;
}

/** What a document tells of a field besides its value. */
export function annotations(field: Field, resource?: Payload): Json {
  const { description, deprecation } = field;
  return {
    ...(description && { description }),
    ...(deprecation && { deprecated: true }),
    ...propertyExtension(field, resource),
  };
}

/** A field as clients send it. A relation names its target and the list of its candidates. */
function writableProperty(
  resource: Payload,
  candidatesAt: CandidatesAt,
  name: string,
  field: Resource["writable"][string],
): Json {
  const { write, relation } = field;
  const fallback = sharedDefault(write);
  const schema = {
    ...jsonSchema(write.schema),
    ...(fallback !== undefined && { default: fallback }),
    ...annotations(field, resource),
  };
  if (!relation) return schema;
  if (relation.isOwned) {
    const rows = relation.target(resource);
    return {
      description: `Its ${rows.name}s, whole; what is sent replaces all of them`,
      ...schema,
      items: reference("schemas", writeTitle(rows)),
    };
  }
  const choices = candidatesAt(name);
  return {
    description: relation.isMany
      ? `The identifiers of ${relation.target(resource).name}s; what is sent replaces all of them`
      : `The identifier of ${withArticle(relation.target(resource))}`,
    ...schema,
    ...(choices && { externalDocs: { description: "Its candidates", url: choices } }),
  };
}
