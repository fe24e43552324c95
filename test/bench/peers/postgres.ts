// The database of the peers that use postgres.js.
import process from "node:process";
import postgres from "postgres";
import type { BottageBody, FooBody } from "./bodies.ts";
import { type Bottage, type Foo, type FooRow, nested, statements } from "./statements.ts";

/** The best of 1, 2, 4, 8 and 16: with few, the client pipelines. */
const CONNECTIONS = Number(process.env["POOL"] ?? 2);

const sql = postgres(process.env["DATABASE_URL"]!, {
  max: CONNECTIONS,
  fetch_types: false,
  types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
});

export async function readFoo(id: number): Promise<Foo | undefined> {
  const [row] = await ask<FooRow>("readFoo", [id]);
  return row && nested(row);
}

export async function lastBottage(): Promise<Bottage | undefined> {
  return (await ask<Bottage>("lastBottage", []))[0];
}

/** Creates a foo; undefined where there is no such bar. */
export async function createFoo({ name, bar }: FooBody): Promise<Foo | undefined> {
  const [row] = await ask<FooRow>("createFoo", [name, bar]);
  return row && nested(row);
}

/** Creates a bottage; undefined where there is no such colere. */
export async function createBottage({ cul, colere }: BottageBody): Promise<Bottage | undefined> {
  return (await ask<Bottage>("createBottage", [cul, colere]))[0];
}

function ask<Row extends object>(name: keyof typeof statements, values: (string | number)[]) {
  return sql.unsafe<Row[]>(statements[name], values, { prepare: true });
}
