// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  action,
  array,
  authenticated,
  boolean,
  choice,
  claim,
  date,
  decimal,
  deprecated,
  identifier,
  integer,
  json,
  nullable,
  number,
  relation,
  resource,
  role,
  text,
  timestamp,
  uuid,
} from "../house.ts";
import { onEmbedded, type Service, serviceOn, startService } from "../service.ts";

const test = suite("action");

const team = resource("team", {
  path: "/api/teams/",
  access: authenticated(),
  fields: { id: identifier({ type: "text", maximum: 20 }), name: text() },
});

/** Somebody reads their own jobs. */
const job = resource("job", {
  path: "/api/jobs/",
  access: [authenticated({ owner: claim("sub") }), role("boss")],
  fields: {
    id: identifier(),
    name: text(),
    owner: text(),
    team: nullable(relation(team, { read: "identifier" })),
    state: choice(["open", "done"], { default: "open" }),
  },
});

const everybody = [authenticated()];

const actions = [
  action("approve", {
    path: "/api/jobs/{job}/approve/",
    summary: "Approve a job",
    access: everybody,
    input: { job: relation(job), note: nullable(text({ maximum: 10 })) },
    fields: { id: integer(), state: text(), note: nullable(text()), by: nullable(text()) },
    single: true,
    tables: ["job", "audit"],
    statement: (sql, { job, note }, claim) =>
      sql`
        with done as (
          update job
          set state = 'done'
          where id = ${job} and state = 'open'
          returning id, state
        ),
        written as (
          insert into audit (job_id, note)
          select id, ${note}
          from done
        )
        select id, state, ${note} as note, ${claim("sub")} as by
        from done`,
  }),
  action("note_tenant", {
    path: "/api/tenant/",
    summary: "Note a tenant",
    fields: { note: nullable(text()) },
    single: true,
    statement: (sql, _, claim) =>
      sql`insert into audit (note) values (${claim("tenant")}) returning note`,
  }),
  action("reopen", {
    path: "/api/jobs/{job}/reopen/",
    summary: "Open a job again",
    access: role("boss"),
    input: { job: relation(job) },
    statement: (sql, { job }) => sql`update job set state = 'open' where id = ${job}`,
  }),
  action("move", {
    path: "/api/teams/{team}/jobs/{job}/move-at/{day}/",
    summary: "Move a job to a team",
    access: everybody,
    input: { team: relation(team), job: relation(job), day: date() },
    fields: { id: integer(), team_id: text(), day: date() },
    single: true,
    statement: (sql, { team, job, day }) =>
      sql`update job set team_id = ${team} where id = ${job} returning id, team_id, ${day} as day`,
  }),
  action("hand_over", {
    path: "/api/jobs/hand-over/",
    summary: "Give jobs to somebody",
    access: everybody,
    input: {
      jobs: array(integer(), { minimum: 1, maximum: 3 }),
      team: nullable(relation(team)),
      to: text({ minimum: 2 }),
    },
    fields: { id: integer(), owner: text() },
    statement: (sql, { jobs, team, to }) =>
      sql`
        update job
        set owner = ${to}, team_id = coalesce(${team}, team_id)
        where id = any(${jobs})
        returning id, owner`,
  }),
  action("count", {
    path: "/api/count/",
    summary: "Count up to a limit, and note that",
    access: everybody,
    input: { limit: integer({ default: 2 }) },
    fields: { n: integer() },
    statement: (sql, { limit }) =>
      sql`
        with noted as (insert into audit (note) values ('counted'))
        select n from generate_series(1, ${limit}) as n order by -n -- a comment`,
  }),
  action("pick", {
    path: "/api/pick/",
    summary: "Note many rows, and answer with one of them",
    access: everybody,
    input: { count: integer() },
    fields: { note: text() },
    single: true,
    statement: (sql, { count }) =>
      sql`insert into audit (note) select 'picked' from generate_series(1, ${count}) returning note`,
  }),
  action("store", {
    path: "/api/store/",
    summary: "Store a job",
    access: everybody,
    input: {
      name: text(),
      team: nullable(relation(team, { where: (sql) => sql`team.name <> 'hidden'` })),
      hours: nullable(integer()),
      min: nullable(integer()),
      max: nullable(integer()),
    },
    tables: ["job"],
    statement: (sql, { name, team, hours, min, max }) =>
      sql`
        with noted as (insert into audit (note) values ('stored'))
        insert into job (name, owner, team_id, hours, lowest, highest)
        values (${name}, 'a', ${team}, ${hours}, ${min}, ${max})`,
  }),
  action("drop_team", {
    path: "/api/teams/{name}/drop/",
    summary: "Delete a team by its name",
    access: everybody,
    input: { name: text({ minimum: 2 }) },
    statement: (sql, { name }) => sql`delete from team where name = ${name}`,
  }),
  action("old", {
    path: "/api/old/",
    summary: "Goes away",
    access: everybody,
    fields: { one: deprecated(integer(), { since: "2026-11-21" }) },
    statement: (sql) => sql`select 1 as one`,
  }),
];

/** Shows what was sent, for each kind. */
const echoed = {
  text: text(),
  kind: choice(["LP", "EP"]),
  count: integer(),
  ratio: number(),
  amount: decimal({ digits: 30, places: 5 }),
  any: decimal(),
  is: boolean(),
  day: date(),
  at: timestamp(),
  key: uuid(),
  data: json(),
  tags: array(text()),
  amounts: array(decimal()),
  flags: array(boolean()),
  days: array(date()),
};

const sent = {
  text: `a'b";--\\ é😀`,
  kind: "EP",
  count: -9007199254740991,
  ratio: 0.1,
  amount: "1234567890123456789012345.67890",
  any: "0.10000000000000000000000000000000000001",
  is: false,
  day: "0001-01-01",
  at: "2026-11-20T23:00:00.500001Z",
  key: "0199d8a2-7c3b-7e21-9c6b-3f1d2a4b5c6d",
  data: { a: [1.5, null, 'b"c', { "é": true }] },
  tags: ["a", "", 'b"c\\,{}', "null"],
  amounts: ["1.50", "-0.000000000000000000001"],
  flags: [true, false],
  days: ["2026-11-21"],
};

const nothing = Object.fromEntries(Object.keys(echoed).map((name) => [name, null]));

const echo = action("echo", {
  path: "/api/echo/",
  summary: "What was sent",
  access: everybody,
  input: Object.fromEntries(
    Object.entries(echoed).map(([name, field]) => [name, nullable(field)]),
  ),
  fields: Object.fromEntries(
    Object.entries(echoed).map(([name, field]) => [name, nullable(field)]),
  ),
  single: true,
  statement: (sql, placeholders) => {
    const columns = Object.entries(placeholders).map(([name, placeholder]) =>
      sql`${placeholder} as ${sql([`"${name}"`])}`
    );
    return sql`select ${columns.reduce((all, each) => sql`${all}, ${each}`)}`;
  },
});

/** An action without input. */
function plain(name: string, statement: string, fields = {}, single = false) {
  return action(name, {
    path: `/api/${name}/`,
    summary: name,
    access: everybody,
    ...(Object.keys(fields).length > 0 && { fields, single }),
    statement: (sql) => sql([statement]),
  });
}

const plains = [
  plain("void", "insert into audit (note) values ('void')"),
  plain("absent", "insert into audit (note) values (null) returning note", { note: text() }),
  plain("lacking", "insert into audit (note) values ('x') returning note", { other: text() }),
  plain("misfit", "insert into audit (note) values ('x') returning note", { note: integer() }),
  plain("broken", "insert into nowhere values (1)"),
  plain(
    "typed",
    "select 0.1::real as ratio, 2.5 as half, sum(n) as n, 'NaN'::float8 as beyond, " +
      "'2026-11-21 09:30:00+00'::timestamptz as day, avg(n) as amount, 'yes' as is " +
      "from generate_series(1, 2) as n",
    {
      ...{
        ratio: number(),
        half: integer(),
        n: integer(),
        beyond: nullable(number()),
        day: date(),
      },
      ...{ amount: decimal({ digits: 9, places: 2 }), is: boolean() },
    },
    true,
  ),
  plain("raised", "insert into audit (note) values ('void'), ('raise')"),
  plain("deferred", "insert into audit (note, job_id) values ('deferred', 999)"),
];

const tables = `
  create table team (id text primary key, name text not null);
  create table job (
    id bigint generated by default as identity primary key,
    name text not null,
    owner text not null,
    team_id text constraint job_team references team (id),
    state text not null default 'open',
    hours integer check (hours > 0),
    lowest integer,
    highest integer,
    constraint job_name_key unique (name),
    constraint job_order check (lowest <= highest)
  );
  comment on constraint job_order on job is 'The least is below the most';
  create table audit (
    id bigint generated always as identity primary key,
    job_id bigint references job (id) deferrable initially deferred,
    note text
  );
  create function audited() returns trigger language plpgsql as $$
  begin
    if new.note = 'raise' then raise exception 'No such note today'; end if;
    return new;
  end $$;
  create trigger audited before insert on audit for each row execute function audited();
  insert into team values ('a b', 'Alpha'), ('b', 'Beta'), ('c', 'hidden'), ('d', 'Dropped');
  insert into job (id, name, owner, team_id) values
    (1, 'One', 'ada', 'b'), (2, 'Two', 'ada', null), (3, 'Three', 'bob', null);
  alter sequence job_id_seq restart with 100;`;

let relata: Service;
const log: { level: string; message: string; members: Record<string, unknown> }[] = [];
let ada: Service["send"];
let boss: Service["send"];

test.before(async () => {
  relata = await startService({
    resources: [team, job],
    actions: [...actions, echo, ...plains],
    log: (level, message, members = {}) =>
      void log.push({ level, message, members: { ...members } }),
  });
  await relata.sql.unsafe(tables);
  ada = relata.as({ sub: "ada" }).send;
  boss = relata.as({ sub: "eve", roles: ["boss"] }).send;
});
test.after(() => relata.stop());
test.before.each(async () => {
  log.splice(0);
  await relata.sql.unsafe(`truncate audit; update job set state = 'open', team_id = null`);
});

async function notes(): Promise<unknown[]> {
  const rows = await relata.sql`select note from audit order by id`;
  return rows.map(({ note }) => note);
}

test("runs its SQL, and answers with the one row that it returns", async () => {
  const { status, headers, body } = await ada("POST /api/jobs/1/approve/", { note: "well" });
  assert.equal([status, body], [200, { id: 1, state: "done", note: "well", by: "ada" }]);
  assert.is(headers.get("location"), null);
  assert.equal(await notes(), ["well"]);
  assert.is((await ada("GET /api/jobs/1/")).body.state, "done");
});

test("takes an input that may be null as null where it is left out", async () => {
  const { body } = await ada("POST /api/jobs/1/approve", {});
  assert.equal(body, { id: 1, state: "done", note: null, by: "ada" });
});

test("answers POST alone", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const { status, headers } = await ada(`${method} /api/jobs/1/approve/`);
    assert.equal([status, headers.get("allow")], [405, "POST, OPTIONS"]);
  }
});

for (
  const [request, detail] of [
    ["POST /api/jobs/999/approve/", "No job has the identifier 999"],
    ["POST /api/jobs/3/approve/", "No job has the identifier 3"], // it is another one's
    ["POST /api/teams/z/jobs/1/move-at/2026-11-21/", "No team has the identifier z"],
    ["POST /api/teams/b/jobs/999/move-at/2026-11-21/", "No job has the identifier 999"],
  ]
) {
  test(`${request} is 404: ${detail}`, async () => {
    const { status, body } = await ada(request!, {});
    assert.equal([status, body.detail], [404, detail]);
  });
}

for (
  const path of [
    "/api/jobs/01/approve/",
    "/api/jobs/x/approve/",
    "/api/jobs//approve/",
    "/api/teams/b/jobs/1/move-at/2026-02-30/",
    "/api/teams/%zz/jobs/1/move-at/2026-11-21/",
    "/api/teams/x/drop/", // it is too short
  ]
) {
  test(`has nothing at ${path}`, async () => {
    const { fetch } = relata.as({ sub: "ada" });
    const response = await fetch(new Request(`http://relata.test${path}`, { method: "POST" }));
    assert.equal([response.status, (await response.json()).detail], [
      404,
      "There is nothing at this path",
    ]);
  });
}

test("takes the row of another from who may read it, and from a service", async () => {
  for (const send of [boss, relata.send]) {
    assert.is((await send("POST /api/jobs/3/approve/", {})).status, 200);
    await relata.sql`update job set state = 'open'`;
  }
});

test("takes several names from its path, in any segment", async () => {
  const { status, body } = await ada("POST /api/teams/a%20b/jobs/2/move-at/2026-11-21/");
  assert.equal([status, body], [200, { id: 2, team_id: "a b", day: "2026-11-21" }]);
});

const approve = "POST /api/jobs/1/approve/";
const hand = "POST /api/jobs/hand-over/";
const store = "POST /api/store/";

for (
  const [request, body, errors] of [
    [approve, { note: 1 }, [["/note", "incorrect_type", "Send a string, not an integer"]]],
    [approve, { note: "elevenchars" }, [["/note", "too_long", "Send at most 10 characters"]]],
    [approve, { job: 2 }, [[
      "/job",
      "unknown_field",
      'The action "approve" takes no "job" in its body',
    ]]],
    [approve, { x: 2 }, [["/x", "unknown_field", 'The action "approve" takes no "x" in its body']]],
    [approve, [], [["", "incorrect_type", "Send an object, not an array"]]],
    ["POST /api/jobs/999/approve/", { note: 1 }, [["/note", "incorrect_type", null]]],
    ["POST /api/jobs/1/reopen/", { job: 1 }, [["/job", "unknown_field", null]]],
    [hand, {}, [["/jobs", "required", null], ["/to", "required", null]]],
    [hand, { jobs: [1, "x", 3], to: "b", team: "z" }, [
      ["/jobs/1", "incorrect_type", null],
      ["/team", "does_not_exist", "No team has the identifier z"],
      ["/to", "too_short", null],
    ]],
    [hand, { jobs: [], to: "bob", team: 7 }, [
      ["/jobs", "too_few", null],
      ["/team", "incorrect_type", null],
    ]],
    [hand, { jobs: [1, 2, 3, 4], to: null }, [
      ["/jobs", "too_many", null],
      ["/to", "incorrect_type", null],
    ]],
    [store, { name: "New", team: "c" }, [["/team", "does_not_exist", null]]],
    ["POST /api/echo/", { data: { a: 1e999 } }, [["/data", "incorrect_type", null]]],
  ] as [string, unknown, [string, string, string | null][]][]
) {
  test(`${request} with ${JSON.stringify(body)} is refused at each pointer`, async () => {
    const text = JSON.stringify(body).replace("null}}", "1e999}}");
    const { status, body: problem } = await boss(request, text);
    assert.is(status, 422);
    assert.equal(
      problem.errors.map((
        { pointer, code, detail }: Record<string, string>,
        place: number,
      ) => [pointer, code, errors[place]?.[2] === null ? null : detail]),
      errors,
    );
    assert.equal(await notes(), []);
  });
}

test("needs no body where all its input is in the path", async () => {
  const post = (headers: Record<string, string>, body?: string) =>
    relata.as({ roles: ["boss"] }).fetch(
      new Request("http://relata.test/api/jobs/1/reopen/", {
        method: "POST",
        headers,
        ...(body !== undefined && { body }),
      }),
    );
  const json = { "content-type": "application/json" };
  for (
    const [headers, body, status] of [
      [{}, undefined, 204],
      [{}, "", 204],
      [json, "", 204],
      [json, "{}", 204],
      [json, "[]", 422],
      [json, "{", 400],
      [{}, "{}", 415],
      // A form of another site, for which no browser asks
      [{ "sec-fetch-site": "cross-site" }, "", 415],
      [{ "sec-fetch-site": "same-site" }, "", 415],
      [{ "sec-fetch-site": "cross-site", ...json }, "", 204],
      [{ "sec-fetch-site": "same-origin" }, "", 204],
    ] as const
  ) {
    const response = await post(headers, body);
    assert.is(response.status, status, `${JSON.stringify(headers)} ${body}`);
    await response.body?.cancel();
  }
});

test("needs a body where it has other input, even if all of that may be left out", async () => {
  const { status } = await ada("POST /api/jobs/1/approve/");
  assert.is(status, 415);
  const { body } = await ada("POST /api/jobs/1/approve/", "");
  assert.is(body.type, "/problems/malformed_body");
});

test("changes many rows, and answers with all that its SQL returns", async () => {
  const { status, body } = await ada(hand, { jobs: [2, 1], to: "ada" });
  const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
  assert.equal([status, body.items.sort(byId)], [
    200,
    [{ id: 1, owner: "ada" }, { id: 2, owner: "ada" }],
  ]);
  assert.equal((await ada(hand, { jobs: [99], to: "ada" })).body, { items: [] });
});

test("gives its SQL each kind as what it is, and shows it as a list does", async () => {
  const { status, body } = await ada("POST /api/echo/", sent);
  assert.equal([status, body], [200, sent]);
  assert.equal((await ada("POST /api/echo/", {})).body, nothing);
});

test("gives each field its type, whatever the SQL gives", async () => {
  const { body } = await ada("POST /api/typed/");
  const numbers = { ratio: 0.1, half: 3, n: 3, beyond: null };
  assert.equal(body, { ...numbers, day: "2026-11-21", amount: "1.50", is: true });
});

test("takes the default of an input that is left out", async () => {
  assert.equal((await ada("POST /api/count/", {})).body, { items: [{ n: 2 }, { n: 1 }] });
});

test("gives 1,000 rows, and keeps nothing of more", async () => {
  const { body } = await ada("POST /api/count/", { limit: 1000 });
  assert.equal([body.items.length, body.items[0], body.items[999]], [1000, { n: 1000 }, { n: 1 }]);
  assert.equal(await notes(), ["counted"]);
  const { status, body: problem } = await ada("POST /api/count/", { limit: 1001 });
  assert.equal([status, problem.detail], [
    400,
    'There are more than 1000 rows: narrow it by "limit"',
  ]);
  assert.equal(await notes(), ["counted"]);
});

test("without fields answers 204", async () => {
  const { status, body } = await ada("POST /api/void/");
  assert.equal([status, body, await notes()], [204, undefined, ["void"]]);
});

test("that is single is 404 without a row, and keeps nothing", async () => {
  await ada("POST /api/jobs/1/approve/", {});
  const { status, body } = await ada("POST /api/jobs/1/approve/", { note: "again" });
  assert.equal([status, body.detail], [404, 'No row fits the action "approve"']);
  assert.equal(await notes(), [null]);
  assert.is((await ada("POST /api/pick/", { count: 0 })).status, 404);
});

for (
  const [what, name, sent, status, cause] of [
    [
      "two rows although it is single",
      "pick",
      { count: 2 },
      500,
      'The action "pick" returns 2 rows',
    ],
    ["null in a field that is not nullable", "absent", {}, 500, 'gives null as "note"'],
    ["a field that is no column", "lacking", {}, 500, 'returns no column "other"'],
    ["a value that its field cannot have", "misfit", {}, 500, "invalid input syntax"],
    ["SQL that fails", "broken", {}, 503, "nowhere"],
  ] as const
) {
  test(`with ${what} is a defect, which the log explains; nothing stays`, async () => {
    const answer = await ada(`POST /api/${name}/`, sent);
    assert.is(answer.status, status);
    assert.not.match(JSON.stringify(answer.body), cause);
    const failure = log.find(({ level }) => level !== "info");
    assert.ok(JSON.stringify(failure?.members).includes(JSON.stringify(cause).slice(1, -1)));
    assert.equal(await notes(), []);
  });
}

for (
  const [what, request, body, error] of [
    ["a unique constraint", store, { name: "One" }, [
      "/name",
      "taken",
      "Another job has this name",
    ]],
    ["a check of one column", store, { name: "x", hours: 0 }, [
      "/hours",
      "rejected",
      "The database rejected this value",
    ]],
    ["a check with a comment", store, { name: "x", min: 2, max: 1 }, [
      "",
      "rejected",
      "The least is below the most",
    ]],
    ["a value beyond its column", store, { name: "x", hours: 3_000_000_000 }, [
      "",
      "rejected",
      "The database rejected this row",
    ]],
    ["a trigger that raises", "POST /api/raised/", {}, ["", "rejected", "No such note today"]],
    ["a reference that is still there", "POST /api/teams/Beta/drop/", {}, [
      "",
      "rejected",
      "Rows of job still refer to this row",
    ]],
    ["a constraint that is checked at the end", "POST /api/deferred/", {}, [
      "",
      "rejected",
      "The database rejected this row",
    ]],
  ] as [string, string, object, string[]][]
) {
  test(`that breaks ${what} is 422, and nothing stays`, async () => {
    await relata.sql`update job set team_id = 'b' where id = 1`;
    const { status, body: problem } = await ada(request, body);
    assert.is(status, 422, JSON.stringify(problem));
    const [{ pointer, code, detail }] = problem.errors;
    assert.equal([pointer, code, detail], error);
    assert.equal(await notes(), []);
    assert.is((await relata.sql`select from job where name = 'x'`).length, 0);
  });
}

test("is asked of whom its access lets in", async () => {
  const reopen = "POST /api/jobs/1/reopen/";
  const refused = await ada(reopen);
  assert.equal([refused.status, refused.body.detail], [403, "You may not send reopen"]);
  assert.is((await relata.as(null).send(reopen)).status, 401);
  for (const send of [boss, relata.send]) assert.is((await send(reopen)).status, 204);
  const { access } = (await ada("GET /")).body;
  assert.equal([access.approve, access.reopen], [["update"], []]);
});

test("announces that a field goes away", async () => {
  const { headers } = await ada("POST /api/old/");
  assert.is(headers.get("deprecation"), "@1795219200");
});

test("runs again where Postgres let another one go on, and both are kept", async () => {
  await relata.sql.unsafe(`
    create sequence tries;
    create function conflict() returns trigger language plpgsql as $$
    begin
      if nextval('tries') < 3 then
        raise exception 'Deadlock' using errcode = '40P01';
      end if;
      return new;
    end $$;
    create trigger conflict before insert on audit for each row execute function conflict();`);
  const { status } = await ada("POST /api/void/");
  assert.equal([status, await notes()], [204, ["void"]]);
  await relata.sql.unsafe("drop trigger conflict on audit");
});

test("without rules takes any row from who has a token", async () => {
  const open = resource("team", {
    path: "/open/",
    fields: { id: identifier({ type: "text", maximum: 20 }), name: text() },
  });
  const greet = action("greet", {
    path: "/open/{team}/greet/",
    summary: "Greet a team",
    input: { team: relation(open) },
    statement: (sql, { team }) => sql`insert into audit (note) values (${team})`,
  });
  const { send } = serviceOn(relata, { resources: [open], actions: [greet] }).as({ sub: "ada" });
  assert.is((await send("POST /open/b/greet/")).status, 204);
  assert.is((await send("POST /open/z/greet/")).status, 404);
  assert.equal(await notes(), ["b"]);
});

if (!onEmbedded) {
  test("that is cut off is an unknown outcome, and never sent again", async () => {
    await relata.sql.unsafe(`
      create sequence sent;
      create function cut_off() returns trigger language plpgsql as $$
      begin
        perform nextval('sent'), pg_terminate_backend(pg_backend_pid());
        return new;
      end $$;
      create trigger cut_off before insert on audit for each row execute function cut_off();`);
    const { status, body } = await ada("POST /api/void/");
    assert.equal([status, body.type], [503, "/problems/unavailable"]);
    await relata.sql.unsafe("drop trigger cut_off on audit");
    const [{ last_value: times }] = await relata.sql`select last_value from sent` as unknown as [
      { last_value: string },
    ];
    assert.equal([Number(times), await notes()], [1, []]);
  });
}

test("has its row and its route in the log, and is counted by its route", async () => {
  await ada("POST /api/jobs/1/approve/", {});
  const { members } = log.find(({ message }) => message === "request")!;
  assert.equal([members["route"], members["row"], members["caller"]], [
    "/api/jobs/{job}/approve/",
    1,
    "ada",
  ]);
  const { body } = await relata.send("GET /metrics");
  assert.match(body, /route="\/api\/jobs\/{job}\/approve\/",method="POST",status="200"/);
});

test("is described with its input, its answer and its problems, and is among the links", async () => {
  const { links } = (await ada("GET /")).body;
  assert.equal([links.count, links.approve], ["/api/count/", undefined]);
  const { paths, components, tags } = (await relata.send("GET /openapi.json")).body;
  const { operationId, summary, parameters, requestBody, responses } =
    paths["/api/jobs/{job}/approve/"].post;
  const [ofPath, ...headers] = parameters;
  assert.equal({ operationId, summary, ofPath }, {
    operationId: "sendApprove",
    summary: "Approve a job",
    ofPath: {
      ...{ name: "job", in: "path", required: true, description: "The identifier of a job" },
      schema: {
        ...{ type: "integer", format: "int64", examples: [1] },
        ...{ minimum: -9007199254740991, maximum: 9007199254740991 },
      },
      "x-relata": { kind: "relation", target: "job" },
    },
  });
  assert.equal(headers.map(({ name }: { name: string }) => name), ["Idempotency-Key"]);
  assert.is(requestBody.required, true);
  assert.equal(Object.keys(components.schemas.ApproveInput.properties), ["note"]);
  assert.equal(components.schemas.ApproveInput.required, []);
  assert.equal(components.schemas.HandOverInput.required, ["jobs", "to"]);
  assert.is(
    responses[200].content["application/json"].schema.$ref,
    "#/components/schemas/Approve",
  );
  assert.equal(Object.keys(responses).filter((status) => status < "500"), [
    ...["200", "400", "401", "403", "404", "406", "408", "409", "413", "415", "422"],
  ]);
  const { post } = paths["/api/jobs/{job}/reopen/"];
  assert.equal([post.requestBody, Object.hasOwn(post.responses, 204)], [undefined, true]);
  assert.equal(
    Object.keys(
      paths["/api/count/"].post.responses[200].content["application/json"].schema.properties,
    ),
    ["items"],
  );
  assert.equal(
    tags.find(({ name }: { name: string }) => name === "approve")["x-relata"],
    { kind: "action" },
  );
});

test("moves on a sequence that is behind, of a table that it names", async () => {
  for (const headers of [{}, { "idempotency-key": "mended" }]) {
    await relata.sql`alter sequence job_id_seq restart with 1`;
    const name = JSON.stringify(headers);
    assert.is((await ada("POST /api/store/", { name }, headers)).status, 204);
  }
  const taken = await ada("POST /api/store/", { name: "One" });
  assert.equal([taken.status, taken.body.errors[0].code], [422, "taken"]);
  await relata.sql`delete from job where owner = 'a'`;
});

// Idempotency-Key

async function noted(note: string): Promise<number> {
  return (await relata.sql`select from audit where note = ${note}`).length;
}

test("an action with a key is carried out once, and its first answer given again", async () => {
  const key = { "idempotency-key": "once" };
  const approve = (path = "/api/jobs/1/approve/", note = "keyed", by = ada) =>
    by(`POST ${path}`, { note }, key);
  const first = await approve();
  assert.equal([first.status, first.body.state], [200, "done"]);
  const { status, body } = await approve();
  assert.equal([status, body], [200, first.body]);
  assert.is(await noted("keyed"), 1);
  const other = await approve(undefined, "other");
  assert.equal([other.status, other.body.errors[0].code], [422, "reused_key"]);
  assert.is((await approve("/api/jobs/2/approve/")).status, 200, "The key of another path");
  assert.is((await approve(undefined, "keyed", boss)).status, 404, "It is done, and another's key");
});

test("a key is its caller's, as long as the claims that the SQL looks at are the same", async () => {
  const key = { "idempotency-key": "claimed" };
  const note = async (claims: Record<string, unknown>) =>
    (await relata.as({ sub: "ada", ...claims }).send("POST /api/tenant/", undefined, key)).body
      .note;
  assert.equal([await note({ tenant: "a" }), await note({ tenant: "b" })], ["a", "b"]);
  assert.is(await note({ tenant: "a", roles: ["boss"], other: 7 }), "a");
  assert.equal([await noted("a"), await noted("b")], [1, 1]);
});

test("a key of an action that answers with nothing is kept, too", async () => {
  const key = { "idempotency-key": "empty" };
  const reopen = () => boss("POST /api/jobs/1/reopen/", undefined, key);
  assert.is((await reopen()).status, 204);
  await relata.sql`update job set state = 'done' where id = 1`;
  assert.is((await reopen()).status, 204);
  const [job] = await relata.sql<{ state: string }[]>`select state from job where id = 1`;
  assert.is(job!.state, "done");
});

test("does not keep the key of an action that was refused", async () => {
  const key = { "idempotency-key": "refused" };
  const approve = (note: string) => ada("POST /api/jobs/1/approve/", { note }, key);
  assert.is((await approve("raise")).status, 422);
  assert.is((await approve("right")).status, 200);
});

test("tells the values of a path apart, whatever characters they have", async () => {
  await relata.sql`insert into team values ('b/jobs/1', 'Slashes')`;
  const key = { "idempotency-key": "path" };
  const move = (team: string) =>
    ada(`POST /api/teams/${encodeURIComponent(team)}/jobs/1/move-at/2026-11-30/`, undefined, key);
  for (const team of ["b", "b/jobs/1"]) {
    const { status, body } = await move(team);
    assert.equal([status, body.team_id], [200, team]);
  }
});

test("carries one of many simultaneous actions with one key out", async () => {
  const key = { "idempotency-key": "many" };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ada("POST /api/jobs/1/approve/", { note: "many" }, key)),
  );
  const outcomes = new Set(answers.map(({ status, body }) => body.type ?? status));
  outcomes.delete("/problems/in_progress");
  assert.equal([...outcomes], [200]);
  assert.is(await noted("many"), 1);
});

test.run();
