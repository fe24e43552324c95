// Which statements are repeated, over a pool that fails as the test says.
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { databaseOf, statements, Unserved } from "./house.ts";

const test = suite("database");

const { reads, slot, sql, writes } = statements;
const statement = {
  reads: reads<{ id: number }, { name: string }>(
    "read",
    sql`select ${slot("id", "bigint")}, ${"x"}`,
  ),
  writes: writes<{ id: number }, { name: string }>(
    "write",
    sql`delete from bar where id = ${slot("id", "bigint")} and name = ${"x"}`,
  ),
};

type Failure = [fate: Unserved["fate"], cause: unknown];

/** A database whose attempts fail like these, one after another, and then succeed; and the attempts. */
function failing(...failures: Failure[]) {
  const attempts: unknown[] = [];
  const attempt = (what: unknown) => {
    const failure = failures[attempts.length];
    attempts.push(what);
    return failure ? Promise.reject(new Unserved(...failure)) : Promise.resolve([{ name: "Bar" }]);
  };
  const database = databaseOf({
    run: (statement, values) => attempt({ text: statement.text, values }),
    script: async (text) => void await attempt(text),
    room: () => 0,
    sessions: () => ({ open: 0, most: 1 }),
    close: () => Promise.resolve(),
  });
  return { database, attempts };
}

const refused = (code: string) => Object.assign(new postgres.PostgresError("Refused"), { code });
const lost = Object.assign(new Error("Lost"), { code: "CONNECTION_CLOSED" });

/** How often each runs at most, where every attempt ends alike. */
const kinds: [what: string, failure: Failure, reads: number, writes: number][] = [
  ["was not sent", ["unsent", lost], 4, 4],
  ["was sent, and may have been carried out", ["unknown", lost], 4, 1],
  ["Postgres rolled back for another (40001)", ["refused", refused("40001")], 4, 4],
  ["Postgres rolled back for another (40P01)", ["refused", refused("40P01")], 4, 4],
  ["Postgres refused", ["refused", refused("23505")], 1, 1],
  ["Postgres cancelled", ["refused", refused("57014")], 1, 1],
  ["Postgres ended the session of (57P01)", ["refused", refused("57P01")], 1, 1],
  ["waited for a session in vain", ["refused", refused("53000")], 1, 1],
];

for (const [what, failure, ...times] of kinds) {
  for (const [index, effect] of (["reads", "writes"] as const).entries()) {
    const most = times[index]!;
    const often = most === 1 ? "never again" : `${most} times at most`;
    test(`runs a statement that ${what} ${often} if it ${effect}`, async () => {
      const { database, attempts } = failing(...Array(10).fill(failure));
      const error = await database.run(statement[effect], { id: 3 }).catch((error) => error);
      assert.is(attempts.length, most);
      assert.is(
        error,
        failure[1],
        "What is thrown is what was met, for no one needs to know of the pool",
      );
      const { text } = statement[effect];
      assert.equal(attempts, Array(most).fill({ text, values: [3] }));
    });

    if (most === 1) continue;
    test(`returns the rows of a statement that ${what} and then ran, if it ${effect}`, async () => {
      for (let failures = 1; failures < most; failures++) {
        const { database, attempts } = failing(...Array(failures).fill(failure));
        assert.equal(await database.run(statement[effect], { id: 3 }), [{ name: "Bar" }]);
        assert.is(attempts.length, failures + 1);
      }
    });
  }
}

test("repeats a write that was not sent, but not once it was sent", async () => {
  const { database, attempts } = failing(["unsent", lost], ["unknown", lost]);
  const error = await database.run(statement.writes, { id: 3 }).catch((error) => error);
  assert.is(error, lost);
  assert.is(attempts.length, 2);
});

for (const [what, failure] of kinds) {
  test(`never repeats a script that ${what}`, async () => {
    const { database, attempts } = failing(failure);
    const text = "create table more (); drop table more";
    const error = await database.script(text).catch((error) => error);
    assert.is(error, failure[1]);
    assert.equal(attempts, [text]);
  });
}

test.run();
