// From what a file in `resources/` declares to what the other modules need of it.
import * as v from "valibot";
import { mapValues } from "../record.ts";
import type { Declaration, Field, Relation, Resource, Text, Verb } from "./declaration.ts";

/** Names of fields that a write statement or the query of a list has for itself. */
const RESERVED = ["id", "place", "refused", "limit", "cursor", "sort", "q"];

/** The names of the server's own tables, and of the queries in its statements, which would hide a table of
 * the same name. */
const OWN = /^(relata_.*|input)$/;

export function resource(declaration: Declaration): Resource {
  const { name, display, fields } = declaration;
  if (OWN.test(name)) throw new Error(`The name "${name}" of a resource is reserved`);
  const key = Object.keys(fields).find((field) => fields[field]?.kind === "identifier");
  if (!key) throw new Error(`The resource "${name}" declares no identifier`);
  for (const field of Object.keys(fields)) {
    if (field !== key && RESERVED.includes(field)) {
      throw new Error(`The resource "${name}" has a field with the reserved name "${field}"`);
    }
  }
  if (display !== undefined && fields[display]?.kind !== "text") {
    throw new Error(`The resource "${name}" has no text field "${display}" to display`);
  }
  const sent = pick(fields, (field) => field.kind === "text" || field.kind === "relation");
  const relations = pick(fields, (field) => field.kind === "relation");
  return {
    ...declaration,
    title: name.charAt(0).toUpperCase() + name.slice(1),
    key,
    columns: mapValues(fields, (field, name) => field.column ?? name),
    sent: sent as Record<string, Text | Relation>,
    relations: relations as Record<string, Relation>,
    schemas: {
      read: v.strictObject(mapValues(fields, (field) => field.read)),
      write: v.object(mapValues(sent as Resource["sent"], ({ write }) => write)),
      patch: v.partial(
        v.object(mapValues(sent as Resource["sent"], ({ write }) => withoutDefault(write))),
      ),
    },
  };
}

/** The path at which a resource has a verb; undefined where it has none such. */
export function pathOf({ routes }: Declaration, name: Verb["name"]): string | undefined {
  return Object.keys(routes).find((path) => routes[path]!.some((verb) => verb.name === name));
}

/** A representation, for the document. */
export function example({ fields }: Declaration): Record<string, unknown> {
  return mapValues(fields, (field) => field.example);
}

/** What a patch leaves out stays as it is. */
function withoutDefault(schema: v.GenericSchema): v.GenericSchema {
  return schema.type === "optional"
    ? (schema as v.OptionalSchema<v.GenericSchema, unknown>).wrapped
    : schema;
}

function pick(fields: Record<string, Field>, holds: (field: Field) => boolean) {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => holds(field)));
}
