// The database of the peers that use postgres.js.
import process from "node:process";
import postgres from "postgres";
import type { BottageBody, FooBody } from "./bodies.ts";
import { log } from "./equipment.ts";
import {
  type Bottage,
  type Choice,
  containing,
  type Foo,
  type FooRow,
  nested,
  pageOfChoices,
  pageOfFoos,
  statements,
} from "./statements.ts";

/** A pool of the default size of the client; or the fastest that was found. One connection, on which the
 * client pipelines, reads about twice what eight or sixteen do; but several commit at once, and more than
 * eight of them gain nothing that can be measured. */
const reading = pool(log ? 10 : 1);
const writing = log ? reading : pool(8);

/** So many connections; those that are never asked are never opened. */
function pool(connections: number) {
  return postgres(process.env["DATABASE_URL"]!, {
    max: connections,
    fetch_types: false,
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  });
}

export async function readFoo(id: number): Promise<Foo | undefined> {
  const [row] = await ask<FooRow>(reading, "readFoo", [id]);
  return row && nested(row);
}

export interface PageQuery {
  bar: number | undefined;
  cursor: number;
  size: number;
  q: string;
}

export async function listFoos({ bar, cursor, size }: PageQuery) {
  const rows = bar === undefined
    ? await ask<FooRow>(reading, "listFoos", [cursor, size + 1])
    : await ask<FooRow>(reading, "listFoosOfBar", [bar, cursor, size + 1]);
  return pageOfFoos(rows, size, bar);
}

export async function findBars({ cursor, size, q }: PageQuery) {
  const rows = await ask<Choice>(reading, "findBars", [containing(q), cursor, size + 1]);
  return pageOfChoices(rows, size, q);
}

export async function lastBottage(): Promise<Bottage | undefined> {
  return (await ask<Bottage>(reading, "lastBottage", []))[0];
}

/** Creates a foo; undefined where there is no such bar. */
export async function createFoo({ name, bar }: FooBody): Promise<Foo | undefined> {
  const [row] = await ask<FooRow>(writing, "createFoo", [name, bar]);
  return row && nested(row);
}

/** Creates a bottage; undefined where there is no such colere. */
export async function createBottage({ cul, colere }: BottageBody): Promise<Bottage | undefined> {
  return (await ask<Bottage>(writing, "createBottage", [cul, colere]))[0];
}

/** What has no parameters the client would send as text, to be parsed each time, if it were not told. */
const PREPARED = { prepare: true, simple: false };

function ask<Row extends object>(
  pool: typeof reading,
  name: keyof typeof statements,
  values: (string | number)[],
) {
  return pool.unsafe<Row[]>(statements[name], values, PREPARED);
}
