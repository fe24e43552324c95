// The rules for writing a relation, for both kinds: `foo.bar`, read as the object,
// and `bottage.colere`, read as the identifier.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  bar,
  bottage,
  colere,
  declarationOf,
  foo,
  identifier,
  many,
  relation,
  resource,
  text,
} from "../house.ts";
import { until } from "../program.ts";
import {
  type Answer,
  failures,
  onEmbedded,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";
import { blocked, inTransaction } from "../transaction.ts";

const test = suite("relation");
const testOnPostgres = onEmbedded ? test.skip : test; // where there is more than one session
let relata: Service;
let narrowed: Service;

test.before(async () => {
  relata = await startService();
  narrowed = await startNarrowed();
  await relata.sql`insert into bar (name) values ('Bar one'), ('Bar two')`;
  await relata.sql`insert into foo (name, bar_id) values ('Foo one', 1)`;
});
test.after(async () => {
  await relata.stop();
  await narrowed.stop();
});

/** Every request that writes a relation. */
const writes = [
  { request: "POST /api/foos/", text: "name", field: "bar" },
  { request: "PUT /api/foos/1/", text: "name", field: "bar" },
  { request: "PATCH /api/foos/1/", text: "name", field: "bar" },
  { request: "POST /bottage/", text: "cul", field: "colere" },
] as const;

type Write = (typeof writes)[number];

/** A body that is right but for what its relation holds, which is given as JSON. */
function bodyOf({ text, field }: Write, json: string): string {
  return `{"${text}":"Written","${field}":${json}}`;
}

/** Every row that could be written, to see that a refusal wrote none. */
async function stored(): Promise<unknown> {
  const { sql } = relata;
  return { foos: await sql`select * from foo`, bottages: await sql`select * from bottage` };
}

/** The one entry of `errors`, at the relation; asserts that nothing was written. */
async function refusal(write: Write, json: string): Promise<{ code: string; detail: string }> {
  const before = await stored();
  const answer = await relata.send(write.request, bodyOf(write, json));
  assert.equal(Object.keys(failures(answer)), [`/${write.field}`]);
  assert.equal(await stored(), before);
  return answer.body.errors[0];
}

async function addBar(name = "Bar"): Promise<number> {
  const [row] = await relata.sql`insert into bar (name) values (${name}) returning id`;
  return row!["id"];
}

async function addFoo(bar: number): Promise<number> {
  const [row] = await relata.sql`
    insert into foo (name, bar_id) values ('Foo', ${bar}) returning id`;
  return row!["id"];
}

// Two kinds of relation, one mechanism

test("foo.bar is written as an identifier and read as the object, in every answer", async () => {
  const created = await relata.send("POST /api/foos/", { name: "Foo", bar: 1 });
  const { id } = created.body;
  const whole = { id: 2, name: "Bar two" };
  assert.equal(created.body.bar, { id: 1, name: "Bar one" });
  assert.equal(
    (await relata.send(`PUT /api/foos/${id}/`, { name: "Foo", bar: 2 })).body.bar,
    whole,
  );
  assert.equal((await relata.send(`PATCH /api/foos/${id}/`, { name: "Oof" })).body.bar, whole);
  assert.equal((await relata.send(`PATCH /api/foos/${id}/`, { bar: 2 })).body.bar, whole);
  assert.equal((await relata.send(`GET /api/foos/${id}/`)).body.bar, whole);
  assert.equal((await relata.send("GET /api/foos/?sort=-id")).body.items[0].bar, whole);
});

test("bottage.colere is written and read as the identifier, in every answer", async () => {
  const created = await relata.send("POST /bottage/", { cul: "Cul", colere: 1 });
  assert.is(created.status, 201);
  assert.is(created.body.colere, 1);
  assert.is((await relata.send(`GET /bottage/${created.body.bottage}`)).body.colere, 1);
  assert.is((await relata.send("GET /bottage/last")).body.colere, 1);
  assert.is((await relata.send("GET /bottage/")).body.items[0].colere, 1);
});

for (const identifier of [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1]) {
  test(`both kinds accept and return the identifier ${identifier}, to the last digit`, async () => {
    const { sql } = relata;
    await sql`insert into bar (id, name) values (${identifier}, 'Far')`;
    await sql`insert into colere (id, name) values (${identifier}, 'Far')`;
    const one = await relata.send("POST /api/foos/", `{"name":"Foo","bar":${identifier}}`);
    const other = await relata.send("POST /bottage/", `{"cul":"Cul","colere":${identifier}}`);
    assert.equal([one.status, other.status], [201, 201]);
    assert.equal(one.body.bar, { id: identifier, name: "Far" });
    assert.is(other.body.colere, identifier);
    await sql`delete from foo where bar_id = ${identifier}`;
    await sql`delete from bottage where colere_id = ${identifier}`;
    await sql`delete from bar where id = ${identifier}`;
    await sql`delete from colere where id = ${identifier}`;
  });
}

const tongue = resource("tongue", {
  path: "/tongues/",
  display: "name",
  fields: { id: identifier(), name: text() },
});

const letter = resource("letter", {
  path: "/letters/",
  fields: {
    id: identifier(),
    tongue: relation(tongue),
    others: many(tongue, { through: "letter_tongue", read: "identifier" }),
  },
});

test("what is listed by an identifier of 0 or below is read, referred to and changed by it", async () => {
  const { sql } = relata;
  await sql`
    create table tongue (id bigint generated by default as identity primary key, name text not null)`;
  await sql`
    create table letter (
      id bigint generated by default as identity primary key,
      tongue_id bigint not null references tongue (id)
    )`;
  await sql`
    create table letter_tongue (
      letter_id bigint not null references letter (id),
      tongue_id bigint not null references tongue (id),
      primary key (letter_id, tongue_id)
    )`;
  await sql`insert into tongue values (-5, 'Other'), (0, 'Unknown'), (1, 'English')`;
  const { send } = serviceOn(relata, { resources: [tongue, letter] });
  const { body: { items } } = await send("GET /tongues/");
  assert.equal(items.map(({ id }: { id: number }) => id), [-5, 0, 1]);
  assert.equal((await send("GET /tongues/0/")).body, { id: 0, name: "Unknown" });
  assert.is((await send("PATCH /tongues/-5/", { name: "Others" })).body.name, "Others");
  for (const path of ["-0", "00", "+1", "-", "--1", "-01", `-${2 ** 53}`]) {
    assert.is((await send(`GET /tongues/${path}/`)).status, 404, path);
  }
  const { status, body, headers } = await send("POST /letters/", { tongue: 0, others: [1, -5] });
  assert.equal([status, body.tongue, body.others], [201, { id: 0, name: "Unknown" }, [-5, 1]]);
  assert.equal((await send(`GET ${headers.get("location")}`)).body, body);
  assert.equal(failures(await send("POST /letters/", { tongue: -1, others: [0, "x", -2] })), {
    "/tongue": "does_not_exist",
    "/others/1": "incorrect_type",
    "/others/2": "does_not_exist",
  });
  for (const query of ["tongue=0", "tongue__in=0,-5", "others=-5", `id__in=${body.id}`]) {
    assert.is((await send(`GET /letters/?${query}`)).body.items.length, 1, query);
  }
  const first = await send("GET /letters/choices/tongue/?limit=2");
  assert.equal(first.body.choices, { "0": "Unknown", "-5": "Others" });
  assert.equal((await send(`GET ${first.body.next}`)).body.choices, { "1": "English" });
  assert.equal((await send("DELETE /tongues/0/")).body.references, [
    { resource: "letter", href: "/letters/?tongue=0" },
  ]);
  assert.is((await send(`DELETE ${headers.get("location")}`)).status, 204);
  assert.is((await send("DELETE /tongues/0/")).status, 204);
});

// 1. The value is an integer identifier

for (const write of writes) {
  for (
    const json of ['"1"', '""', "true", "false", "1.5", "-0.5", "1e-1", "null", "[]", "[1]"]
  ) {
    test(`${write.request} refuses ${json} as ${write.field}`, async () => {
      assert.is((await refusal(write, json)).code, "incorrect_type");
    });
  }

  for (
    const [json, identifier] of [
      ['{"id":1}', 1],
      ['{"id":3,"name":"Bar three"}', 3],
      ['{"name":"Far","id":9007199254740991}', 9007199254740991],
    ] as const
  ) {
    test(`${write.request} refuses ${json} as ${write.field} and says what to send`, async () => {
      const { code, detail } = await refusal(write, json);
      assert.is(code, "incorrect_type");
      assert.is(detail, `Send the identifier ${identifier}, not the object`);
    });
  }

  for (
    const json of ["{}", '{"name":"Bar one"}', '{"id":"1"}', '{"id":null}', '{"id":{"id":1}}']
  ) {
    test(`${write.request} refuses ${json} as ${write.field}, which names no identifier`, async () => {
      const { code, detail } = await refusal(write, json);
      assert.is(code, "incorrect_type");
      assert.match(detail, /\bidentifier\b/);
      assert.not.match(detail, /undefined|null|\[object/);
    });
  }
}

// 2. It must be in the candidate set

const never = [0, -1, 999999, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1, -(2 ** 53) + 1];
const beyond = [
  ["2^53", "9007199254740992"],
  ["2^53 + 1", "9007199254740993"],
  ["2^63 - 1", "9223372036854775807"],
  ["2^63", "9223372036854775808"],
  ["an integer of 30 digits", "123456789012345678901234567890"],
  ["a negative integer of 30 digits", "-123456789012345678901234567890"],
  ["an integer of 400 digits", "9".repeat(400)],
  ["1e400", "1e400"],
  ["-1e400", "-1e400"],
] as const;

for (const write of writes) {
  for (const identifier of never) {
    test(`${write.request} refuses ${identifier}, which no ${write.field} has`, async () => {
      assert.equal(await refusal(write, String(identifier)), {
        pointer: `/${write.field}`,
        code: "does_not_exist",
        detail: `No ${write.field} has the identifier ${identifier}`,
      });
    });
  }

  for (const [title, json] of beyond) {
    test(`${write.request} refuses ${title}, which no ${write.field} can have`, async () => {
      assert.is((await refusal(write, json)).code, "does_not_exist");
    });
  }
}

// A narrowed candidate set: everything but what is called retired

const narrowedFoo = resource("foo", {
  ...declarationOf(foo),
  fields: {
    ...foo.fields,
    bar: relation(bar, {
      column: "bar_id",
      read: "object",
      where: (sql) => sql`bar.name not like 'Retired%'`,
    }),
  },
});
const narrowedBottage = resource("bottage", {
  ...declarationOf(bottage),
  fields: {
    ...bottage.fields,
    colere: relation(colere, {
      column: "colere_id",
      read: "identifier",
      where: (sql) => sql`colere.name not like 'Retired%'`,
    }),
  },
});

async function startNarrowed(): Promise<Service> {
  const service = await startService({ resources: [bar, narrowedFoo, colere, narrowedBottage] });
  for (const table of ["bar", "colere"]) {
    await service.sql`
      insert into ${service.sql(table)} (id, name) values (11, 'Kept'), (12, 'Retired')`;
  }
  await service.sql`insert into foo (id, name, bar_id) values (1, 'Foo one', 11)`;
  return service;
}

test("an identifier outside a narrowed set and one that never existed answer alike", async () => {
  for (const write of writes) {
    const outside = await narrowed.send(write.request, bodyOf(write, "12"));
    const absent = await narrowed.send(write.request, bodyOf(write, "13"));
    assert.equal(failures(outside), { [`/${write.field}`]: "does_not_exist" });
    const alike = (answer: Answer) =>
      JSON.stringify({ ...answer.body, instance: "" }).replaceAll(/\b1[23]\b/g, "N");
    assert.is(alike(outside), alike(absent));
  }
  assert.equal([...await narrowed.sql`select name, bar_id from foo`], [
    { name: "Foo one", bar_id: 11 },
  ]);
  assert.equal([...await narrowed.sql`select id from bottage`], []);
});

test("an identifier outside a narrowed set is reported beside other failing fields", async () => {
  for (const { request, field, text } of writes) {
    const answer = await narrowed.send(request, { [text]: 1, [field]: 12 });
    assert.equal(failures(answer), {
      [`/${text}`]: "incorrect_type",
      [`/${field}`]: "does_not_exist",
    });
  }
});

test("an identifier inside a narrowed set is accepted", async () => {
  for (const write of writes) {
    const { status } = await narrowed.send(write.request, bodyOf(write, "11"));
    assert.is(status, write.request.startsWith("POST") ? 201 : 200);
  }
});

test("the choices offer a narrowed set and nothing else", async () => {
  const bars = await narrowed.send("GET /api/foos/choices/bar/");
  assert.equal(bars.body, { choices: { 11: "Kept" }, next: null });
  const coleres = await narrowed.send("GET /bottage/choices/colere/");
  assert.equal(coleres.body, { choices: { 1: "colere 1", 11: "Kept" }, next: null });
  const searched = await narrowed.send("GET /api/foos/choices/bar/?q=retired");
  assert.equal(searched.body, { choices: {}, next: null });
});

test("a foo whose bar has left a narrowed set is still read, and patched in its name", async () => {
  const bar = { id: 14, name: "Retired since" };
  await narrowed.sql`insert into bar ${narrowed.sql(bar)}`;
  await narrowed.sql`insert into foo (id, name, bar_id) values (20, 'Old', 14)`;
  assert.equal((await narrowed.send("GET /api/foos/20/")).body, { id: 20, name: "Old", bar });
  const patched = await narrowed.send("PATCH /api/foos/20/", { name: "New" });
  assert.equal(patched.body, { id: 20, name: "New", bar });
});

// 3. It is always checked, also when other fields already failed

const long = "x".repeat(65);

for (
  const [body, expected] of [
    [`{"name":"${long}","bar":999}`, { "/name": "too_long", "/bar": "does_not_exist" }],
    [`{"name":"${long}","bar":1}`, { "/name": "too_long" }],
    [`{"name":"Foo","bar":999}`, { "/bar": "does_not_exist" }],
    [`{"name":null,"bar":999}`, { "/name": "incorrect_type", "/bar": "does_not_exist" }],
    [`{"name":"\\u0000","bar":0}`, { "/name": "invalid_text", "/bar": "does_not_exist" }],
    [`{"name":1,"bar":1e400}`, { "/name": "incorrect_type", "/bar": "does_not_exist" }],
    [`{"name":1,"bar":"1"}`, { "/name": "incorrect_type", "/bar": "incorrect_type" }],
    [`{"name":1,"bar":1,"baz":1}`, { "/name": "incorrect_type", "/baz": "unknown_field" }],
    [`{"name":"Foo","bar":999,"id":1}`, { "/bar": "does_not_exist", "/id": "read_only" }],
  ] as const
) {
  for (const request of ["POST /api/foos/", "PUT /api/foos/1/", "PATCH /api/foos/1/"]) {
    test(`${request} of ${body} reports ${Object.keys(expected).join(" and ")}`, async () => {
      const before = await stored();
      assert.equal(failures(await relata.send(request, body)), expected);
      assert.equal(await stored(), before);
    });
  }
}

for (
  const [body, expected] of [
    [`{"bar":999}`, { "/name": "required", "/bar": "does_not_exist" }],
    [`{"name":"${long}"}`, { "/name": "too_long", "/bar": "required" }],
    [`{}`, { "/name": "required", "/bar": "required" }],
  ] as const
) {
  for (const request of ["POST /api/foos/", "PUT /api/foos/1/"]) {
    test(`${request} of ${body} reports ${Object.keys(expected).join(" and ")}`, async () => {
      assert.equal(failures(await relata.send(request, body)), expected);
    });
  }
}

test("a bottage reports its relation beside its other fields too", async () => {
  const answer = await relata.send("POST /bottage/", { cul: 1, colere: 999, date: "today" });
  assert.equal(failures(answer), {
    "/cul": "incorrect_type",
    "/colere": "does_not_exist",
    "/date": "read_only",
  });
});

for (const request of ["PUT /api/foos/987654/", "PATCH /api/foos/987654/"]) {
  test(`${request}, if that foo does not exist, reports the relation first`, async () => {
    const answer = await relata.send(request, { name: "Foo", bar: 999 });
    assert.equal(failures(answer), { "/bar": "does_not_exist" });
  });
}

for (const request of ["POST /api/foos/", "PUT /api/foos/1/", "PATCH /api/foos/1/"]) {
  test(`${request} points at every unknown field, whatever its name`, async () => {
    const names = ["a/b", "m~n", "~1", "", " ", "__proto__", "constructor", "toString", "ключ"];
    const members = names.map((name) => `${JSON.stringify(name)}:{}`);
    const before = await stored();
    const answer = await relata.send(request, `{"name":"${long}","bar":999,${members.join()}}`);
    assert.is(answer.status, 422);
    assert.equal(
      answer.body.errors
        .map(({ pointer, code }: Record<string, string>) => `${code} ${pointer}`)
        .sort(),
      [
        "does_not_exist /bar",
        "too_long /name",
        "unknown_field /",
        "unknown_field / ",
        "unknown_field /__proto__",
        "unknown_field /a~1b",
        "unknown_field /constructor",
        "unknown_field /m~0n",
        "unknown_field /toString",
        "unknown_field /~01",
        "unknown_field /ключ",
      ].sort(),
    );
    assert.equal(await stored(), before);
  });
}

for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
  test(`a field named ${name} alone is unknown, and stands for no other`, async () => {
    const answer = await relata.send("POST /api/foos/", `{"${name}":{"name":"Foo","bar":1}}`);
    assert.equal(failures(answer), {
      "/name": "required",
      "/bar": "required",
      [`/${name}`]: "unknown_field",
    });
  });
}

// 4. Check and write are one

/** Sends a request into the middle of a transaction, which ends once the request waits for it. */
async function during(
  statement: string,
  end: "commit" | "rollback",
  request: string,
  body?: unknown,
): Promise<Answer> {
  const undo = new Error("undo");
  let answer: Promise<Answer> | undefined;
  try {
    await inTransaction(relata.sql, async (transaction) => {
      await transaction.unsafe(statement);
      answer = relata.send(request, body);
      await until("the request waits", async () => await blocked(relata.sql) > 0);
      if (end === "rollback") throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return await answer!;
}

for (const method of ["POST", "PUT", "PATCH"]) {
  const request = async () =>
    method === "POST" ? "POST /api/foos/" : `${method} /api/foos/${await addFoo(1)}/`;

  testOnPostgres(`${method} of a foo refuses a bar that is deleted meanwhile`, async () => {
    const bar = await addBar();
    const to = await request();
    const before = await stored();
    const answer = await during(`delete from bar where id = ${bar}`, "commit", to, {
      name: "Late",
      bar,
    });
    assert.equal(failures(answer), { "/bar": "does_not_exist" });
    assert.is(answer.body.errors[0].detail, `No bar has the identifier ${bar}`);
    assert.equal(await stored(), before);
  });

  testOnPostgres(
    `${method} of a foo accepts a bar whose deletion is undone meanwhile`,
    async () => {
      const bar = await addBar("Stays");
      const to = await request();
      const answer = await during(`delete from bar where id = ${bar}`, "rollback", to, {
        name: "Late",
        bar,
      });
      assert.is(answer.status, method === "POST" ? 201 : 200);
      const { id } = answer.body;
      const read = await relata.send(`GET /api/foos/${id}/`);
      assert.equal(read.body, { id, name: "Late", bar: { id: bar, name: "Stays" } });
    },
  );
}

testOnPostgres(
  "refuses a bar that is deleted meanwhile, whatever the foreign key is called",
  async () => {
    await relata.sql`alter table foo rename constraint foo_bar_id_fkey to of_its_own_name`;
    const bar = await addBar();
    const statement = `delete from bar where id = ${bar}`;
    const answer = await during(statement, "commit", "POST /api/foos/", { name: "Late", bar });
    assert.equal(failures(answer), { "/bar": "does_not_exist" });
  },
);

for (const [end, status] of [["commit", 422], ["rollback", 201]] as const) {
  testOnPostgres(
    `a bottage gets ${status} at the ${end} of the deletion of its colere`,
    async () => {
      const { body: { id } } = await relata.send("POST /colere/", {});
      const statement = `delete from colere where id = ${id}`;
      const answer = await during(statement, end, "POST /bottage/", { cul: "Late", colere: id });
      assert.is(answer.status, status);
      if (status === 422) assert.equal(failures(answer), { "/colere": "does_not_exist" });
      const rows = await relata.sql`select from bottage where colere_id = ${id}`;
      assert.is(rows.length, status === 201 ? 1 : 0);
    },
  );
}

for (const [end, status] of [["commit", 409], ["rollback", 204]] as const) {
  testOnPostgres(`deleting a bar gets ${status} at the ${end} of a new foo of it`, async () => {
    const bar = await addBar();
    const statement = `insert into foo (name, bar_id) values ('Early', ${bar})`;
    assert.is((await during(statement, end, `DELETE /api/bars/${bar}/`)).status, status);
    assert.is((await relata.send(`GET /api/bars/${bar}/`)).status, status === 409 ? 200 : 404);
  });
}

test("after simultaneous writes and deletions, each bar has its foos or is gone", async () => {
  const moved = await Promise.all([1, 1].map(addFoo));
  const bars = await Promise.all(Array.from({ length: 40 }, () => addBar()));
  const outcomes = await Promise.all(bars.map(async (bar, turn) => {
    const write = { name: `For ${bar}`, bar };
    const requests: [string, unknown?][] = [
      ["POST /api/foos/", write],
      [`PUT /api/foos/${moved[0]}/`, write],
      ["POST /api/foos/", write],
      [`PATCH /api/foos/${moved[1]}/`, { bar }],
    ];
    requests.splice(turn % 5, 0, [`DELETE /api/bars/${bar}/`]);
    return await Promise.all(
      requests.map(async ([request, body]) => ({ request, ...await relata.send(request, body) })),
    );
  }));

  for (const [turn, answers] of outcomes.entries()) {
    const bar = bars[turn]!;
    const of = (method: string) => answers.filter(({ request }) => request.startsWith(method));
    const [deletion] = of("DELETE");
    for (const answer of answers) {
      if (answer === deletion) assert.ok([204, 409].includes(answer.status), `${answer.status}`);
      else if (answer.status > 201) {
        assert.equal(failures(answer), { "/bar": "does_not_exist" });
      } else assert.equal(answer.body.bar, { id: bar, name: "Bar" });
    }
    const gone = deletion!.status === 204;
    const created = of("POST").filter(({ status }) => status === 201);
    assert.is((await relata.send(`GET /api/bars/${bar}/`)).status, gone ? 404 : 200);
    if (gone) assert.is(created.length, 0);
    const rows = await relata.sql`
      select id from foo where name = ${`For ${bar}`} and id <> all(${moved}::bigint[])
      order by id`;
    assert.equal(
      rows.map(({ id }) => id),
      created.map(({ body }) => body.id).sort((one, other) => one - other),
    );
  }
  const dangling = await relata.sql`
    select from foo where not exists (select from bar where bar.id = foo.bar_id)`;
  assert.is(dangling.length, 0);
});

// Deleting what is referred to

test("the 409 names the resource whose rows refer to it, and no other table", async () => {
  const [bar] = await relata.sql`insert into bar (name) values ('Both') returning id`;
  await relata.sql`create table stranger (bar_id bigint references bar (id))`;
  await relata.sql`insert into stranger (bar_id) values (${bar!["id"]})`;
  const detailOf = async () => (await relata.send(`DELETE /api/bars/${bar!["id"]}/`)).body.detail;
  assert.is(await detailOf(), "Other rows still refer to this bar");
  await relata.sql`drop table stranger`;
  await relata.sql`insert into foo (name, bar_id) values ('Foo', ${bar!["id"]})`;
  assert.is(await detailOf(), "Rows of foo still refer to this bar");
});

test("deleting a bar that a foo refers to is 409 and deletes nothing", async () => {
  const bar = await addBar("Needed");
  const foo = await addFoo(bar);
  assert.is((await relata.send(`DELETE /api/bars/${bar}/`)).status, 409);
  const read = await relata.send(`GET /api/foos/${foo}/`);
  assert.equal(read.body, { id: foo, name: "Foo", bar: { id: bar, name: "Needed" } });
  assert.equal((await relata.send(`GET /api/bars/${bar}/`)).body, { id: bar, name: "Needed" });

  await relata.send(`PATCH /api/foos/${foo}/`, { bar: 1 });
  assert.is((await relata.send(`DELETE /api/bars/${bar}/`)).status, 204);
  assert.is((await relata.send(`GET /api/bars/${bar}/`)).status, 404);
});

for (const request of ["PATCH", "PUT", "DELETE"]) {
  testOnPostgres(
    `a ${request} that waited is 412 if the bar was changed meanwhile with the foo`,
    async () => {
      const bar = await addBar("Old");
      const created = await relata.send("POST /api/foos/", { name: "Foo", bar });
      const path = `/api/foos/${created.body.id}/`;
      const match = { "if-match": created.headers.get("etag")! };
      let answer: Promise<Answer> | undefined;
      await inTransaction(relata.sql, async (sql) => {
        await sql`update foo set name = name where id = ${created.body.id}`;
        await sql`update bar set name = 'New' where id = ${bar}`;
        const body = request === "DELETE" ? undefined : { name: "Mine", bar };
        answer = relata.send(`${request} ${path}`, body, match);
        await until("it waits", async () => await blocked(relata.sql) > 0);
      });
      assert.is((await answer!).status, 412);
      const { body } = await relata.send(`GET ${path}`);
      assert.equal(body, { ...created.body, bar: { id: bar, name: "New" } });
    },
  );
}

testOnPostgres(
  "a patch shows the bar that another gave the foo meanwhile, which is new",
  async () => {
    const [one, other] = [await addBar(), 4_000_000];
    const { body: { id } } = await relata.send("POST /api/foos/", { name: "Before", bar: one });
    let answer: Promise<Answer> | undefined;
    await inTransaction(relata.sql, async (sql) => {
      await sql`update foo set name = name where id = ${id}`;
      answer = relata.send(`PATCH /api/foos/${id}/`, { name: "After" });
      await until("it waits", async () => await blocked(relata.sql) > 0);
      await sql`insert into bar (id, name) values (${other}, 'New')`;
      await sql`update foo set bar_id = ${other} where id = ${id}`;
    });
    const { status, body } = await answer!;
    assert.equal([status, body], [200, { id, name: "After", bar: { id: other, name: "New" } }]);
  },
);

test.run();
