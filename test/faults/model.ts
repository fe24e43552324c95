// What the service should hold and say, in memory: the rows of every resource, by the declarations, and by
// the rules that only its tables have.
import { Buffer } from "node:buffer";
import type { Resource } from "../house.ts";
import { ruleOf } from "../projects.ts";
import { type Api, documentOf, writtenSchemas } from "./apis.ts";
import type { Json } from "./arbitrary.ts";
import { identified, isObject, merged, shownAs } from "./shown.ts";

export type Identifier = string | number;

/** The values of a row, by field, as they are read; of a relation the identifier, or the identifiers. */
export type Row = Record<string, Json>;

/** The identifier of a row by its values, or by what is read of it: of several fields, the JSON array of these. None if
 * one is missing. */
export function identifierIn({ keys }: Resource, row: Row): Identifier | undefined {
  const values = keys.map((field) => identified(row[field]));
  if (values.includes(undefined)) return undefined;
  return values.length === 1 ? values[0] : JSON.stringify(values);
}

/** What an identifier is made of, by field. */
export function keyMembers({ keys }: Resource, id: Identifier): Row {
  const values = keys.length === 1 ? [id] : JSON.parse(String(id));
  return Object.fromEntries(keys.map((field, index) => [field, values[index]]));
}

/** What a list is asked for. */
export interface Wishes {
  /** A field, after a minus where it is read backwards. */
  sort: string;
  limit?: number;
  q?: string;
  /** Whether it is to say how many rows there are. */
  count?: true;
  /** What rows have to have, by the query parameters that filter. */
  filters: Row;
}

/** A create under a key: what was sent, and what was answered. */
export interface Kept {
  resource: Resource;
  key: string;
  body: string;
  answer: Json;
}

/** A relation of a resource, and the field that has it. */
interface Reference {
  from: Resource;
  field: string;
}

export class Model {
  readonly #api: Api;
  readonly #document: Json;
  /** The rows that there are, by resource and identifier, in the order in which they were created. */
  readonly #rows: Map<string, Map<Identifier, Row>>;
  /** The tag of every representation that was seen, by its text. */
  readonly #tags = new Map<string, string>();
  /** The last representation that was seen of each row, by its path. */
  readonly seen = new Map<string, string>();
  readonly kept: Kept[] = [];

  constructor(api: Api) {
    this.#api = api;
    this.#document = documentOf(api);
    this.#rows = new Map(api.resources.map(({ name }) => [name, new Map()]));
  }

  /** The identifiers of the rows, ascending. */
  identifiers({ name, keys }: Resource): Identifier[] {
    return ascending([...this.#rows.get(name)!.keys()], kindOfKey(keys));
  }

  /** The row that was created last: its identifier tells, or the order in which rows were created. */
  newest(resource: Resource): Identifier | undefined {
    const { name, creation } = resource;
    return (creation ? [...this.#rows.get(name)!.keys()] : this.identifiers(resource)).at(-1);
  }

  has({ name }: Resource, id: Identifier): boolean {
    return this.#rows.get(name)!.has(id);
  }

  /** The values that are read of those that were sent. */
  shown(resource: Resource, values: Row): Row {
    const schemas = writtenSchemas(this.#document, resource);
    return Object.fromEntries(
      Object.entries(values).map(([field, value]) => [field, shownAs(schemas[field], value)]),
    );
  }

  /** The values that a merge patch makes of a row: it reaches into JSON. */
  patched(resource: Resource, id: Identifier, values: Row): Row {
    const stored = this.#rows.get(resource.name)!.get(id) ?? {};
    return Object.fromEntries(
      Object.entries(this.shown(resource, values)).map(([field, value]) => [
        field,
        resource.fields[field]?.kind === "json" ? merged(stored[field], value) : value,
      ]),
    );
  }

  /** The values of a row for which nothing was sent. */
  defaults(resource: Resource): Row {
    const schemas = writtenSchemas(this.#document, resource);
    const fallbacks = Object.entries<Json>(schemas).flatMap(([field, { default: fallback }]) =>
      fallback === undefined ? [] : [[field, fallback]]
    );
    return this.shown(resource, Object.fromEntries(fallbacks));
  }

  /** Writes the values of a row, keeping those that are not given. */
  put(resource: Resource, id: Identifier, values: Row): void {
    const rows = this.#rows.get(resource.name)!;
    const row = { ...rows.get(id), ...values };
    for (const [field, { isMany, isOrdered }] of Object.entries(resource.relations)) {
      if (isMany && !isOrdered) row[field] = ascending(row[field]);
    }
    rows.set(id, row);
  }

  /** Removes a row, and does to those that refer to it what their foreign keys say. */
  remove(resource: Resource, id: Identifier): void {
    this.#rows.get(resource.name)!.delete(id);
    for (const { from, field } of this.#references(resource)) {
      const rule = this.#onDelete(from, field);
      const { isMany } = from.relations[field]!;
      for (const [other, row] of this.#referring(from, field, id)) {
        if (isMany) row[field] = row[field].filter((linked: Identifier) => linked !== id);
        else if (rule === "set null") row[field] = null;
        else this.remove(from, other);
      }
    }
  }

  /** The row as it is read: relations that are nested as their objects. Within its own resource, a relation
   * to itself is the identifier. */
  read(resource: Resource, id: Identifier, within?: Resource): Json {
    const row = this.#rows.get(resource.name)!.get(id)!;
    const shown = (name: string, value: Json): Json => {
      const relation = resource.relations[name];
      const target = relation?.target(resource);
      if (!relation?.nested || value === null || target === resource && within === resource) {
        return value;
      }
      return Array.isArray(value)
        ? value.map((one) => this.read(target!, one, resource))
        : this.read(target!, value, resource);
    };
    return Object.fromEntries(
      Object.entries(resource.fields).map(([name, { kind }]) => [
        name,
        kind === "identifier" ? id : shown(name, row[name]),
      ]),
    );
  }

  /** Whether some other row refers to this one, and so prevents that it is deleted. */
  isReferred(resource: Resource, id: Identifier): boolean {
    return this.#references(resource).some(({ from, field }) =>
      this.#onDelete(from, field) === undefined &&
      this.#referring(from, field, id).some(([other]) => from !== resource || other !== id)
    );
  }

  /** The pointers to the identifiers in some values that are none of candidates. */
  dangling(resource: Resource, values: Row): string[] {
    return Object.entries(resource.relations).flatMap(([field, relation]) => {
      const target = relation.target(resource);
      const isCandidate = (id: Identifier) =>
        this.has(target, id) && this.#isCandidate(resource, field, target, id);
      const value = values[field] ?? [];
      return relation.isMany
        ? value.flatMap((id: Identifier, place: number) =>
          isCandidate(id) ? [] : [`/${field}/${place}`]
        )
        : [value].flat().every(isCandidate)
        ? []
        : [`/${field}`];
    });
  }

  /** Why the database would refuse a row, as `{ "/name": "taken" }`, all that it may tell of. */
  conflicts(resource: Resource, values: Row, id?: Identifier): [pointer: string, code: string][] {
    const { unique = {}, rejects = {} } = this.#api.rules;
    const rows = this.#rows.get(resource.name)!;
    const row: Row = id === undefined ? values : { ...rows.get(id), ...values };
    const rejected = rejects[resource.name]?.(row);
    const taken = (unique[resource.name] ?? []).filter((fields) =>
      fields.every((field) => row[field] !== null) &&
      [...rows].some(([other, its]) =>
        other !== id && fields.every((field) => its[field] === row[field])
      )
    );
    const { keys } = resource;
    const isThere = id === undefined && rows.has(identifierIn(resource, values)!);
    const inKey = keys.length > 1 ? "" : `/${keys[0]}`;
    return [
      ...(isThere ? [[inKey, "taken"] as [string, string]] : []),
      ...(rejected === undefined ? [] : [[`/${rejected}`, "rejected"] as [string, string]]),
      ...taken.map(([field, ...more]): [string, string] => [
        more.length > 0 ? "" : `/${field}`,
        "taken",
      ]),
    ];
  }

  /** The values of a field of a row, or of what it refers to along a path: none where it is null. */
  valuesAt(resource: Resource, id: Identifier, path: string): Json[] {
    const [field = "", ...rest] = path.split("__");
    const row = this.#rows.get(resource.name)!.get(id)!;
    const values = isKey(resource, field)
      ? [id]
      : [row[field]].flat().filter((one) => one !== null);
    if (rest.length === 0) return values;
    const target = resource.relations[field]!.target(resource);
    return values.flatMap((value) => this.valuesAt(target, value, rest.join("__")));
  }

  /** The rows that a list gives, in its order: those without a value after the others. */
  list(resource: Resource, { sort, q, filters }: Wishes): Json[] {
    const path = sort.replace("-", "");
    const kind = kindAt(resource, path);
    const ids = this.identifiers(resource)
      .filter((id) =>
        Object.entries(filters).every(([filter, value]) =>
          this.#passes(resource, id, filter, value)
        ) && (q === undefined || contains(this.#textOf(resource, id), q))
      )
      .map((id) => ({ id, values: this.valuesAt(resource, id, path) }))
      .sort(({ id, values: [one] }, { id: otherId, values: [other] }) =>
        path === resource.creation
          ? this.#age(resource, id) - this.#age(resource, otherId)
          : one === undefined || other === undefined
          ? Number(one === undefined) - Number(other === undefined)
          : order(kind, one, other)
      )
      .map(({ id }) => id);
    if (sort.startsWith("-")) ids.reverse();
    return ids.map((id) => this.read(resource, id));
  }

  /** How many rows were created before this one. */
  #age({ name }: Resource, id: Identifier): number {
    return [...this.#rows.get(name)!.keys()].indexOf(id);
  }

  /** Takes over in which order some rows were created at once, the last that there are: only the database knows. */
  reorder({ name }: Resource, created: Identifier[]): void {
    const rows = this.#rows.get(name)!;
    for (const id of created) {
      const row = rows.get(id)!;
      rows.delete(id);
      rows.set(id, row);
    }
  }

  #passes(resource: Resource, id: Identifier, filter: string, value: Json): boolean {
    const { path, operator } = parsed(filter);
    const values = this.valuesAt(resource, id, path);
    if (operator === "isnull") return value === (values.length === 0);
    const kind = kindAt(resource, path);
    if (operator === "contains") {
      return [value].flat().every((other) => values.some((one) => holds(one, other)));
    }
    return values.some((one) =>
      [value].flat().some((other) => operators[operator]!(order(kind, one, other)))
    );
  }

  /** What people know a row by; null where it has no value, in which nothing is found. */
  #textOf({ name, display }: Resource, id: Identifier): string | null {
    return this.#rows.get(name)!.get(id)![display ?? ""] ?? null;
  }

  /** The candidates of a relation, from identifier to the text a person knows them by. */
  choices(resource: Resource, field: string, q = ""): [string, string][] {
    const target = resource.relations[field]!.target(resource);
    return this.identifiers(target)
      .filter((id) => this.#isCandidate(resource, field, target, id))
      .map((id): [string, string] => [
        String(id),
        this.#textOf(target, id) || `${target.name} ${id}`,
      ])
      .filter(([, text]) => contains(text, q));
  }

  #isCandidate(resource: Resource, field: string, target: Resource, id: Identifier): boolean {
    const { candidates = {} } = this.#api.rules;
    const condition = candidates[ruleOf(resource, field)];
    return condition === undefined || condition(this.#rows.get(target.name)!.get(id)!);
  }

  #onDelete(resource: Resource, field: string): "cascade" | "set null" | undefined {
    return this.#api.rules.onDelete?.[ruleOf(resource, field)];
  }

  /** The relations that refer to a resource. */
  #references(resource: Resource): Reference[] {
    return this.#api.resources.flatMap((from) =>
      Object.entries(from.relations)
        .filter(([, { target }]) => target(from) === resource)
        .map(([field]) => ({ from, field }))
    );
  }

  /** The rows that refer to a row by a field. */
  #referring({ name }: Resource, field: string, id: Identifier): [Identifier, Row][] {
    return [...this.#rows.get(name)!].filter(([, row]) => [row[field]].flat().includes(id));
  }

  /** Whether a tag is that of a representation, as far as it was ever seen, and of no other. */
  tells(representation: string, tag: string): boolean {
    const known = this.#tags.get(representation);
    const others = [...this.#tags].some(([other, its]) => its === tag && other !== representation);
    this.#tags.set(representation, tag);
    return (known ?? tag) === tag && !others;
  }

  /** The tag of the representation that was last seen at a path. */
  tagAt(path: string): string | undefined {
    return this.#tags.get(this.seen.get(path) ?? "");
  }
}

/** Whether a value contains another one, within objects and arrays, too. */
function holds(one: Json, other: Json): boolean {
  if (Array.isArray(other)) {
    return Array.isArray(one) && other.every((each) => one.some((its) => holds(its, each)));
  }
  if (!isObject(other)) return one === other;
  return isObject(one) &&
    Object.keys(other).every((name) => Object.hasOwn(one, name) && holds(one[name], other[name]));
}

function ascending(identifiers: Identifier[], kind = "identifier"): Identifier[] {
  return identifiers.toSorted((one, other) => order(kind, one, other));
}

/** What the order of identifiers is; those of several fields are compared field by field. */
function kindOfKey(keys: string[]): string {
  return keys.length > 1 ? "several" : "identifier";
}

/** What a filter demands of the order of a value and another one. */
const operators: Record<string, (order: number) => boolean> = {
  in: (order) => order === 0,
  gte: (order) => order >= 0,
  gt: (order) => order > 0,
  lte: (order) => order <= 0,
  lt: (order) => order < 0,
};

/** The path and the operator of a query parameter that filters. */
export function parsed(filter: string): { path: string; operator: string } {
  const [path = "", operator = "in"] = filter.split(/__(in|contains|gte|gt|lte|lt|isnull)$/);
  return { path, operator };
}

function isKey({ key }: Resource, field: string): boolean {
  return [key, "id", "key"].includes(field);
}

function kindAt(resource: Resource, path: string): string {
  const [field = "", ...rest] = path.split("__");
  if (isKey(resource, field) && rest.length === 0) return kindOfKey(resource.keys);
  if (rest.length === 0) return resource.fields[field]!.kind;
  return kindAt(resource.relations[field]!.target(resource), rest.join("__"));
}

/** The order of two values: of numbers by size, of other values by code point, which is the order of UTF-8. */
function order(kind: string, one: Json, other: Json): number {
  if (kind === "several") {
    const [values, others] = [JSON.parse(one), JSON.parse(other)];
    const at = values.findIndex((value: Json, index: number) => value !== others[index]);
    return at < 0 ? 0 : order("identifier", values[at], others[at]);
  }
  if (kind === "decimal" || typeof one !== "string") return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Without regard to the case of letters, which here are those of ASCII. */
function contains(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) ?? false;
}
