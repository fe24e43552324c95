// Turns the declaration of a resource into everything that other modules need to know of it.
import * as v from "valibot";
import type {
  Column,
  Declaration,
  Field,
  Links,
  Relation,
  Resource,
  Verb,
  Write,
} from "./model.ts";
import { pathTo, stepOf } from "./path.ts";
import { mapValues } from "./record.ts";

/** The query parameters of every list; no field can have one of these names. */
const PARAMETERS = ["limit", "cursor", "sort", "q", "count"];

/** The most rows that one request creates. */
export const MAXIMUM_BATCH = 1000;

/** The prefix of names in statements and of the server's own tables. */
const OWN = "relata_";

/** Makes a resource. */
export function declare(name: string, declaration: Declaration): Resource {
  const { display, table = name } = declaration;
  const fields = mapValues(
    declaration.fields,
    (field, name): Column => ({ column: columnOf(name, field), ...field }),
  );
  const key = Object.keys(fields).find((field) => fields[field]!.isKey);
  if (!key) throw new Error(`The resource "${name}" declares no identifier`);
  const linked = Object.values(fields).flatMap(({ relation }) => relation?.links?.table ?? []);
  for (const each of [table, ...linked]) {
    if (/^[^.]+(\.[^.]+)?$/.test(each)) continue;
    throw new Error(
      `The resource "${name}" names the table "${each}": write "table" or "schema.table"`,
    );
  }
  const columns = storedIn(fields).map(({ column }) => column);
  for (const text of [name, ...table.split("."), ...columns]) {
    if (!text.startsWith(OWN)) continue;
    throw new Error(
      `The resource "${name}" uses the name "${text}": those with "${OWN}" are reserved`,
    );
  }
  const taken = Object.keys(fields).find(isReserved);
  if (taken) {
    throw new Error(`The resource "${name}" has a field with the reserved name "${taken}"`);
  }
  if (display !== undefined && !fields[display]?.isText) {
    throw new Error(`The resource "${name}" has no text field "${display}" to display`);
  }
  const sent = Object.fromEntries(
    Object.entries(fields).flatMap(([field, { write, ...rest }]) =>
      write ? [[field, { ...rest, write }]] : []
    ),
  );
  for (const [field, { write, relation, example }] of Object.entries(sent)) {
    const title = `the field "${field}" of the resource "${name}"`;
    const isTaken = (value: unknown) => v.is(write.schema, value);
    if (write.default !== undefined && !isTaken(write.default)) {
      throw new Error(`The default of ${title} is not a value that it takes`);
    }
    if (relation || isTaken(example)) continue;
    throw new Error(
      example === undefined
        ? `Give ${title} an example, because of its pattern`
        : `The example of ${title} is not a value that it takes`,
    );
  }
  const writes = Object.values(declaration.routes).flat().some(({ accepts }) => accepts);
  if (writes && storedIn(sent).length === 0) {
    throw new Error(`The resource "${name}" has routes that write, but no field for them to write`);
  }
  const relations = Object.fromEntries(
    Object.entries(fields).flatMap(([field, { relation }]) => relation ? [[field, relation]] : []),
  );
  const resource: Resource = {
    ...declaration,
    name,
    table,
    title: titleOf(name),
    key,
    fields,
    sent,
    relations,
    schemas: {
      write: v.object(mapValues(sent, ({ write }) => withDefault(write))),
      patch: v.partial(v.object(mapValues(sent, ({ write }) => write.schema))),
    },
  };
  // The rest of a path is looked up when a list is prepared: a relation may be to a resource that is
  // declared further down
  const { filter = [], sort = [] } = declaration;
  for (const path of [...filter, ...sort]) stepOf(resource, path, resource, 0);
  made.add(resource);
  return resource;
}

/** Whether no field can have this name: it is a parameter of lists, or looks like a filter. */
export function isReserved(field: string): boolean {
  return PARAMETERS.includes(field) || field.includes("__");
}

/** The fields that are columns of the table: all but to-many. */
export function storedIn<Each extends Field>(fields: Record<string, Each>): Each[] {
  return Object.values(fields).filter(({ relation }) => relation?.links === undefined);
}

/** The to-many relations of a resource: the field of each, and where its links are. */
export function linksOf({ relations }: Resource): [field: string, links: Links][] {
  return Object.entries(relations).flatMap(([field, { links }]): [string, Links][] =>
    links ? [[field, links]] : []
  );
}

/** The tables that a write to a row writes: that of the resource, and those of its links. */
export function writtenTables(resource: Resource): string[] {
  return [resource.table, ...linksOf(resource).map(([, { table }]) => table)];
}

/** The column of a field that names none. */
function columnOf(name: string, { relation }: Field): string {
  if (!relation) return name;
  return relation.links ? `${OWN}${name}` : `${name}_id`;
}

/** A relation of a resource, by its field. */
export function relationOf({ name, relations }: Resource, field: string): Relation {
  const relation = relations[field];
  if (!relation) throw new Error(`The resource "${name}" has no relation "${field}"`);
  return relation;
}

/** What a relation refers to, as it is read within the resource that has the relation: all its fields, but
 * within itself its relations to itself are identifiers. */
export function nestedIn(resource: Resource, relation: Relation): Resource {
  const target = relation.target(resource);
  if (target !== resource) return target;
  const fields = mapValues(target.fields, ({ show, relation, ...field }): Column => {
    const isOwn = relation?.target(target) === target;
    return {
      ...field,
      ...(relation && { relation: isOwn ? { ...relation, nested: false } : relation }),
      ...(show && !isOwn && { show }),
    };
  });
  return { ...target, title: `${target.title}Nested`, fields };
}

/** The path of a verb of a resource; undefined if it has no such verb. */
export function pathOf({ routes }: Declaration, name: Verb["name"]): string | undefined {
  return Object.keys(routes).find((path) => routes[path]!.some((verb) => verb.name === name));
}

/** An example of a representation, for the document. */
export function example(resource: Resource): Record<string, unknown> {
  return mapValues(resource.fields, ({ relation, example: shown }) => {
    if (!relation) return shown;
    const one = relation.nested ? example(nestedIn(resource, relation)) : 1;
    return relation.links ? [one] : one;
  });
}

/** Checks what can be told only when all resources are declared: that no objects contain each other without
 * end, and that filters and sorts name fields. */
export function checkRelations(resource: Resource): void {
  refuseCycles(resource);
  const { filter = [], sort = [] } = resource;
  for (const path of [...filter, ...sort]) pathTo(resource, path);
}

/** Whether a value is a resource, as `declare` makes it. */
export function isResource(value: unknown): value is Resource {
  return made.has(value as Resource);
}

const made = new WeakSet<Resource>();

function refuseCycles(resource: Resource, outer: Resource[] = []): void {
  for (const [field, relation] of Object.entries(resource.relations)) {
    const target = relation.target(resource);
    const title = `The relation "${field}" of the resource "${resource.name}"`;
    if (target === resource && relation.links) throw new Error(`${title} is a to-many to itself`);
    if (!relation.nested || target === resource) continue;
    if (outer.includes(target)) {
      throw new Error(`${title} leads back to "${target.name}": read it as the identifier`);
    }
    refuseCycles(target, [...outer, resource]);
  }
}

/** The name of a resource with its article, for messages: `an employee`. */
export function oneOf({ name }: Pick<Resource, "name">): string {
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `invoice_line` as `InvoiceLine`. */
export function titleOf(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z\d])/g, (_, first: string) => first.toUpperCase());
}

function withDefault({ schema, default: fallback }: Write): v.GenericSchema {
  return fallback === undefined ? schema : v.optional(schema, fallback as never);
}
