// Turns the declaration of a resource into everything that other modules need to know of it.
import * as v from "valibot";
import { Claim } from "./claim.ts";
import { isOwnDefault } from "./default.ts";
import { type Identifier, joinIdentifier, type Key, splitIdentifier } from "./key.ts";
import type {
  Claimed,
  Column,
  Declaration,
  Field,
  Payload,
  Relation,
  Resource,
  RowWrite,
  Verb,
  Write,
} from "./model.ts";
import { inheritedBy, type Rules } from "./access.ts";
import { checkColumns, checkDeclaration, checkLinks, checkRelations } from "./mistakes.ts";
import { asKey, compositeKey, inKey, keyOfField } from "./composite-key.ts";
import { creationOf } from "./field.ts";
import { stepOf } from "./path.ts";
import { mapValues } from "./record.ts";
import { ownName } from "./table.ts";
import { located } from "./word.ts";

/** How deep rows own others. */
const MOST_LEVELS = 2;

/** The most rows that one request creates. */
export const MAXIMUM_BATCH = 1000;

/** Makes a resource, with the routes that follow from what it owns, which may be declared further down. */
export function makeResource(
  name: string,
  declaration: Declaration,
  routesWithin: (resource: Resource) => Declaration["routes"] = () => ({}),
): Resource {
  checkDeclaration(name, declaration);
  const { keys = keyIn(declaration) } = declaration;
  const [only] = keys.length === 1 ? keys : [];
  const declared = mapValues(declaration.fields, (field, name) => {
    const own = { column: columnOf(name, field), ...field };
    if (!declaration.keys?.includes(name)) return own;
    return name === only ? asKey(inKey(own)) : inKey(own);
  });
  checkColumns(name, declared);
  const creation = creationOf(declared);
  const { filter = [], sort = [] } = declaration;
  for (const path of [...filter, ...sort]) stepOf({ name }, path, { name, fields: declared }, 0);
  let routes: Declaration["routes"] | undefined;
  let identifiers: Key | undefined;
  const resource: Resource = withFields({
    ...declaration,
    get access() {
      return accessOf(resource, declaration) as Rules; // undefined where there are none
    },
    name,
    table: declaration.table ?? name,
    title: titleOf(name),
    key: only ?? "",
    keys,
    // The parts of a key may be relations
    get identifiers() {
      return identifiers ??= keyOf(resource, declared);
    },
    get takesKeys() {
      return keys.every((field) => Object.hasOwn(resource.writable, field));
    },
    ...(creation !== undefined && { creation }),
    relations: relationsIn(declared),
    beside: [],
    get routes() {
      return routes ??= { ...declaration.routes, ...routesWithin(resource) };
    },
  }, declared);
  for (const verb of Object.values(declaration.routes).flat()) {
    // Others ask which routes there are, which rows that it owns may add to
    if (verb.name !== "choices") continue;
    const [field = ""] = verb.operation(resource).candidatesOf!.split("/");
    relationOf(resource, field);
  }
  made.add(resource);
  return resource;
}

/** The field that identifies a row by itself. */
function keyIn({ fields }: Declaration): string[] {
  return Object.keys(fields).filter((field) => fields[field]!.identifiers);
}

function keyOf(resource: Resource, declared: Declared): Key {
  const parts = resource.keys.map((field) => keyOfField(resource, declared[field]!));
  return parts.length === 1 ? parts[0]! : compositeKey(parts);
}

/** What is known of fields once all resources are declared. */
type Known = Pick<Payload, "fields" | "writable" | "claimed" | "schemas">;

type Declared = Record<string, Field & { column: string }>;

/** Adds what is known of its fields to something that has them. A relation may be to a resource that is declared further
 * down, so nobody asks before all are. */
export function withFields<Of extends Omit<Payload, keyof Known>>(
  of: Of,
  declared: Declared,
): Of & Known {
  let known: Known | undefined;
  const whole = of as Of & Known;
  for (const name of ["fields", "writable", "claimed", "schemas"] as const) {
    Object.defineProperty(of, name, {
      get: () => (known ??= whenDeclared(whole, declared))[name],
      enumerable: true,
    });
  }
  return whole;
}

/** The relations among fields. */
export function relationsIn(declared: Declared): Payload["relations"] {
  return Object.fromEntries(
    Object.entries(declared).flatMap(([field, { relation }]) =>
      relation ? [[field, relation]] : []
    ),
  );
}

function whenDeclared(resource: Payload, declared: Declared): Known {
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
    schemas: schemasOf(writable),
  };
}

/** The schemas of bodies with these fields. */
export function schemasOf(writable: Resource["writable"]): Resource["schemas"] {
  return {
    write: v.object(mapValues(writable, ({ write }) => withDefault(write))),
    patch: v.partial(v.object(mapValues(writable, ({ write }) => write.schema))),
  };
}

/** The fields that are columns of the table: all but to-many. */
export function storedIn<Each extends Field>(fields: Record<string, Each>): Each[] {
  return Object.values(fields).filter(({ relation }) => !relation?.isMany);
}

/** The tables with the links of a row, and of the rows that it owns. */
export function linkTables(resource: Resource): string[] {
  return [resource, ...ownedBy(resource)].flatMap(({ relations }) =>
    Object.values(relations).flatMap(({ through }) => through ?? [])
  );
}

/** The tables that a write to a row writes: that of the resource, those of the rows that it owns, and those of links. */
export function writtenTables(resource: Resource): string[] {
  return [
    ...[resource, ...ownedBy(resource)].map(({ table }) => table),
    ...linkTables(resource),
  ];
}

/** The fields in which clients write the rows that a row owns, each with its place among the relations. */
export function ownedFields(
  resource: Resource,
): { rows: Resource; column: string; index: number }[] {
  return Object.entries(resource.relations).flatMap(([field, relation], index) => {
    if (!relation.isOwned || !Object.hasOwn(resource.writable, field)) return [];
    return [{ rows: relation.target(resource), column: resource.fields[field]!.column, index }];
  });
}

/** The resources of the rows that a row owns, and that those own, as they are within it. */
export function ownedBy(resource: Resource): Resource[] {
  return ownedAt(resource).map(({ rows }) => rows);
}

/** The same, each with the path to its field, such as `lines/parts`. */
export function ownedAt(resource: Resource): { path: string; rows: Resource }[] {
  return Object.entries(resource.relations).flatMap(([field, relation]) => {
    if (!relation.isOwned) return [];
    const rows = relation.target(resource);
    const below = ownedAt(rows).map((each) => ({ ...each, path: `${field}/${each.path}` }));
    return [{ path: field, rows }, ...below];
  });
}

/** The column of a field that names none. */
export function columnOf(name: string, { relation }: Field): string {
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

/** A relation by its field, or, within rows that are owned, by the path to it, such as `lines/product`; with the resource
 * that has it, and the one that it refers to. */
export function relationAt(
  resource: Resource,
  path: string,
): { relation: Relation; of: Resource; target: Resource } {
  const [field = "", ...rest] = path.split("/");
  const relation = relationOf(resource, field);
  const target = relation.target(resource);
  const isLast = rest.length === 0;
  if (isLast !== !relation.isOwned) {
    const subject = `The field "${field}" of the resource "${resource.name}"`;
    throw new Error(
      isLast ? `${subject} owns its rows, so nothing is a candidate` : `${subject} owns no rows`,
    );
  }
  return isLast ? { relation, of: resource, target } : relationAt(target, rest.join("/"));
}

/** The paths of the relations within rows that a resource owns, by what is declared. */
export function relationsWithin(resource: Resource, levels = MOST_LEVELS): string[] {
  return Object.entries(resource.relations).flatMap(([field, { owns, by }]) => {
    const rows = owns?.(resource);
    if (!isResource(rows) || levels === 0) return [];
    const relations = Object.keys(rows.relations).filter((each) =>
      each !== by && !rows.relations[each]!.isOwned
    );
    return [...relations, ...relationsWithin(rows, levels - 1)].map((each) => `${field}/${each}`);
  });
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

/** A path with the identifier of a row in place of the braces. */
export function rowPath({ identifiers }: Resource, path: string, identifier: Identifier): string {
  const parts = splitIdentifier(identifiers, identifier).map(encodeURIComponent);
  return path.replace(/\{.*\}/, () => parts.join());
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
export function exampleKey(resource: Resource): Identifier {
  return joinIdentifier(resource.identifiers, exampleParts(resource));
}

/** What that is made of. */
export function exampleParts(resource: Resource): Identifier[] {
  return resource.keys.map((field) => {
    const { relation, example } = resource.fields[field]!;
    return relation ? exampleKey(relation.target(resource)) : example as Identifier;
  });
}

/** The fields that an identifier has the values of, as they are written. */
export function keyMembers(
  { keys, identifiers }: Resource,
  identifier: Identifier,
): Record<string, Identifier> {
  const values = splitIdentifier(identifiers, identifier);
  return Object.fromEntries(keys.map((field, index) => [field, values[index]!]));
}

/** The identifier of a row by what is read of it. */
export function identifierFrom(resource: Resource, row: Record<string, unknown>): Identifier {
  const values = resource.keys.map((field) => {
    const [value, relation] = [row[field], resource.relations[field]];
    return relation && value !== null && typeof value === "object"
      ? identifierFrom(relation.target(resource), value as Record<string, unknown>)
      : value as Identifier;
  });
  return joinIdentifier(resource.identifiers, values);
}

/** Checks what can be told only when all resources are declared and their relations refer to some: what is to be
 * stored for those, and that the filters and sorts of lists name fields. */
export function checkWithOthers(resource: Resource): void {
  if (resource.isPart && !ownerOf(resource)) {
    const needs = resource.keys.length > 1 ? "an owner" : "a path, or routes";
    throw new Error(`The resource "${resource.name}" needs ${needs}: nothing owns its rows`);
  }
  if (resource.history && ownerOf(resource)) {
    throw new Error(
      `The resource "${resource.name}" takes no history: its rows are in that of what owns them`,
    );
  }
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

/** A resource as it is declared, whoever sees it. */
export function declaredOf(resource: Resource): Resource {
  return resource.view?.declared ?? resource;
}

export function isResource(value: unknown): value is Resource {
  return made.has(value as Resource);
}

const made = new WeakSet<Resource>();

/** Who may do what: what is owned is there for whom its owner is. */
function accessOf(resource: Resource, { access }: Declaration): Rules | undefined {
  const owner = ownerOf(resource);
  if (!owner) return access;
  if (!access) return owner.resource.access && inheritedBy(owner.field);
  throw new Error(
    `The resource "${resource.name}" takes no access: who may read and write its ` +
      `${owner.resource.name} may do so with its rows`,
  );
}

/** What owns rows of a resource, and the relation by which these refer to it; undefined if nothing does. */
export function ownerOf(
  resource: Resource,
): { resource: Resource; field: string; order: string | undefined } | undefined {
  const declared = declaredOf(resource);
  const owners = Object.entries(resource.relations).flatMap(([field, relation]) => {
    if (relation.isMany) return [];
    const owner = relation.target(resource);
    return Object.values(owner.relations)
      .filter(({ owns, by }) => by === field && owns?.(declaredOf(owner)) === declared)
      .map((each) => ({ resource: owner, field, order: each.order }));
  });
  if (owners.length > 1) throw new Error(`The rows of "${resource.name}" have more than one owner`);
  return owners[0];
}

/** Checks that the relations of a resource, and those of the objects in it, refer to resources without end. */
export function checkTargets(resource: Resource, outer: Resource[] = []): void {
  checkOwned(resource);
  // It is read within its owner, and nowhere else
  const isPart = outer.length === 0 && resource.isPart;
  for (const [field, relation] of Object.entries(resource.relations)) {
    const subject = subjectOf(field, resource);
    const target = declaredTarget(relation, resource);
    if (!isResource(target)) throw new Error(`${subject} refers to no resource`);
    const identified = [...relation.isMany ? [resource] : [], ...relation.owns ? [] : [target]];
    const keyed = identified.find(({ keys }) => keys.length > 1);
    if (keyed) {
      throw new Error(
        `${subject} needs an identifier of "${keyed.name}", which has a key of several fields`,
      );
    }
    if (!relation.nested || target === resource || isPart) continue;
    if (outer.includes(target)) {
      throw new Error(`${subject} leads back to "${target.name}": read it as the identifier`);
    }
    checkTargets(targetOf(field, resource), [...outer, resource.owned?.of ?? resource]);
  }
}

/** Checks that rows own others only two levels deep. */
function checkOwned(resource: Resource, outer: Resource[] = []): void {
  for (const [field, { owns }] of Object.entries(resource.relations)) {
    const rows = owns?.(resource);
    if (!isResource(rows)) continue;
    const subject = subjectOf(field, resource);
    if ([resource, ...outer].includes(rows)) throw new Error(`${subject} owns itself at last`);
    if (outer.length === MOST_LEVELS) {
      throw new Error(`${subject} is owned more than two levels deep`);
    }
    checkOwned(rows, [...outer, resource]);
  }
}

/** What a relation refers to, as it is declared. */
export function declaredTarget(relation: Relation, resource: Payload): Resource {
  return (relation.owns ?? relation.target)(resource);
}

function targetOf(field: string, resource: Resource): Resource {
  try {
    return resource.relations[field]!.target(resource);
  } catch (error) {
    throw located(subjectOf(field, resource), error as Error);
  }
}

function subjectOf(field: string, { name }: Resource): string {
  return `The relation "${field}" of the resource "${name}"`;
}

/** The name of a resource with its article, for messages: `an employee`. */
export function withArticle({ name }: { name: string }): string {
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
