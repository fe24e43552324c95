// `relata statements`: the statements of the server, for operators who look at their plans.
// Needs: time
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { resources, statements } from "./house.ts";
import { afterwards, endAll, relata, sentence } from "./program.ts";
import { psql, withPsql } from "./psql.ts";
import { serverRole } from "./roles.ts";
import { freshPostgres, serviceOn, temporaryFolder } from "./service.ts";
import { bearer, grant } from "./tokens.ts";

const test = suite("relata statements");
test.after.each(endAll);

/** The resources whose statements are kept: the others have the same with fewer columns, and what the server
 * runs itself is written in its source as it is printed. */
const KEPT = ["foo", "bottage"];

const known = new URL("statements.sql", import.meta.url);
const HOW = `To write test/statements.sql anew: for name in ${KEPT.join(" ")}; do ` +
  "node src/main.ts statements $name; done > test/statements.sql";

interface Printed {
  name: string;
  uses: string[];
  text: string;
}

/** What the command prints, for one resource or for all. */
async function printed(...words: string[]): Promise<Printed[]> {
  const { status, stdout, stderr } = await relata(["statements", ...words]);
  assert.equal([status, stderr], [0, ""]);
  return stdout.trimEnd().split("\n\n").map((one) => {
    const [, name = "", uses = "", text = ""] = /^-- ([^:]+): (.+)\n([^]+);$/.exec(one) ?? [];
    return { name, uses: uses.split(", "), text };
  });
}

const all = await printed();

/** The routes of some resources, and what the statements of each are called. */
function routesOf(some: typeof resources): [use: string, names: string[]][] {
  return some.flatMap((resource) =>
    Object.entries(resource.routes).flatMap(([path, verbs]) =>
      [...Map.groupBy(verbs, ({ method }) => method)].map(([method, those]) =>
        [
          `${method} ${path}`,
          those.flatMap((verb) => verb.statements(resource).map(({ name }) => name)),
        ] as [string, string[]]
      )
    )
  );
}

test("prints the statements of every route, and those of the server itself", () => {
  for (const [use, names] of routesOf(resources)) {
    const those = all.filter(({ uses }) => uses.includes(use)).map(({ name }) => name);
    assert.equal(those.toSorted(), names.toSorted(), use);
    assert.ok(names.length > 0, use);
  }
  const own = all.filter(({ uses }) => uses[0]!.startsWith("any "));
  assert.equal(own.map(({ name }) => name), [
    "find token",
    "take a key",
    "keep a key",
    "find a key",
    "forget keys",
    "create rows one by one",
    "try rows one by one",
    "look up a constraint",
    "tell of rows",
    "look at a session",
    "cancel what waits for locks",
    "read the catalogue",
    "look for functions",
    "look for the history",
    "read the history",
  ]);
  const texts = all.map(({ text }) => text);
  assert.is(new Set(texts).size, texts.length, "Each is printed once");
  assert.ok(
    texts.every((text) => /^(with|select|insert|delete)\b[^;]+$/.test(text) && !/\$\d/.test(text)),
  );
});

test("prints every statement that requests run, but for the many forms of lists", async () => {
  const { client, sql, stop } = await freshPostgres();
  afterwards(stop);
  const ran: { text: string; name: string; request: string }[] = [];
  let request = "";
  const { send } = serviceOn({
    client: {
      ...client,
      run(statement, values) {
        const { name, isForm } = statement;
        if (!isForm) ran.push({ text: statements.readable(statement), name, request });
        return client.run(statement, values);
      },
    },
  }, { authRequired: true });
  const headers = bearer(await grant(sql, { scope: "write" }));
  const key = { ...headers, "Idempotency-Key": "one" };
  const foo = { name: "Foo", bar: 1 };
  await sql`insert into bar (id, name) values (2, 'By hand'), (3, 'By hand')`;
  const requests: [request: string, status: number, body?: unknown, headers?: typeof key][] = [
    ["POST /api/bars/", 201, { name: "Bar" }],
    ["POST /api/bars/", 201, { name: "Its identifier is used" }],
    ["POST /api/foos/", 201, foo],
    ["POST /api/foos/", 201, foo, key],
    ["POST /api/foos/", 422, { bar: 9 }],
    ["POST /api/foos/batch/", 201, [foo, foo]],
    ["POST /api/foos/batch/", 201, [foo, foo], { ...key, "Idempotency-Key": "two" }],
    ["GET /api/foos/1/", 200],
    ["PATCH /api/foos/1/", 200, { name: "Changed" }],
    ["PUT /api/foos/9/", 404, foo],
    ["DELETE /api/bars/1/", 409],
    ["DELETE /api/foos/1/", 204],
    ["GET /api/foos/choices/bar/", 200],
    ["POST /bottage/", 201, { cul: "Cul", colere: 1 }],
    ["GET /bottage/last", 200],
    ["GET /readyz", 200],
  ];
  for (const [each, status, body, more] of requests) {
    request = each;
    assert.is((await send(request, body, more ?? headers)).status, status, request);
  }
  const isOf = (request: string) => (use: string) =>
    use.startsWith("any ") || new RegExp(`^${use.replace(/{.*}/, "\\d+")}$`).test(request);
  const unprinted = ran.filter(({ text, request }) =>
    !all.some((printed) => printed.text === text && printed.uses.some(isOf(request)))
  );
  assert.equal(unprinted.map(({ name, request }) => `${name}: ${request}`), []);
  const names = new Set(ran.map(({ name }) => name));
  for (const name of ["find token", "mend the sequence of bar", "check foo", "last bottage"]) {
    assert.ok(names.has(name), name);
  }
});

for (const resource of resources) {
  const { name } = resource;
  test(`prints only those of ${name} if that is asked for`, async () => {
    assert.equal(
      await printed(name),
      all.filter(({ uses }) => routesOf([resource]).some(([use]) => uses.includes(use))),
    );
  });
}

test("lists the resources in one sentence if the one that is asked for does not exist", async () => {
  assert.is(
    sentence(await relata(["statements", "nothing"])),
    'relata: No resource, report or action is named "nothing": there are bar, foo, colere, bottage\n',
  );
  assert.match(sentence(await relata(["statements", "foo", "bar"])), "relata statements");
});

test("prints what test/statements.sql has, so that a change of a statement is seen", async () => {
  const runs = await Promise.all(KEPT.map((name) => relata(["statements", name])));
  const texts = runs.map(({ stdout }) => stdout);
  assert.fixture(texts.join(""), readFileSync(known, "utf8"), HOW);
});

withPsql(
  test,
  "each is accepted by psql's explain, from the role that may serve and no more",
  async () => {
    const { url, sql, stop } = await freshPostgres();
    afterwards(stop);
    const role = await serverRole({ url, sql });
    afterwards(role.stop);
    const folder = temporaryFolder();
    afterwards(folder.remove);
    const slots = all.flatMap((
      { text },
    ) => [...text.matchAll(/(any\()?:'(\w+)'(?:::(\w+(\[\])?))?/g)]);
    const values: Record<string, string> = {
      "json": "[]",
      "text": "",
      "bigint": "1",
      "integer": "1",
      "smallint": "1",
      "boolean": "true",
      "bigint[]": "{1,2}",
      "integer[]": "{1,2}",
      "xid8": "1",
    };
    const variables = slots.flatMap((
      [, any, name, type = any ? "bigint[]" : "text"],
    ) => ["-v", `${name}=${values[type]}`]);
    for (const [index, { name, text }] of all.entries()) {
      const file = join(folder.path, `${index}.sql`);
      writeFileSync(file, `explain ${text};\n`);
      const { status, stdout, stderr } = await psql(role.url, [...variables, "-At", "-f", file]);
      assert.equal([status, stderr], [0, ""], name);
      assert.match(stdout, /cost=/, name);
    }
  },
);

test("a stream reads no more of its table than it shows", async () => {
  const { sql, stop } = await freshPostgres();
  afterwards(stop);
  await sql`
    insert into bottage (cul, colere_id)
    select 'Bottage ' || number, min(id)
    from colere, generate_series(1, 20000) as number
    group by number`;
  await sql`analyze bottage`;
  const followed = all.filter(({ name }) => ["follow bottage", "newest bottage"].includes(name));
  for (const { name, text } of followed) {
    const plan = await sql.unsafe(`explain ${text.replaceAll(/:'\w+'/g, "'1'")}`);
    const lines = plan.map((line) => String(line["QUERY PLAN"])).join("\n");
    assert.match(lines, "Index Scan", name);
    assert.not.match(lines, "Seq Scan on bottage", `${name}: ${lines}`);
  }
});

test("looks for the largest identifier only to mend a sequence", () => {
  const looking = all.filter(({ text }) => /\bmax\s*\(/.test(text));
  assert.equal(
    looking.map(({ name }) => name),
    resources.map(({ name }) => `mend the sequence of ${name}`),
  );
});

test.run();
