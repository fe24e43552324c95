// Turns the declaration of a resource into everything that other modules need to know of it.
import * as v from "valibot";
import { Claim } from "./claim.ts";
import { isOwnDefault } from "./default.ts";
import type { Identifier } from "./key.ts";
import type {
  Claimed,
  Column,
  Declaration,
  Field,
  Relation,
  Resource,
  RowWrite,
  Verb,
  Write,
} from "./model.ts";
import { checkColumns, checkDeclaration, checkLinks, checkRelations } from "./mistakes.ts";
import { creationOf } from "./field.ts";
import { stepOf } from "./path.ts";
import { mapValues } from "./record.ts";
import { ownName } from "./table.ts";
import { located } from "./word.ts";

/** The most rows that one request creates. */
export const MAXIMUM_BATCH = 1000;

export function makeResource(name: string, declaration: Declaration): Resource {
  checkDeclaration(name, declaration);
  const declared = mapValues(
    declaration.fields,
    (field, name) => ({ column: columnOf(name, field), ...field }),
  );
  checkColumns(name, declared);
  const key = Object.keys(declared).find((field) => declared[field]!.identifiers)!;
  const creation = creationOf(declared);
  const relations = Object.fromEntries(
    Object.entries(declared).flatMap(([field, { relation }]) =>
      relation ? [[field, relation]] : []
    ),
  );
  const { filter = [], sort = [] } = declaration;
  for (const path of [...filter, ...sort]) stepOf({ name }, path, { name, fields: declared }, 0);
  let known: Pick<Resource, "fields" | "writable" | "claimed" | "schemas"> | undefined;
  const whenDeclared = () => known ??= fieldsOf(resource, declared);
  const resource: Resource = {
    ...declaration,
    name,
    table: declaration.table ?? name,
    title: titleOf(name),
    key,
    identifiers: declared[key]!.identifiers!,
    takesKeys: declared[key]!.write !== undefined,
    ...(creation !== undefined && { creation }),
    relations,
    // A relation may be to a resource that is declared further down, so nobody asks before all are
    get fields() {
      return whenDeclared().fields;
    },
    get writable() {
      return whenDeclared().writable;
    },
    get claimed() {
      return whenDeclared().claimed;
    },
    get schemas() {
      return whenDeclared().schemas;
    },
  };
  for (const verb of Object.values(resource.routes).flat()) {
    const { candidatesOf } = verb.operation(resource);
    if (candidatesOf !== undefined) relationOf(resource, candidatesOf);
  }
  made.add(resource);
  return resource;
}

function fieldsOf(
  resource: Resource,
  declared: Record<string, Field & { column: string }>,
): Pick<Resource, "fields" | "writable" | "claimed" | "schemas"> {
  const fields = mapValues(declared, ({ whenDeclared, ...field }) => (
    { ...field, ...whenDeclared?.(resource) } as Column
  ));
  const writable = Object.fromEntries(
    Object.entries(fields).flatMap(([field, { write, ...rest }]) =>
      write ? [[field, { ...rest, write }]] : []
    ),
  );
  const claimed = Object.entries(writable).filter(([, { write }]) =>
    write.default instanceof Claim
  );
  return {
    fields,
    writable,
    claimed: Object.fromEntries(claimed) as Record<string, Claimed>,
    schemas: {
      write: v.object(mapValues(writable, ({ write }) => withDefault(write))),
      patch: v.partial(v.object(mapValues(writable, ({ write }) => write.schema))),
    },
  };
}

/** The fields that are columns of the table: all but to-many. */
export function storedIn<Each extends Field>(fields: Record<string, Each>): Each[] {
  return Object.values(fields).filter(({ relation }) => !relation?.isMany);
}

/** The tables with the links of a row. */
export function linkTables({ relations }: Resource): string[] {
  return Object.values(relations).flatMap(({ through }) => through ?? []);
}

/** The tables that a write to a row writes: that of the resource, and those of its links. */
export function writtenTables(resource: Resource): string[] {
  return [resource.table, ...linkTables(resource)];
}

/** The column of a field that names none. */
function columnOf(name: string, { relation }: Field): string {
  if (!relation) return name;
  return relation.isMany ? ownName(name) : `${name}_id`;
}

/** Whether a resource has a route with this verb. */
export function has(resource: Declaration, name: Verb["name"]): boolean {
  return pathOf(resource, name) !== undefined;
}

/** What the routes of a resource do to its rows, besides reading. */
export function writesOf(resource: Resource): RowWrite[] {
  const verbs = Object.values(resource.routes).flat();
  return (["insert", "update", "delete"] as const).filter((write) =>
    verbs.some(({ writes }) => writes === write) || write === "insert" && createsByPut(resource)
  );
}

/** Whether a PUT creates the row if it is not there (RFC 9110, section 9.3.4). */
export function createsByPut(resource: Resource): boolean {
  return has(resource, "replace") && resource.takesKeys;
}

/** Whether its routes change or delete rows that are there. */
export function changesRows(resource: Resource): boolean {
  return writesOf(resource).some((write) => write !== "insert");
}

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
      ...(show && (!isOwn || relation?.isMany) && { show }),
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
    const target = nestedIn(resource, relation);
    const one = relation.nested ? example(target) : exampleKey(target);
    return relation.isMany ? [one] : one;
  });
}

/** The identifier of that example. */
export function exampleKey({ fields, key }: Resource): Identifier {
  return fields[key]!.example as Identifier;
}

/** Checks what can be told only when all resources are declared and their relations refer to some: what is to be
 * stored for those, and that the filters and sorts of lists name fields. */
export function checkWithOthers(resource: Resource): void {
  checkRelations(resource);
  checkLinks(resource);
  for (const [field, { candidates }] of Object.entries(resource.relations)) {
    try {
      candidates(resource);
    } catch (error) {
      throw located(subjectOf(field, resource), error as Error);
    }
  }
  for (const verb of Object.values(resource.routes).flat()) verb.query?.(resource);
}

export function isResource(value: unknown): value is Resource {
  return made.has(value as Resource);
}

const made = new WeakSet<Resource>();

/** Checks that the relations of a resource, and those of the objects in it, refer to resources without end. */
export function checkTargets(resource: Resource, outer: Resource[] = []): void {
  for (const [field, relation] of Object.entries(resource.relations)) {
    const target = relation.target(resource);
    const subject = subjectOf(field, resource);
    if (!isResource(target)) throw new Error(`${subject} refers to no resource`);
    if (!relation.nested || target === resource) continue;
    if (outer.includes(target)) {
      throw new Error(`${subject} leads back to "${target.name}": read it as the identifier`);
    }
    checkTargets(target, [...outer, resource]);
  }
}

function subjectOf(field: string, { name }: Resource): string {
  return `The relation "${field}" of the resource "${name}"`;
}

/** The name of a resource with its article, for messages: `an employee`. */
export function withArticle({ name }: Pick<Resource, "name">): string {
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
  if (fallback === undefined) return schema;
  return isOwnDefault(fallback) ? v.exactOptional(schema) : v.optional(schema, fallback as never);
}
