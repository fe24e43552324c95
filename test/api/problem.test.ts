// Needs: Deno, the embedded database
import { setImmediate } from "node:timers/promises";
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type AppOptions,
  bar,
  declarationOf,
  fieldProblems,
  last,
  openPostgres,
  problems,
  read,
  type Resource,
  resource,
  resources,
  statements,
  type Verb,
} from "../house.ts";
import {
  type Answer,
  failures,
  freshPostgres,
  onEmbedded,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";
import { inTransaction } from "../transaction.ts";

type Line = Parameters<AppOptions["log"]>;

const test = suite("problem");
let relata: Service;
const lines: Line[] = [];
const log: AppOptions["log"] = (...line) => void lines.push(line);

/** Verbs and statements that are defects. */
const defects: Record<string, Verb | "statement"> = {
  "/wrong/": "statement",
  "/error/": failing(() => {
    throw new TypeError("secret cause");
  }),
  "/text/": failing(() => {
    throw "secret cause";
  }),
  "/nothing/": failing(() => {
    throw undefined;
  }),
  "/rejected/": failing(() => Promise.reject(new RangeError("secret cause"))),
};

function failing(fail: () => Promise<never>): Verb {
  return { ...last, prepare: () => fail };
}

/** A resource of nothing but defects: its statement is wrong SQL. */
const broken: Resource = resource("bar", {
  fields: {
    ...bar.fields,
    name: {
      ...bar.fields["name"]!,
      show: ({ row, column }) => ({ value: statements.sql`secret_function(${row}.${column})` }),
    },
  },
  routes: Object.fromEntries([
    ["/wrong/{id}/", [read]],
    ...Object.entries(defects).flatMap(([path, verb]) =>
      verb === "statement" ? [] : [[path, [verb]]]
    ),
  ]),
});

test.before(async () => {
  relata = await startService({ resources: [...resources, broken], log });
  await relata.sql`insert into bar (name) values ('Bar')`;
  await relata.sql`insert into foo (name, bar_id) values ('Foo', 1)`;
});
test.after(() => relata.stop());

/** What no client may see: SQL, names in the database, codes of Postgres, stacks, files, hosts. */
const internal =
  /select|relation "|column|syntax|secret|gone|pg_|postgres|sql|42P01|42703|42883|\.[tj]s\b|\\n|localhost|127\.0/i;

function quiet({ headers, body: { instance, ...body } }: Answer): void {
  assert.match(instance, /^urn:uuid:[0-9a-f-]{36}$/);
  const told = [...headers].filter(([name]) => !["x-request-id", "traceparent"].includes(name));
  assert.not.match(JSON.stringify([body, told]), internal);
}

async function explained({ body }: Answer): Promise<void> {
  const { status, body: explanation } = await relata.send(`GET ${body.type}`);
  assert.is(status, 200);
  assert.ok(isExplanation(explanation), JSON.stringify(explanation));
}

/** Some member of it is a sentence. */
function isExplanation(page: object): boolean {
  return Object.values(page).some((value) => /^[A-Z].{20,}\.$/.test(value));
}

// Every problem a request can meet. The helper holds each answer to the shape of RFC 9457.
for (
  const [status, request, body, headers] of [
    [400, "GET /api/foos/?nope=1"],
    [400, "POST /api/foos/", "{"],
    [404, "GET /nope"],
    [404, "GET /api/foos/987654/"],
    [404, "GET /bottage/last"],
    [405, "DELETE /api/foos/"],
    [406, "GET /api/foos/", undefined, { accept: "text/html" }],
    [409, "DELETE /api/bars/1/"],
    [413, "POST /api/foos/", " ".repeat(2 ** 21)],
    [415, "POST /api/foos/", "{}", { "content-type": "text/plain" }],
    [422, "POST /api/foos/", "{}"],
    [500, "GET /error/"],
  ] as [number, string, string?, Record<string, string>?][]
) {
  test(`${status} for ${request} is a problem whose type leads to an explanation`, async () => {
    const answer = await relata.send(request, body, headers);
    assert.is(answer.status, status);
    assert.ok(answer.body.detail.length > 5);
    assert.match(answer.body.type, /^\/problems\//);
    quiet(answer);
    await explained(answer);
  });
}

test("the explanations have every code of the contract's table of fields", () => {
  const ofFields = [
    "does_not_exist",
    "duplicate",
    "incorrect_type",
    "invalid_choice",
    "invalid_format",
    "invalid_text",
    "not_allowed",
    "read_only",
    "rejected",
    "required",
    "taken",
    "too_deep",
    "too_few",
    "too_large",
    "too_long",
    "too_many",
    "too_short",
    "too_small",
    "unknown_field",
  ];
  assert.equal(Object.keys(fieldProblems).sort(), [...ofFields, "reused_key"].sort());
});

for (const code of [...Object.keys(problems), ...Object.keys(fieldProblems)]) {
  test(`/problems/${code} explains it`, async () => {
    for (const path of [`/problems/${code}`, `/problems/${code}/`]) {
      const { status, body } = await relata.send(`GET ${path}`);
      assert.is(status, 200);
      assert.ok(isExplanation(body));
    }
  });
}

for (
  const code of [
    ...[
      "nope",
      "Not_found",
      "not_found%20",
      "not%5Ffound",
      "%",
      "%00",
      "404",
      "é",
      "not_found.json",
    ],
    ...["toString", "constructor", "__proto__", "hasOwnProperty", "x".repeat(5000)],
  ]
) {
  test(`/problems/${code.slice(0, 20)} explains nothing`, async () => {
    assert.is((await relata.send(`GET /problems/${code}`)).status, 404);
  });
}

test("the problem of an invalid body lists every failing field, where and why", async () => {
  const { body } = await relata.send("POST /api/foos/", { name: "Foo", bar: 999 });
  assert.equal(body.errors, [
    { pointer: "/bar", code: "does_not_exist", detail: "No bar has the identifier 999" },
  ]);
  const both = await relata.send("POST /api/foos/", { name: "x".repeat(65), bar: 999, "a/b~c": 1 });
  assert.equal(failures(both), {
    "/name": "too_long",
    "/bar": "does_not_exist",
    "/a~1b~0c": "unknown_field",
  });
  for (const failure of both.body.errors) {
    assert.equal(Object.keys(failure).sort(), ["code", "detail", "pointer"]);
    assert.ok(failure.detail.length > 5);
  }
  const object = await relata.send("POST /api/foos/", { name: "Foo", bar: { id: 3, name: "x" } });
  assert.equal(failures(object), { "/bar": "incorrect_type" });
  assert.match(object.body.errors[0].detail, "Send the identifier 3, not the object");
});

test("the instance of a problem identifies the request in the log", async () => {
  const { body, headers } = await relata.send("GET /api/foos/987654/");
  const id = headers.get("x-request-id");
  assert.is(body.instance, `urn:uuid:${id}`);
  assert.ok(lines.some((line) => JSON.stringify(line).includes(id!)));
});

// Defects

for (const [path, defect] of Object.entries(defects)) {
  test(`a defect is answered quietly and logged whole: ${path}`, async () => {
    const url = defect === "statement" ? `${path}1/` : path;
    const answer = await relata.send(`GET ${url}`);
    assert.is(answer.status, 500);
    quiet(answer);
    const id = answer.headers.get("x-request-id");
    const told = lines.filter(([level, , members]) =>
      level === "error" && JSON.stringify(members).includes(id!)
    );
    assert.is(told.length, 1, "One loud line, with the identifier of the request");
    if (path === "/nothing/") return;
    assert.match(JSON.stringify(told), defect === "statement" ? "secret_function" : "secret cause");
    if (path !== "/text/") assert.match(JSON.stringify(told), /\bat .*\.[tj]s:\d+/, "The stack");
  });

  test(`after a defect the server keeps serving: ${path}`, async () => {
    assert.is((await relata.send("GET /api/foos/1/")).status, 200);
    assert.is((await relata.send("GET /readyz")).status, 200);
  });
}

// A schema that lacks something

for (
  const [what, away, back] of [
    ["table", "alter table foo rename to gone", "alter table gone rename to foo"],
    ["column", "alter table foo rename bar_id to gone", "alter table foo rename gone to bar_id"],
    ["schema", "alter schema public rename to gone", "alter schema gone rename to public"],
  ] as const
) {
  const requests: [request: string, body?: object][] = [
    ["GET /api/foos/"],
    ["GET /api/foos/1/"],
    ["POST /api/foos/", { name: "Foo", bar: 1 }],
    ["PATCH /api/foos/1/", { bar: 1 }],
  ];

  test(`without a ${what} requests get 503; with it again, they are served`, async () => {
    await relata.sql.unsafe(away);
    try {
      for (const [request, body] of requests) {
        const answer = await relata.send(request, body);
        assert.is(answer.status, 503, request);
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        quiet(answer);
        await explained(answer);
      }
      assert.is((await relata.send("GET /livez")).status, 200);
      if (what !== "schema") assert.is((await relata.send("GET /colere/")).status, 200);
    } finally {
      await relata.sql.unsafe(back);
    }
    for (const [request, body] of requests) {
      assert.ok((await relata.send(request, body)).status < 300, request);
    }
  });
}

// Time

const onPostgres = onEmbedded ? test.skip : test;
const reason = onEmbedded ? " (skipped: the embedded database is one session, none waits)" : "";

/** Holds a table so that nobody else can read it, while something is done. */
async function holding(sql: postgres.Sql, action: () => Promise<unknown>): Promise<void> {
  await inTransaction(sql, async (transaction) => {
    await transaction`lock table foo in access exclusive mode`;
    await action();
  });
}

for (
  const [whose, limits] of Object.entries({
    "the server's": { server: 3, statement: 30, status: 504 },
    "the database's": { server: 30, statement: 3, status: 503 }, // it waits for a lock
  })
) {
  onPostgres(`a request beyond ${whose} time limit is given up${reason}`, async () => {
    const { sql, url, stop } = await freshPostgres();
    const options = { sessions: 4, timeLimit: limits.statement };
    const database = openPostgres(url, options);
    const { send } = serviceOn(database, { timeLimit: limits.server });
    try {
      await send("POST /api/bars/", { name: "Bar" });
      await holding(sql, async () => {
        const answers = await Promise.all([
          send("GET /api/foos/"),
          send("GET /api/foos/1/"),
          send("POST /api/foos/", { name: "Foo", bar: 1 }),
        ]);
        for (const answer of answers) {
          assert.is(answer.status, limits.status, "The shorter limit is the one that counts");
          quiet(answer);
          await explained(answer);
        }
        assert.is((await send("GET /livez")).status, 200);
        assert.is((await send("GET /api/bars/1/")).status, 200);
      });
      assert.is((await send("GET /api/foos/")).status, 200);
    } finally {
      await database.close();
      await stop();
    }
  });
}

test("a request that fails after it was given up is reported once", async () => {
  const told: Line[] = [];
  const failure = Promise.withResolvers<never>();
  const late = failing(() => failure.promise);
  const { send } = serviceOn(relata, {
    resources: [resource("bar", { ...declarationOf(bar), routes: { "/late/": [late] } })],
    timeLimit: 0.1,
    log: (...line) => void told.push(line),
  });
  assert.is((await send("GET /late/")).status, 504);
  failure.reject(new Error("Late"));
  await setImmediate();
  assert.equal(told.map(([level]) => level), ["warn", "info"]);
});

test.run();
