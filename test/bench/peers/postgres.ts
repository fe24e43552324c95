// The database of the peers that use postgres.js.
import process from "node:process";
import postgres from "postgres";
import type { BottageBody, FooBody } from "./bodies.ts";
import { type Bottage, type Foo, type FooRow, nested, statements } from "./statements.ts";

/** One connection, on which the client pipelines, reads about twice what eight or sixteen do; but
 * several commit at once, and more than eight of them gain nothing that can be measured. */
const reading = pool(1);
const writing = pool(8);

/** So many connections; those that are never asked are never opened. */
export function pool(connections: number) {
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
