// A project by chance: resources whose rows refer to each other, who may do what to them, rows, and callers. It is
// plain data first, so that it shrinks; then words, tables and rows.
import fc from "fast-check";
import type postgres from "postgres";
import {
  anyone,
  authenticated,
  choices,
  claim,
  create,
  createBatch,
  identifier,
  inherit,
  integer,
  last,
  list,
  many,
  merge,
  nullable,
  read,
  relation,
  remove,
  replace,
  type Resource,
  resource,
  role,
  text,
} from "../house.ts";
import type { Row } from "./model.ts";
import type { Claims } from "../service.ts";

export const rights = ["read", "create", "update", "delete"] as const;

export type Right = (typeof rights)[number];

export type Id = number | string;

export type Value = Id | null;

/** What a path must have: a constant, or any value of a claim. */
export type Wanted = { is: Value } | { claim: string };

export interface Entry {
  who: "anyone" | "authenticated" | "x" | "inherit";
  /** The paths of an object with what they must have, or which of `conditions` it is. */
  rows: Record<string, Wanted> | number | undefined;
}

interface Reference {
  /** The place of the resource that it refers to. */
  target: number;
  read: "object" | "identifier";
}

/** A row, whose references are places of rows. */
export interface Sent {
  name: string;
  owner: string | null | undefined;
  level: number | null;
  one: number | null;
  many: number[];
}

export interface Spec {
  key: "integer" | "uuid" | "text";
  /** Whether the subject of who creates a row is its owner. */
  fills: boolean;
  one: Reference;
  many: Reference & { isOrdered: boolean };
  access: Record<Right, Entry[]>;
  rows: Sent[];
  /** Rows to create, and what rows are to be changed to. */
  bodies: [Sent, Sent];
}

type Member = [place: number, row: number, subject: string];

export interface World {
  specs: Spec[];
  callers: Claims[];
  /** Who is a member of which row: of the second of `conditions`. */
  members: Member[];
  /** Which lists are asked for, by their places. */
  lists: number[];
}

/** How many lists there are to choose from. */
export const LISTS = 15;

const names = ["alpha", "beta", "gamma"];

export const nameOf = (place: number) => names[place]!;

/** The paths that rules have, with constants of their kind. */
const paths: Record<string, Value[]> = {
  owner: ["s0", "t1", null],
  level: [1, 2, null],
  name: ["a", "b"],
  one__owner: ["s0", null],
  one__level: [1, null],
  one: [null],
  id: [],
};

const claimNames = ["sub", "org", "level", "teams", "none"];

const wanted = fc.constantFrom(...Object.keys(paths)).chain((path) => {
  const byClaim = fc.constantFrom(...claimNames).map((claim): Wanted => ({ claim }));
  const constants = paths[path]!.map((is): Wanted => ({ is }));
  const value = constants.length > 0
    ? fc.oneof(
      { weight: 3, arbitrary: byClaim },
      { weight: 1, arbitrary: fc.constantFrom(...constants) },
    )
    : byClaim;
  return value.map((value): [string, Wanted] => [path, value]);
});

const rowsOfEntry = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 6,
    arbitrary: fc.array(wanted, { minLength: 1, maxLength: 2 })
      .map((some) => Object.fromEntries(some)),
  },
  { weight: 3, arbitrary: fc.nat(2) },
);

const entry: fc.Arbitrary<Entry> = fc.record({
  who: fc.constantFrom("authenticated", "authenticated", "anyone", "x", "inherit"),
  rows: rowsOfEntry,
});

const entries = fc.array(entry, { minLength: 1, maxLength: 3 });

const someOrNone = fc.oneof({ weight: 9, arbitrary: entries }, {
  weight: 1,
  arbitrary: fc.constant([]),
});

const sent: fc.Arbitrary<Sent> = fc.record({
  name: fc.constantFrom("a", "b", "ab"),
  owner: fc.constantFrom("s0", "s1", "s2", "t1", "7", null, undefined),
  level: fc.constantFrom(1, 1, 2, 3, null),
  one: fc.oneof(fc.nat(5), fc.constant(null)),
  many: fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(fc.nat(5), { maxLength: 3 })),
});

const reference = { target: fc.nat(2), read: fc.constantFrom("object", "object", "identifier") };

const spec: fc.Arbitrary<Spec> = fc.record({
  key: fc.constantFrom("integer", "uuid", "text"),
  fills: fc.boolean(),
  one: fc.record(reference),
  many: fc.record({ ...reference, isOrdered: fc.boolean() }),
  access: fc.record({
    read: someOrNone,
    create: someOrNone,
    update: someOrNone,
    delete: someOrNone,
  }),
  rows: fc.array(sent, { minLength: 2, maxLength: 5 }),
  bodies: fc.tuple(sent, sent),
}) as fc.Arbitrary<Spec>;

const claims = fc.record({
  roles: fc.subarray(["x", "y"]),
  org: fc.constantFrom<unknown>("t1", 7, "7", ["t1", "s1"], ["t1", { a: 1 }], null, {}, "k 1"),
  level: fc.constantFrom<unknown>(1, 2, "2", [1, 2], 1.5, "x", true, null),
  teams: fc.constantFrom<unknown>(["t1"], ["s0", "7"], [7], "t1", [], ["t1\0", "s1"], {}),
}, { requiredKeys: ["roles"], noNullPrototype: true });

export const world: fc.Arbitrary<World> = fc.noBias(
  fc.record({
    lists: fc.subarray(Array.from({ length: LISTS }, (_, place) => place), { maxLength: 4 }),
    specs: fc.array(spec, { minLength: 1, maxLength: 3 }),
    callers: fc.array(claims, { minLength: 2, maxLength: 4 })
      .map((some) => some.map((each, place): Claims => ({ sub: `s${place}`, ...each }))),
    members: fc.array(fc.tuple(fc.nat(2), fc.nat(5), fc.constantFrom("s0", "s1", "s2")), {
      maxLength: 6,
    }),
  }).map(({ specs, members, ...rest }) => ({
    ...rest,
    specs: specs.map(rooted),
    members: members.map(([at, row, subject]): Member => {
      const place = at % specs.length;
      return [place, row % specs[place]!.rows.length, subject];
    }),
  })),
);

/** With references to no resource that comes later; nobody inherits from its own resource. */
function rooted(spec: Spec, place: number): Spec {
  const one = { ...spec.one, target: spec.one.target % (place + 1) };
  const many = { ...spec.many, target: spec.many.target % (place + 1) };
  const access = Object.fromEntries(
    rights.map((right) => [
      right,
      spec.access[right].map(({ who, rows }): Entry => {
        if (who !== "inherit") return { who, rows };
        return one.target === place ? { who: "authenticated", rows } : { who, rows: undefined };
      }),
    ]),
  ) as Spec["access"];
  return { ...spec, one, many, access };
}

/** The identifier of the row at a place. */
export function idOf({ key }: Spec, place: number): Id {
  if (key === "integer") return place + 1;
  if (key === "text") return `k ${place + 1}`;
  return `0000000${place % 10}-0000-4000-8000-${String(place).padStart(12, "0")}`;
}

/** The words of a world; its tables have these names, with a number after them. */
export function resourcesOf({ specs }: World, number: number): Resource[] {
  const made: Resource[] = [];
  for (const [place, spec] of specs.entries()) {
    const name = nameOf(place);
    const path = `/${name}s/`;
    const to = ({ target }: Reference) => target === place ? "self" as const : made[target]!;
    const rowsOf = (rows: Entry["rows"]) => {
      if (typeof rows === "number") return conditions(name, number)[rows];
      return rows && Object.fromEntries(
        Object.entries(rows).map(([path, wanted]) => [
          path,
          "is" in wanted ? wanted.is : claim(wanted.claim),
        ]),
      );
    };
    const wordOf = ({ who, rows }: Entry) => {
      if (who === "inherit") return inherit("one");
      if (who === "anyone") return anyone(rowsOf(rows));
      return who === "authenticated" ? authenticated(rowsOf(rows)) : role(who, rowsOf(rows));
    };
    made.push(resource(name, {
      table: `${name}_${number}`,
      display: "name",
      filter: ["owner", "level", "one__name", "one__owner", "one__level"],
      sort: ["level", "one__name", "one__level"],
      access: Object.fromEntries(rights.map((right) => [right, spec.access[right].map(wordOf)])),
      fields: {
        id: identifier({ type: spec.key }),
        name: text(),
        owner: nullable(text(spec.fills ? { default: claim("sub") } : {})),
        level: nullable(integer()),
        one: nullable(relation(to(spec.one), { read: spec.one.read })),
        many: many(to(spec.many), {
          through: `${name}_link_${number}`,
          from: "here",
          to: "there",
          read: spec.many.read,
          ...(spec.many.isOrdered && { order: "place" }),
        }),
      },
      routes: {
        [path]: [list(), create],
        [`${path}batch/`]: [createBatch],
        ...(spec.key === "integer" && { [`${path}last/`]: [last] }),
        [`${path}choices/one/`]: [choices("one")],
        [`${path}{id}/`]: [read, replace, merge, remove],
      },
    }));
  }
  return made;
}

/** What functions say of rows: with a claim of a kind of its own, with a table of their own, with a list. */
function conditions(name: string, number: number): RowsSql[] {
  return [
    (sql, claim) => sql([`${name}.level <= `, ""], claim("level", integer())),
    (sql, claim) =>
      sql([
        `exists (
          select
          from membership_${number} as membership
          where membership.resource = '${name}'
            and membership.member = ${name}.id::text
            and membership.subject = `,
        ")",
      ], claim("sub")),
    (sql, claim) => sql([`${name}.owner = any(`, ")"], claim("teams", [text()])),
  ];
}

type RowsSql = Extract<Parameters<typeof anyone>[0], (...all: never[]) => unknown>;

const types = { integer: "bigint", uuid: "uuid", text: "text" };

/** Makes the tables of a world, with its rows. */
export async function createTables(
  { specs, members }: World,
  number: number,
  rows: Map<string, Row[]>,
  sql: postgres.Sql,
): Promise<void> {
  const statements = [
    `create table membership_${number} (resource text, member text, subject text)`,
    ...members.flatMap(([place, row, subject]) => {
      return `insert into membership_${number} values (
        '${nameOf(place)}', '${idOf(specs[place]!, row)}', '${subject}')`;
    }),
  ];
  for (const [place, { key, one, many }] of specs.entries()) {
    const [table, link] = [`${nameOf(place)}_${number}`, `${nameOf(place)}_link_${number}`];
    const [to, there] = [one, many].map(({ target }) => ({
      table: `${nameOf(target)}_${number}`,
      type: types[specs[target]!.key],
    })) as [To, To];
    statements.push(
      `create table ${table} (
        id ${types[key]} ${key === "integer" ? "generated by default as identity" : ""} primary key,
        name text not null, owner text, level bigint, one_id ${to.type} references ${to.table})`,
      `create table ${link} (
        here ${types[key]} not null references ${table},
        there ${there.type} not null references ${there.table},
        place bigint, primary key (here, there))`,
    );
    const own = rows.get(nameOf(place))!;
    for (const { id, name, owner, level } of own) {
      statements.push(
        `insert into ${table} values (${[id, name, owner, level].map(literal).join()}, null)`,
      );
    }
    for (const { id, one, many } of own) {
      statements.push(
        `update ${table} set one_id = ${literal(one)} where id = ${literal(id)}`,
        ...many.map((there, place) =>
          `insert into ${link} values (${[id, there, place + 1].map(literal).join()})`
        ),
      );
    }
    if (key === "integer") {
      statements.push(`select setval(pg_get_serial_sequence('${table}', 'id'), ${own.length})`);
    }
  }
  await sql.unsafe(statements.join(";\n"));
}

interface To {
  table: string;
  type: string;
}

function literal(value: Value): string {
  return value === null ? "null" : `'${value}'`;
}

export async function dropTables({ specs }: World, number: number, sql: postgres.Sql) {
  const tables = specs.flatMap((_, place) => [
    `${nameOf(place)}_${number}`,
    `${nameOf(place)}_link_${number}`,
  ]);
  await sql.unsafe(`drop table membership_${number}, ${tables.join()}`);
}
