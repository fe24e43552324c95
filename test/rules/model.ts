// What each caller is to be told of the rows of a world, and what becomes of what it sends: the rules of the contract
// in plain JavaScript, without a database.
import type { Claims } from "../service.ts";
import { type Entry, type Id, idOf, nameOf, type Right, type Value, type World } from "./world.ts";

export interface Row {
  id: Id;
  name: string;
  owner: string | null;
  level: number | null;
  one: Id | null;
  many: Id[];
}

/** Who asks: by its claims; null sends no token. */
export type Who = Claims | null;

/** Failures by pointer. */
export type Failures = Record<string, string>;

export class Model {
  readonly world: World;
  readonly rows: Map<string, Row[]>;

  constructor(world: World, rows: Map<string, Row[]>) {
    this.world = world;
    this.rows = rows;
  }

  of(place: number): Row[] {
    return this.rows.get(nameOf(place))!;
  }

  find(place: number, id: Value): Row | undefined {
    return this.of(place).find((row) => row.id === id);
  }

  /** The entries that are for a caller. */
  entries(who: Who, place: number, right: Right): Entry[] {
    const { access, one } = this.world.specs[place]!;
    return access[right].filter((entry) => {
      if (entry.who === "anyone") return true;
      if (entry.who !== "inherit") {
        return who !== null && (entry.who === "authenticated" || who.roles!.includes(entry.who));
      }
      const needed: Right[] = right === "read" ? ["read"] : ["read", "update"];
      return needed.every((right) => this.entries(who, one.target, right).length > 0);
    });
  }

  may(who: Who, place: number, right: Right, row: Row): boolean {
    return this.entries(who, place, right).some((entry) =>
      this.holds(who, place, right, row, entry)
    );
  }

  holds(who: Who, place: number, right: Right, row: Row, entry: Entry): boolean {
    const { one } = this.world.specs[place]!;
    if (entry.who === "inherit") {
      const parent = this.find(one.target, row.one);
      return parent !== undefined && this.may(who, one.target, "read", parent) &&
        (right === "read" || this.may(who, one.target, "update", parent));
    }
    if (entry.rows === undefined) return true;
    if (typeof entry.rows === "number") return this.conditions(who, place, row)[entry.rows]!;
    return Object.keys(entry.rows).every((path) => this.member(who, place, row, entry, path));
  }

  member(who: Who, place: number, row: Row, { rows }: Entry, path: string): boolean {
    const wanted = (rows as Exclude<Entry["rows"], number | undefined>)[path]!;
    const value = this.at(place, row, path);
    if ("is" in wanted) return value === wanted.is;
    return value != null && scalars(who?.[wanted.claim]).includes(String(value));
  }

  conditions(who: Who, place: number, row: Row): boolean[] {
    const { specs, members } = this.world;
    const level = Number(Array.isArray(who?.["level"]) ? NaN : scalars(who?.["level"])[0] ?? NaN);
    const isMember = members.some(([of, at, subject]) =>
      of === place && subject === who?.sub && idOf(specs[place]!, at) === row.id
    );
    return [
      row.level !== null && Number.isInteger(level) && row.level <= level,
      isMember,
      row.owner !== null && scalars(who?.["teams"]).includes(row.owner),
    ];
  }

  /** What a row has at the end of a path; undefined behind a relation that refers to nothing that is seen. */
  at(
    place: number,
    row: Row,
    path: string,
    sees: (place: number, row: Row) => boolean = () => true,
  ) {
    const [first, last] = path.split("__") as [keyof Row, keyof Row | undefined];
    if (!last) return row[first] as Value;
    const { target } = this.world.specs[place]!.one;
    const found = this.find(target, row.one);
    return found && sees(target, found) ? found[last] as Value : undefined;
  }

  /** What a caller is shown of a row; within itself, relations of a resource to itself are identifiers. */
  shown(who: Who, place: number, row: Row, within?: number): object {
    const spec = this.world.specs[place]!;
    const nested = (field: "one" | "many", id: Id) => {
      const { target, read } = spec[field];
      if (read === "identifier" || within === target && target === place) return id;
      const found = this.find(target, id)!;
      return this.may(who, target, "read", found) ? this.shown(who, target, found, place) : { id };
    };
    const { id, name, owner, level, one } = row;
    const many = spec.many.isOrdered ? row.many : row.many.toSorted(inOrder);
    return {
      ...{ id, name, owner, level },
      one: one === null ? null : nested("one", one),
      many: many.map((id) => nested("many", id)),
    };
  }

  readable(who: Who, place: number): Row[] {
    return this.of(place).filter((row) => this.may(who, place, "read", row));
  }

  /** The rows of a list, in their order. */
  list(who: Who, place: number, filters: [path: string, how: string, value: Value][], sort = "id") {
    const sees = (place: number, row: Row) => this.may(who, place, "read", row);
    const at = (row: Row, path: string) => this.at(place, row, path, sees) ?? null;
    const key = sort.replace("-", "");
    const direction = sort.startsWith("-") ? -1 : 1;
    return this.readable(who, place)
      .filter((row) =>
        filters.every(([path, how, value]) => {
          if (how === "among") return row.many.includes(value as Id);
          const found = at(row, path);
          if (how === "contains") return String(found).includes(String(value));
          if (how === "isnull") return (found === null) === Boolean(value);
          return found !== null && (how === "gte" ? found >= value! : found === value);
        })
      )
      .sort((one, other) =>
        direction * (inOrder(at(one, key), at(other, key)) || inOrder(one.id, other.id))
      );
  }

  /** What is wrong with the references of a row: those that it had may stay. */
  refused(who: Who, place: number, sent: Partial<Row>, had?: Row): Failures {
    const { one, many } = this.world.specs[place]!;
    const isRight = (target: number, id: Id, had: Id[]) => {
      const found = this.find(target, id);
      return had.includes(id) || found !== undefined && this.may(who, target, "read", found);
    };
    const failures: Failures = {};
    if (sent.one != null && !isRight(one.target, sent.one, had?.one != null ? [had.one] : [])) {
      failures["/one"] = "does_not_exist";
    }
    for (const [index, id] of (sent.many ?? []).entries()) {
      if (!isRight(many.target, id, had?.many ?? [])) {
        failures[`/many/${index}`] = "does_not_exist";
      }
    }
    return failures;
  }

  /** Why a caller may not leave a row so: the fields by which it is not, if a rule is of fields alone. */
  notAllowed(who: Who, place: number, right: Right, row: Row): Failures {
    if (this.may(who, place, right, row)) return {};
    const [entry, ...others] = this.entries(who, place, right);
    const isOfFields = others.length === 0 && typeof entry!.rows === "object";
    if (!isOfFields) return { "": "not_allowed" };
    const failing = Object.keys(entry!.rows!)
      .filter((path) => !this.member(who, place, row, entry!, path));
    return Object.fromEntries(
      failing.map((path) => [this.pointer(place, path.split("__")[0]!), "not_allowed"]),
    );
  }

  /** What is wrong with a row to create, before it is written and after. */
  refusedToCreate(who: Who, place: number, row: Row): { before: Failures; after: Failures } {
    const before = this.refused(who, place, row);
    const wrong = this.notAllowed(who, place, "create", row);
    const [entry, ...others] = this.entries(who, place, "create");
    const isToldBefore = others.length === 0 && typeof entry!.rows === "object" &&
      Object.keys(entry!.rows).every((path) => this.pointer(place, path.split("__")[0]!) !== "");
    if (isToldBefore) return { before: { ...wrong, ...before }, after: {} };
    return { before, after: wrong };
  }

  private pointer(place: number, field: string): string {
    return field === "id" && this.world.specs[place]!.key === "integer" ? "" : `/${field}`;
  }
}

/** What a claim says, as texts. */
function scalars(claim: unknown): string[] {
  return [claim].flat().filter((each) => ["string", "number", "boolean"].includes(typeof each))
    .map(String);
}

/** Null comes last. */
function inOrder(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}
