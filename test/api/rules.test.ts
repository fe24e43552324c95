// Who may do what to which rows: what each caller is shown of rows, and what becomes of what it sends.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type Answer,
  type Claims,
  failures,
  onEmbedded,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";
import { resources, tables } from "../rules/project.ts";
import { bearer } from "../tokens.ts";
import { blocked, inTransaction } from "../transaction.ts";
import { until } from "../program.ts";

const test = suite("rules");
const testOnPostgres = onEmbedded ? test.skip : test; // where there is more than one session
let relata: Service;

/** The keys of rows that hide what callers do not read. */
const [GADGET, OTHER] = [
  "11111111-1111-4111-8111-111111111111",
  "22222222-2222-4222-8222-222222222222",
];

/** The tables, each before those that it refers to. */
const all = [
  ...["parcel_voucher", "parcel", "line", "note_tag", "note", "tag", "membership", "project"],
  ...["message", "person", "article", "gadget", "receipt", "voucher", "sale", "room"],
  "letter",
];

/** The same rows before each test, of ann and bob in one tenant and eve in another. */
const rows = `
${all.map((table) => `delete from ${table};`).join("\n")}
${
  resources.filter(({ identifiers }) => identifiers.sqlType === "bigint")
    .map(({ name }) => `select setval('${name}_id_seq', 1, false);`).join("\n")
}
insert into person (subject) values ('ann'), ('bob'), ('eve');
insert into project (name, motto, tenant) values
  ('Alpha', 'Win', 'o1'), ('Beta', 'Win', 'o2'), ('Gamma', 'Win', 'o2');
insert into membership values (3, 'ann');
insert into tag (name, owner) values ('red', 'ann'), ('blue', 'bob'), ('green', 'ann');
insert into note (title, owner, project_id) values
  ('Plan of ann', 'ann', 1), ('Plan of bob', 'bob', 1), ('Plan of eve', 'eve', 2);
insert into note_tag values (1, 3, 1), (1, 1, 2), (2, 2, 1);
insert into line (text, note_id) values ('First', 1), ('Second', 2);
insert into article (title, state, owner) values
  ('A', 'published', 'ann'), ('B', 'draft', 'ann'), ('C', 'published', 'bob'), ('D', 'draft', 'bob');
insert into gadget values ('${GADGET}', 'bob');
insert into voucher values ('B-1', 'bob'), ('A-1', 'ann'), ('C-1', 'bob'),
  ('D-1', 'bob');
insert into receipt (voucher_id) values ('D-1');
insert into parcel (note_id, gadget_id, voucher_id) values (2, '${GADGET}', 'B-1');
insert into parcel_voucher values (1, 'A-1'), (1, 'B-1'), (1, 'C-1');
insert into message (words, sender_id) values ('Hello', 1), ('Bye', 2);
insert into room (level, teams) values (1, '{}'), (2, '{north}'), (3, '{south}'), (null, '{}');
`;

test.before(async () => {
  relata = await startService({ resources });
  await relata.sql.unsafe(tables);
});
test.before.each(() => relata.sql.unsafe(rows).then(() => {}));
test.after(() => relata.stop());

/** The callers of the cases. */
const callers = {
  ann: { sub: "ann", org: "o1" },
  bob: { sub: "bob", org: "o1" },
  eve: { sub: "eve", org: "o2" },
  ada: { sub: "ada", roles: ["admin"] },
  none: null,
} satisfies Record<string, Claims | null>;

type Name = keyof typeof callers;

const names = Object.keys(callers) as Name[];

/** Sends a request as one of the callers. */
const as = (name: Name, ...sent: Parameters<Service["send"]>): Promise<Answer> =>
  relata.as(callers[name]).send(...sent);

function idsOf({ status, body }: Answer): number[] {
  assert.is(status, 200, JSON.stringify(body));
  return body.items.map(({ id }: { id: number }) => id);
}

async function stored(table: string): Promise<unknown> {
  return await relata.sql`select * from ${relata.sql(table)} as kept order by kept::text`;
}

/** Checks that requests leave a table as it is. */
async function unchanged(table: string, work: () => Promise<void>): Promise<void> {
  const before = await stored(table);
  await work();
  assert.equal(await stored(table), before);
}

test("a field is filled by the claim of who creates the row, and the row is its own", async () => {
  const { status, body } = await as("ann", "POST /notes/", { title: "New" });
  assert.equal([status, body.owner], [201, "ann"]);
  assert.is((await as("ann", `GET /notes/${body.id}/`)).status, 200);
  assert.is((await as("bob", `GET /notes/${body.id}/`)).status, 404);
});

test("a create of who has no such claim lacks the field", async () => {
  const nameless = relata.as({ sub: "zoe" });
  assert.equal(failures(await nameless.send("POST /projects/", { name: "New" })), {
    "/tenant": "required",
  });
});

test("the row of another is for every request as if there were none", async () => {
  const tag = (await as("ann", "GET /notes/1/")).headers.get("etag")!;
  const requests = [
    ["GET"],
    ["HEAD"],
    ["GET", undefined, { "if-none-match": tag }],
    ...[{}, { "if-match": tag }, { "if-match": "*" }, { "if-none-match": '"other"' }]
      .flatMap((headers) => [
        ["PUT", { title: "Mine", project: 1, tags: [] }, headers],
        ["PATCH", { title: "Mine" }, headers],
        ["DELETE", undefined, headers],
      ]),
  ] as [method: string, body?: object, headers?: Record<string, string>][];
  await unchanged("note", async () => {
    for (const [method, body, headers] of requests) {
      const [hidden, absent] = await Promise.all(
        [1, 99].map((id) => as("bob", `${method} /notes/${id}/`, body, headers)),
      );
      assert.is(hidden!.status, 404, method);
      assert.is(absent!.status, 404, method);
      if (method === "HEAD") continue;
      assert.is(hidden!.body.detail, absent!.body.detail.replace("99", "1"));
    }
  });
});

for (
  const [query, of] of [
    ["", [2]],
    ["?count=true", [2]],
    ["?id__in=1,2,3", [2]],
    ["?q=plan", [2]],
    ["?title=Plan of ann", []],
    ["?project=1", [2]],
    ["?project__name=Alpha", [2]],
    ["?tags=1", []],
    ["?owner=ann", []],
    ["?sort=-id", [2]],
    ["?sort=title&limit=1&count=true", [2]],
    ["?sort=-project__name&limit=1", [2]],
  ] as const
) {
  test(`a list with "${query}" has the rows of its caller alone`, async () => {
    const answer = await as("bob", `GET /notes/${query}`);
    const { body } = answer;
    assert.equal(idsOf(answer), of);
    assert.is(body.next, null);
    if (query.includes("count")) assert.is(body.count, of.length);
  });
}

for (const name of ["ann", "bob", "ada"] as const) {
  test(`the tags of a list are those of the rows as ${name} reads them`, async () => {
    for (const path of ["/notes/", "/parcels/", "/lines/"]) {
      const { body } = await as(name, `GET ${path}?etags=true`);
      assert.ok(body.items.length > 0);
      for (const [place, { id }] of body.items.entries()) {
        const read = await as(name, `GET ${path}${id}/`);
        assert.is(body.etags[place], read.headers.get("etag"));
      }
    }
  });
}

test("no key of a hidden row is in a cursor", async () => {
  await relata.sql`
    insert into note (title, owner, project_id) values ('Zeta', 'bob', 2), ('Eta', 'bob', null)`;
  const seen = [];
  let next = "/notes/?sort=project__name&limit=1";
  while (next) {
    const answer = await as("bob", `GET ${next}`);
    seen.push(...idsOf(answer));
    next = answer.body.next ?? "";
    const cursor = new URLSearchParams(next.split("?")[1]).get("cursor") ?? "";
    assert.not.match(Buffer.from(cursor, "base64url").toString(), /Beta|Plan/);
  }
  assert.equal(seen, [2, 4, 5]);
});

test("callers at once read their own rows, in statements that they share", async () => {
  const ofEach = { ann: 1, bob: 2, eve: 3 };
  const asked = Array.from({ length: 500 }, (_, place) => ({
    who: names[place % names.length]!,
    id: 1 + place % 3,
  }));
  const answers = await Promise.all(asked.map(({ who, id }) => as(who, `GET /notes/${id}/`)));
  for (const [place, { who, id }] of asked.entries()) {
    const expected = who === "none" ? 401 : who === "ada" || ofEach[who] === id ? 200 : 404;
    assert.is(answers[place]!.status, expected, `${who} reads ${id}`);
    if (expected === 200) assert.is(answers[place]!.body.id, id);
  }
  const { body } = await relata.send("GET /metrics");
  const [, sum, count] = ["sum", "count"].reduce<number[]>((found, what) => [
    ...found,
    Number(
      new RegExp(`^relata_batch_size_${what}\\{[^}]*"read note"[^}]*\\} (\\d+)`, "m").exec(
        body,
      )![1],
    ),
  ], [0]);
  assert.ok(sum! > 2 * count!, `${sum} requests in ${count} statements`);
});

for (
  const [request, sent, errors] of [
    ["POST /notes/", { title: "X", owner: "bob" }, { "/owner": "not_allowed" }],
    ["PATCH /notes/1/", { owner: "bob" }, { "/owner": "not_allowed" }],
    ["PUT /notes/1/", { title: "X", owner: "bob" }, { "/owner": "not_allowed" }],
    ["POST /notes/", { title: "X", project: 2 }, { "/project": "does_not_exist" }],
    ["PATCH /notes/1/", { project: 2 }, { "/project": "does_not_exist" }],
    ["PATCH /notes/1/", { tags: [1, 2] }, { "/tags/1": "does_not_exist" }],
    ["POST /notes/", { title: "X", tags: [2] }, { "/tags/0": "does_not_exist" }],
    [
      "POST /notes/",
      { title: "X", owner: "bob", project: 2 },
      { "/owner": "not_allowed", "/project": "does_not_exist" },
    ],
    [
      "POST /notes/batch/",
      [{ title: "X" }, { title: "X", project: 2 }, { title: "X" }],
      { "/1/project": "does_not_exist" },
    ],
    [
      "POST /notes/batch/",
      [{ title: "X" }, { title: "X", owner: "bob" }],
      { "/1/owner": "not_allowed" },
    ],
    ["POST /messages/", { words: "X", sender: 2 }, { "/sender": "does_not_exist" }],
    ["PATCH /messages/1/", { sender: 2 }, { "/sender": "does_not_exist" }],
    ["POST /lines/", { text: "X", note: 2 }, { "/note": "does_not_exist" }],
    ["PATCH /lines/1/", { note: 2 }, { "/note": "does_not_exist" }],
    ["POST /rooms/", { level: 5 }, { "/level": "not_allowed" }],
    ["POST /sales/", { item: "X", owner: "ann" }, { "/owner": "read_only" }],
    ["POST /sales/", { item: "X", owner: "bob" }, { "/owner": "read_only" }],
  ] as const
) {
  test(`nothing is written by ${request} ${JSON.stringify(sent)}`, async () => {
    const [, table] = /\/(\w+?)s\//.exec(request)!;
    await unchanged(table!, () =>
      unchanged("note_tag", async () => {
        assert.equal(failures(await as("ann", request, sent)), errors);
      }));
  });
}

test("what a rule refuses of one create leaves those alone that share its statement", async () => {
  const sent = Array.from({ length: 40 }, (_, place) => place % 4);
  const bodies = [{}, { owner: "eve" }, { project: 2 }, { tags: [2] }];
  const answers = await Promise.all(
    sent.map((which, place) => as("ann", "POST /notes/", { title: `S${place}`, ...bodies[which] })),
  );
  assert.equal(answers.map(({ status }) => status), sent.map((which) => which === 0 ? 201 : 422));
  const made = await relata.sql`select title, owner from note where title like 'S%' order by id`;
  assert.equal(
    new Set(made.map(({ title }) => title)),
    new Set(sent.flatMap((which, place) => which === 0 ? [`S${place}`] : [])),
  );
  assert.ok(made.every(({ owner }) => owner === "ann"));
});

test("who may hand a row over does; a replace keeps the field that a claim fills", async () => {
  const replaced = await as("ada", "PUT /notes/1/", { title: "Edited" });
  assert.equal([replaced.status, replaced.body.owner], [200, "ann"]);
  const moved = await as("ada", "PATCH /notes/1/", { owner: "bob" });
  assert.equal([moved.status, moved.body.owner], [200, "bob"]);
  assert.is((await as("ann", "GET /notes/1/")).status, 404);
});

test("a hidden row that a row refers to is shown as its identifier, which may stay", async () => {
  await relata.sql`update project set tenant = 'o2' where id = 1`;
  const { status, body } = await as("ann", "GET /notes/1/");
  assert.equal([status, body.project], [200, { id: 1 }]);
  const whole = { title: "Saved", owner: "ann", project: 1, tags: [3, 1] };
  const saved = await as("ann", "PUT /notes/1/", whole);
  assert.equal([saved.status, saved.body.project], [200, { id: 1 }]);
  assert.equal(failures(await as("ann", "PUT /notes/1/", { ...whole, project: 2 })), {
    "/project": "does_not_exist",
  });
  assert.equal(failures(await as("ann", "POST /notes/", whole)), { "/project": "does_not_exist" });
});

test("a hidden row that may stay is not told as missing beside another failure", async () => {
  await relata.sql`update project set tenant = 'o2' where id = 1`;
  await relata.sql`update tag set owner = 'bob' where id = 3`;
  const wrong = { title: "x".repeat(201), project: 1, tags: [3, 1] };
  for (const method of ["PUT", "PATCH"]) {
    const send = (who: Name, body: object) =>
      as(who, `${method} /notes/1/`, { ...wrong, ...body }).then(failures);
    assert.equal(await send("ann", {}), { "/title": "too_long" });
    assert.equal(await send("ann", { project: 2, tags: [3, 2] }), {
      "/title": "too_long",
      "/project": "does_not_exist",
      "/tags/1": "does_not_exist",
    });
    // Who may not read the row is not told what it has
    assert.equal(await send("bob", { tags: [2, 1] }), {
      "/title": "too_long",
      "/project": "does_not_exist",
      "/tags/1": "does_not_exist",
    });
  }
  assert.equal(failures(await as("ann", "POST /notes/", wrong)), {
    "/title": "too_long",
    "/project": "does_not_exist",
    "/tags/0": "does_not_exist",
  });
});

test("filters and sorts see a hidden row as if there were none", async () => {
  await relata.sql`update note set owner = 'ann', project_id = id`;
  for (
    const [query, of] of [
      ["project__name=Alpha", [1]],
      ["project__name=Beta", []],
      ["project__name__in=Alpha,Beta", [1]],
      ["project__name__isnull=true", [2]],
      ["project__name__isnull=false", [1, 3]],
      ["project__motto__isnull=true", [2]],
      ["project__motto__isnull=false", [1, 3]],
      ["project=2", [2]],
      ["sort=project__name", [1, 3, 2]],
    ] as const
  ) assert.equal(idsOf(await as("ann", `GET /notes/?${query}`)), of, query);
});

test("choices are the rows that their caller reads", async () => {
  for (
    const [who, of] of [["ann", [1, 3]], ["bob", [1]], ["eve", [2, 3]], ["ada", [1, 2, 3]]] as const
  ) {
    const all = await as(who, "GET /notes/choices/project/");
    assert.equal(Object.keys(all.body.choices), of.map(String));
    const chosen = await as(who, "GET /notes/choices/project/?id__in=1,2&q=a");
    assert.equal(Object.keys(chosen.body.choices), of.filter((id) => id < 3).map(String));
  }
  assert.is((await as("none", "GET /notes/choices/project/")).status, 401);
});

for (
  const [who, request, status, of] of [
    ["none", "GET /articles/", 200, [1, 3]],
    ["ann", "GET /articles/", 200, [1, 2, 3]],
    ["bob", "GET /articles/?count=true", 200, [1, 3, 4]],
    ["ada", "GET /articles/", 200, [1, 3]],
    ["none", "GET /articles/1/", 200],
    ["none", "GET /articles/2/", 404],
    ["none", "DELETE /articles/1/", 401],
    ["none", "POST /articles/", 401],
    ["ann", "DELETE /articles/3/", 403],
    ["ann", "DELETE /articles/4/", 404],
    ["ann", "PATCH /articles/3/", 403],
    ["ann", "PATCH /articles/4/", 404],
    ["none", "GET /notes/", 401],
    ["none", "GET /lines/1/", 401],
    ["ada", "GET /letters/", 200, []],
    ["ann", "GET /letters/", 403],
    ["none", "GET /letters/", 401],
    ["none", "POST /letters/", 201],
    ["ada", "DELETE /letters/1/", 403],
    ["ada", "PUT /gadgets/${GADGET}/", 404],
    ["ann", "POST /gadgets/", 403],
    ["ann", "POST /rooms/batch/", 422],
  ] as const
) {
  test(`${who}: ${request} is ${status}`, async () => {
    const isWrite = /^(POST|PUT|PATCH)/.test(request);
    const body = isWrite ? request.includes("letters") ? { words: "X" } : {} : undefined;
    const answer = await as(who, request.replace("${GADGET}", GADGET), body);
    assert.is(answer.status, status);
    if (status === 403) assert.match(answer.body.type, /forbidden$/);
    if (of) assert.equal(idsOf(answer), of);
  });
}

test("a token that is sent has to be valid also where none is needed", async () => {
  const { send } = serviceOn(relata, { resources, authRequired: true });
  assert.is((await send("GET /articles/1/")).status, 200);
  assert.is((await send("GET /notes/1/")).status, 401);
  const invalid = await send("GET /articles/1/", undefined, bearer("relata_ended"));
  assert.is(invalid.status, 401);
});

test("a row that its caller may not write is 403 before a condition is 412", async () => {
  for (const headers of [{ "if-match": '"other"' }, { "if-none-match": "*" }]) {
    for (const [method, body] of [["PATCH", { title: "X" }], ["DELETE", undefined]] as const) {
      const { status } = await as("ann", `${method} /articles/3/`, body, headers);
      assert.is(status, 403);
    }
  }
  const own = await as("ann", "PATCH /articles/1/", { title: "X" }, { "if-match": '"other"' });
  assert.is(own.status, 412);
});

test("a condition tells nothing of a row to who may write it and not read it", async () => {
  const editor = relata.as({ sub: "ed", roles: ["editor"] });
  for (const headers of [{ "if-match": '"other"' }, { "if-none-match": "*" }]) {
    const seen = await editor.send("PATCH /articles/1/", { title: "X" }, headers);
    assert.equal([seen.status, seen.body.current.title], [412, "A"]);
    const hidden = await editor.send("PATCH /articles/2/", { title: "X" }, headers);
    assert.equal([hidden.status, hidden.body.current], [404, undefined]);
    assert.is(hidden.headers.get("etag"), null);
  }
});

test("an entry more lets callers do more: an editor changes what others wrote", async () => {
  const editor = relata.as({ sub: "ed", roles: ["editor"] });
  assert.is((await editor.send("PATCH /articles/1/", { title: "Edited" })).status, 200);
  assert.is((await editor.send("PATCH /articles/2/", { title: "Edited" })).status, 404);
  assert.is((await editor.send("DELETE /articles/1/")).status, 403);
});

test("the answer of a write shows the row, also if its caller may not read it any more", async () => {
  await relata.sql`update article set owner = 'zed' where id = 1`;
  const editor = relata.as({ sub: "ed", roles: ["editor"] });
  const changed = await editor.send("PATCH /articles/1/", { state: "draft" });
  assert.equal([changed.status, changed.body.state], [200, "draft"]);
  assert.is((await editor.send("GET /articles/1/")).status, 404);
  const letter = await as("none", "POST /letters/", { words: "Hello" });
  assert.equal([letter.status, letter.body], [201, { id: 1, words: "Hello" }]);
});

test("hidden tags are identifiers in their places, and stay when what was read is sent", async () => {
  await relata.sql`delete from note_tag`;
  await relata.sql`insert into note_tag values (1, 3, 1), (1, 2, 2), (1, 1, 3)`;
  const { body } = await as("ann", "GET /notes/1/");
  assert.equal(body.tags, [
    { id: 3, name: "green", owner: "ann" },
    { id: 2 },
    { id: 1, name: "red", owner: "ann" },
  ]);
  const { id: _, ...whole } = body;
  const sent = { ...whole, project: 1, tags: [3, 2, 1] };
  await unchanged("note_tag", async () => {
    const saved = await as("ann", "PUT /notes/1/", sent);
    assert.equal([saved.status, saved.body], [200, body]);
  });
  const turned = await as("ann", "PATCH /notes/1/", { tags: [1, 2] });
  assert.equal(turned.body.tags.map(({ id }: { id: number }) => id), [1, 2]);
});

test("a hidden row is shown by its key, whatever that is called and holds", async () => {
  const { body } = await as("ann", "GET /parcels/1/");
  assert.equal(body, {
    id: 1,
    note: { id: 2 },
    gadget: { serial: GADGET },
    voucher: { code: "B-1" },
    vouchers: [{ code: "A-1", owner: "ann" }, { code: "B-1" }, { code: "C-1" }],
  });
  const whole = { note: 2, gadget: GADGET, voucher: "B-1", vouchers: ["A-1", "B-1", "C-1"] };
  const saved = await as("ann", "PUT /parcels/1/", whole);
  assert.equal([saved.status, saved.body], [200, body]);
  assert.equal(failures(await as("ann", "POST /parcels/", whole)), {
    "/note": "does_not_exist",
    "/gadget": "does_not_exist",
    "/voucher": "does_not_exist",
    "/vouchers/1": "does_not_exist",
    "/vouchers/2": "does_not_exist",
  });
});

test("what is nested in what is nested is hidden by its own rule", async () => {
  await relata.sql`update parcel set note_id = 1`;
  await relata.sql`update project set tenant = 'o2'`;
  const { body } = await as("ann", "GET /parcels/1/");
  assert.equal([body.note.title, body.note.project], ["Plan of ann", { id: 1 }]);
});

test("who inherits reads as the parent is read, and writes as it is updated", async () => {
  assert.equal(idsOf(await as("ann", "GET /lines/")), [1]);
  assert.equal(idsOf(await as("ada", "GET /lines/")), [1, 2]);
  assert.is((await as("bob", "GET /lines/1/")).status, 404);
  assert.is((await as("bob", "DELETE /lines/1/")).status, 404);
  const own = await as("ann", "POST /lines/", { text: "Third", note: 1 });
  assert.equal([own.status, own.body.note.id], [201, 1]);
  assert.is((await as("ann", "DELETE /lines/1/")).status, 204);
});

test("an Idempotency-Key stays its caller's, whatever roles a new token has", async () => {
  const key = { "idempotency-key": "renewed" };
  const create = (roles: string[]) =>
    relata.as({ sub: "ann", roles }).send("POST /notes/", { title: "Renewed" }, key);
  for (const roles of [["a", "b"], ["b", "a"], []]) {
    assert.is((await create(roles)).status, 201);
  }
  assert.is((await relata.sql`select from note where title = 'Renewed'`).length, 1);
});

test("a key tells nothing of a row that its caller may read no more: here, the project that is shown", async () => {
  const key = { "idempotency-key": "moved" };
  const create = (org: string) =>
    relata.as({ sub: "ann", org }).send("POST /notes/", { title: "Moved", project: 1 }, key);
  const first = await create("o1");
  assert.equal([first.status, first.body.project.name], [201, "Alpha"]);
  assert.equal(failures(await create("o2")), { "/project": "does_not_exist" });
});

test("an Idempotency-Key is its caller's", async () => {
  const key = { "idempotency-key": "once" };
  const sent = () =>
    Promise.all(
      (["ann", "bob"] as const).map((who) => as(who, "POST /notes/", { title: "Keyed" }, key)),
    );
  const [ann, bob] = await sent();
  const [again, too] = await sent();
  assert.equal([ann!.status, bob!.status], [201, 201]);
  assert.equal([ann!.body.owner, bob!.body.owner], ["ann", "bob"]);
  assert.equal([again!.body, too!.body], [ann!.body, bob!.body]);
  assert.equal((await relata.sql`select from note where title = 'Keyed'`).length, 2);
});

for (
  const [who, request, cache] of [
    ["ann", "GET /notes/1/", "private, no-cache"],
    ["ann", "GET /notes/", "private, no-cache"],
    ["bob", "GET /notes/1/", "private, no-cache"],
    ["none", "GET /articles/1/", "no-cache"],
    ["none", "GET /notes/1/", "no-cache"],
    ["ann", "GET /articles/1/", "private, no-cache"],
  ] as const
) {
  test(`a cache keeps what ${who} gets by ${request} from others`, async () => {
    const { headers } = await as(who, request);
    assert.is(headers.get("cache-control"), cache);
    assert.match(headers.get("vary")!, /\bAuthorization\b/);
  });
}

test("a tag is of the body as its caller reads it", async () => {
  const [ann, ada] = await Promise.all(
    (["ann", "ada"] as const).map((who) => as(who, "GET /parcels/1/")),
  );
  const [one, other] = [ann!, ada!].map(({ headers }) => headers.get("etag")!);
  assert.is.not(one, other);
  for (const [tag, status] of [[other, 412], [one, 200]] as const) {
    const told = await as("ann", "PATCH /parcels/1/", { voucher: null }, { "if-match": tag! });
    assert.is(told.status, status);
    if (status === 412) {
      assert.equal([told.body.current, told.headers.get("etag")], [ann!.body, one]);
    }
  }
});

test("a replace creates only for who may, and tells nothing of a hidden row but its key", async () => {
  const maker = relata.as({ sub: "mia", roles: ["maker"] });
  await unchanged("gadget", async () => {
    for (const headers of [{}, { "if-match": "*" }, { "if-none-match": "*" }]) {
      for (const id of [GADGET, OTHER]) {
        const told = await as("ann", `PUT /gadgets/${id}/`, {}, headers);
        assert.is(told.status, 404);
      }
      assert.equal(failures(await maker.send(`PUT /gadgets/${GADGET}/`, {}, headers)), {
        "/serial": "taken",
      });
    }
  });
  const absent = await maker.send(`PUT /gadgets/${OTHER}/`, {}, { "if-match": "*" });
  assert.equal([absent.status, absent.body.current], [412, null]);
  assert.equal(failures(await maker.send(`PUT /gadgets/${OTHER}/`, { owner: "bob" })), {
    "/owner": "not_allowed",
  });
  const made = await maker.send(`PUT /gadgets/${OTHER}/`, {}, { "if-none-match": "*" });
  assert.equal([made.status, made.body], [201, { serial: OTHER, owner: "mia" }]);
  const again = await maker.send(`PUT /gadgets/${OTHER}/`, {});
  assert.equal([again.status, again.body], [200, { serial: OTHER, owner: "mia" }]);
});

test("a POST with the key of a hidden row is taken", async () => {
  for (const [code, status] of [["A-1", 422], ["B-1", 422], ["N-1", 201]] as const) {
    const answer = await as("ann", "POST /vouchers/", { code });
    assert.is(answer.status, status);
    if (status === 422) assert.equal(failures(answer), { "/code": "taken" });
  }
});

test("a field that only a claim fills is the sender's", async () => {
  const answers = await Promise.all(
    (["ann", "bob", "eve"] as const).map((who) => as(who, "POST /sales/", { item: "X" })),
  );
  assert.equal(answers.map(({ body }) => body.owner), ["ann", "bob", "eve"]);
  for (const [place, who] of (["ann", "bob", "eve"] as const).entries()) {
    assert.equal((await as(who, "GET /sales/last/")).body, answers[place]!.body);
  }
});

test("a rule looks along a path", async () => {
  assert.equal(idsOf(await as("ann", "GET /messages/")), [1]);
  assert.is((await as("ann", "GET /messages/2/")).status, 404);
  const sent = await as("ann", "POST /messages/", { words: "Again", sender: 1 });
  assert.equal([sent.status, sent.body.sender], [201, { id: 1, subject: "ann" }]);
});

for (
  const [claims, of, why] of [
    [{ level: 2 }, [1, 2], "a number"],
    [{ level: "2" }, [1, 2], "a text that is one"],
    [{ level: 2, teams: ["south"] }, [1, 2, 3], "a list beside it"],
    [{ teams: ["south", "north"] }, [2, 3], "a list"],
    [{ teams: "north" }, [2], "a list of one, without brackets"],
    [{ teams: [] }, [], "an empty list"],
    [{ level: [2] }, [], "a list in place of one"],
    [{ level: "1 or true" }, [], "SQL"],
    [{ level: 1.5 }, [], "a number of another kind"],
    [{ level: 1e300 }, [], "a number that no column has"],
    [{ level: null }, [], "null"],
    [{ level: { value: 9 } }, [], "an object"],
    [{ level: true }, [], "true"],
    [{ teams: [["north"], { a: 1 }, null, "nor\0th"] }, [], "a list of what is no text"],
    [{ teams: ["north", 7, null] }, [2], "a list of which one is right"],
    [{}, [], "missing"],
  ] as const
) {
  test(`a claim that is ${why} lets its caller read no other rows`, async () => {
    const [told, other] = await Promise.all([
      relata.as({ sub: "x", ...claims }).send("GET /rooms/"),
      relata.as({ sub: "y", level: 1 }).send("GET /rooms/"),
    ]);
    assert.equal([idsOf(told), idsOf(other)], [of, [1]]);
    const reads = await Promise.all(
      [1, 2, 3, 4].map((id) => relata.as({ sub: "x", ...claims }).send(`GET /rooms/${id}/`)),
    );
    assert.equal(
      reads.map(({ status }) => status),
      [1, 2, 3, 4].map((id) => (of as readonly number[]).includes(id) ? 200 : 404),
    );
  });
}

for (
  const [sub, of, why] of [
    ["' or true --", 0, "SQL"],
    [["ann", "bob"], 2, "a list of texts"],
    [{ a: "ann" }, 0, "an object"],
    ["ann\0", 0, "a text with NUL"],
    ["ann".repeat(400_000), 0, "a megabyte"],
    [7, 0, "a number"],
    ["", 0, "empty"],
  ] as const
) {
  test(`a subject that is ${why} disturbs nobody`, async () => {
    const claims = { org: "o1", sub } as unknown as Claims;
    const [odd, ann] = await Promise.all([
      relata.as(claims).send("GET /notes/"),
      as("ann", "GET /notes/"),
    ]);
    assert.equal([idsOf(odd).length, idsOf(ann)], [of, [1]]);
    const asked = [claims, callers.ann, claims, callers.ann];
    const reads = await Promise.all(asked.map((each) => relata.as(each).send("GET /notes/1/")));
    const status = of > 0 ? 200 : 404;
    assert.equal(reads.map(({ status }) => status), [status, 200, status, 200]);
  });
}

test("rules by a constant null and by a number hold for writes", async () => {
  const keeper = relata.as({ sub: "k", roles: ["keeper"], level: 3 });
  assert.equal(failures(await keeper.send("POST /rooms/", { level: 2 })), { "": "not_allowed" });
  assert.is((await keeper.send("POST /rooms/", { level: 3 })).status, 201);
  const open = await keeper.send("POST /rooms/", { level: null });
  assert.equal([open.status, open.body.level], [201, null]);
  assert.is((await keeper.send("PATCH /rooms/1/", { level: 3 })).status, 403);
  assert.is((await keeper.send("PATCH /rooms/3/", { level: null })).status, 200);
});

test("a rule is asked of the row as the database stored it", async () => {
  await relata.sql.unsafe(`
    create function give_away() returns trigger language plpgsql as $$
    begin
      new.owner := 'bob';
      return new;
    end $$;
    create trigger give_away before insert or update on note
      for each row when (new.title = 'Gift') execute function give_away()`);
  try {
    await unchanged("note", async () => {
      for (
        const [request, body, pointer] of [
          ["POST /notes/", { title: "Gift" }, "/owner"],
          ["PATCH /notes/1/", { title: "Gift" }, "/owner"],
          ["POST /notes/batch/", [{ title: "X" }, { title: "Gift" }], "/1/owner"],
        ] as const
      ) {
        assert.equal(failures(await as("ann", request, body)), { [pointer]: "not_allowed" });
      }
    });
    const titles = ["Gift", "One", "Gift", "Two"];
    const answers = await Promise.all(titles.map((title) => as("ann", "POST /notes/", { title })));
    assert.equal(answers.map(({ status }) => status), [422, 201, 422, 201]);
  } finally {
    await relata.sql.unsafe("drop function give_away cascade");
  }
});

for (const [code, known] of [["B-1", ["parcel"]], ["D-1", []]] as const) {
  test(`that ${known[0] ?? "something"} refers to a row is told to who reads some of it`, async () => {
    const { status, body } = await as("bob", `DELETE /vouchers/${code}/`);
    assert.is(status, 409);
    assert.equal(body.references.map(({ resource }: { resource: string }) => resource), known);
    assert.not.match(body.detail, /receipt/);
  });
}

test("what a hidden row holds does not count toward the size of a page", async () => {
  await relata.sql`update project set motto = repeat('x', 700000), tenant = 'o2'`;
  await relata.sql`update note set owner = 'ann', project_id = 2`;
  assert.equal(idsOf(await as("ann", "GET /notes/")), [1, 2, 3]);
  assert.equal(idsOf(await as("ada", "GET /notes/")), [1, 2]);
});

testOnPostgres("the rule is asked of the row that is locked, not of what it was", async () => {
  for (const [method, body] of [["PATCH", { title: "Mine" }], ["DELETE", undefined]] as const) {
    await relata.sql.unsafe(rows);
    let answer: Promise<Answer> | undefined;
    await inTransaction(relata.sql, async (sql) => {
      await sql`update note set owner = 'bob' where id = 1`;
      answer = as("ann", `${method} /notes/1/`, body);
      await until("it waits", async () => await blocked(relata.sql) > 0);
    });
    assert.is((await answer!).status, 404);
    assert.is((await as("bob", "GET /notes/1/")).body.title, "Plan of ann");
  }
});

testOnPostgres(
  "a rule that looks at other rows is asked again after a wait for the lock",
  async () => {
    for (const [method, body] of [["PATCH", { text: "Mine" }], ["DELETE", undefined]] as const) {
      await relata.sql.unsafe(rows);
      let answer: Promise<Answer> | undefined;
      await inTransaction(relata.sql, async (sql) => {
        await sql`update line set text = 'Of bob' where id = 1`;
        await sql`update note set owner = 'bob' where id = 1`;
        answer = as("ann", `${method} /lines/1/`, body);
        await until("it waits", async () => await blocked(relata.sql) > 0);
      });
      assert.is((await answer!).status, 404);
      assert.is((await as("bob", "GET /lines/1/")).body.text, "Of bob");
    }
  },
);

test.run();
