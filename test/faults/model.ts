// What the service should hold and say, in memory: the rows of every resource, by the declarations.
import { Buffer } from "node:buffer";
import { type Resource, resources } from "../house.ts";
import type { Json } from "./arbitrary.ts";

/** The values of a row, by field: text, or the identifier that a relation refers to. */
export type Row = Record<string, Json>;

/** What a list is asked for. */
export interface Wishes {
  /** A field, after a minus where it is read backwards. */
  sort: string;
  limit?: number;
  q?: string;
  /** What fields have to be, by name. */
  fields: Row;
}

/** A create under a key: what was sent, and what was answered. */
export interface Kept {
  resource: Resource;
  key: string;
  body: string;
  answer: Json;
}

export class Model {
  /** The rows that there are, by resource and identifier. */
  readonly #rows = new Map<string, Map<number, Row>>(
    resources.map(({ name }) => [name, new Map()]),
  );
  /** The tag of every representation that was seen, by its text. */
  readonly #tags = new Map<string, string>();
  /** The last representation that was seen of each row, by its path. */
  readonly seen = new Map<string, string>();
  readonly kept: Kept[] = [];

  /** The identifiers of the rows, ascending. */
  identifiers({ name }: Resource): number[] {
    return [...this.#rows.get(name)!.keys()].sort((one, other) => one - other);
  }

  has({ name }: Resource, id: number): boolean {
    return this.#rows.get(name)!.has(id);
  }

  /** Writes the values of a row, keeping those that are not given. */
  put({ name }: Resource, id: number, values: Row): void {
    const rows = this.#rows.get(name)!;
    rows.set(id, { ...rows.get(id), ...values });
  }

  remove({ name }: Resource, id: number): void {
    this.#rows.get(name)!.delete(id);
  }

  /** The row as it is read: relations that are nested as their objects. */
  read(resource: Resource, id: number): Json {
    const row = this.#rows.get(resource.name)!.get(id)!;
    return Object.fromEntries(
      Object.entries(resource.fields).map(([name, field]) => {
        if (field.kind === "identifier") return [name, id];
        const { relation } = field;
        return [
          name,
          relation?.nested ? this.read(relation.target(resource), row[name]) : row[name],
        ];
      }),
    );
  }

  /** Whether some row refers to this one. */
  isReferred({ name }: Resource, id: number): boolean {
    return resources.some((other) =>
      Object.entries(other.relations).some(([field, { target }]) =>
        target(other).name === name &&
        [...this.#rows.get(other.name)!.values()].some((row) => row[field] === id)
      )
    );
  }

  /** The relations of some values that refer to nothing. */
  dangling(resource: Resource, values: Row): string[] {
    return Object.entries(resource.relations)
      .filter(([name, { target }]) => name in values && !this.has(target(resource), values[name]))
      .map(([name]) => name);
  }

  /** The rows that a list gives, in its order. */
  list(resource: Resource, { sort, q = "", fields }: Wishes): Json[] {
    const field = sort.replace("-", "");
    const rows = this.#rows.get(resource.name)!;
    const ids = this.identifiers(resource).filter((id) => {
      const row = rows.get(id)!;
      return Object.entries(fields).every(([name, value]) => row[name] === value) &&
        contains(resource.display ? row[resource.display] : "", q);
    });
    if (field !== "id") {
      ids.sort((one, other) => order(rows.get(one)![field], rows.get(other)![field]));
    }
    if (sort.startsWith("-")) ids.reverse();
    return ids.map((id) => this.read(resource, id));
  }

  /** The candidates of a relation, from identifier to the text a person knows them by. */
  choices(target: Resource, q = ""): [string, string][] {
    return this.identifiers(target)
      .map((id): [string, string] => {
        const { [target.display ?? ""]: text } = this.#rows.get(target.name)!.get(id)!;
        return [String(id), text || `${target.name} ${id}`];
      })
      .filter(([, text]) => contains(text, q));
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

/** By code point, which is the order of UTF-8; equal texts stay as they are. */
function order(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Without regard to the case of letters, which here are those of ASCII. */
function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
