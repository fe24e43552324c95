// Which statements run again, by themselves: over a pool that serves none.
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Kind, retrying, type Serve, type ServerClient, type Tag, Unserved } from "./house.ts";

const test = suite("retrying");

/** A tag whose statements all end like this, and for each attempt what it was taken for. */
function ending(fate: Unserved["fate"]) {
  const attempts: Kind[] = [];
  const serve: Serve = (kind) => {
    attempts.push(kind);
    return Promise.reject(new Unserved(fate, new Error("Lost")));
  };
  const sql = retrying(postgres("postgres://nobody@127.0.0.1:1/nowhere") as unknown as Tag, serve);
  return { sql: sql as unknown as Tag, attempts };
}

test("sends nothing again that may have written, wherever it says so", async () => {
  const { sql, attempts } = ending("unknown");
  for (
    const statement of [
      () => sql`insert into bar (name) values ('Bar')`,
      () => sql`with input as (select 1) insert into bar (id) select * from input`,
      () => sql`with ${sql`input as (select 1)`} ${sql`insert into bar (id) select 1`}`,
      () => sql`with ${sql`gone as (${sql`delete from bar`} returning id)`} select from gone`,
      () => sql`with ${sql`a as (merge into bar)`} select`,
      () => sql`call something()`,
    ]
  ) {
    attempts.length = 0;
    await statement().then(() => assert.unreachable(), () => {});
    assert.equal(attempts, ["write"]);
  }
});

test("reads again what may have been read, three times", async () => {
  const { sql, attempts } = ending("unknown");
  await sql`select id from ${sql("bar")}`.then(() => assert.unreachable(), () => {});
  assert.equal(attempts, Array(4).fill("read"));
});

test("takes what runs again and again for a lookup, or for a write where it may write", async () => {
  const { sql, attempts } = ending("refused");
  const { prepared } = sql as unknown as ServerClient;
  for (const text of ["select id from bar where id = $1", "delete from bar where id = $1"]) {
    await prepared(text)([1]).then(() => assert.unreachable(), () => {});
  }
  assert.equal(attempts, ["lookup", "write"]);
});

test.run();
