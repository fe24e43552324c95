// Values of any type of Postgres, as their text: what each type writes, reads and refuses, wherever one is sent.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  action,
  declarations,
  differences,
  identifier,
  nullable,
  owned,
  pgType,
  readonly,
  relation,
  report,
  type Resource,
  resource,
  text,
} from "../house.ts";
import { failures, type Service, startService } from "../service.ts";

const test = suite("any type of Postgres");
let relata: Service;

/** Types, with texts that each takes, as they are read, and texts that it refuses. */
const types: [type: string, taken: Record<string, string>, refused: string[]][] = [
  ["inet", { "10.0.0.1": "10.0.0.1", "10.0.0.7/24": "10.0.0.7/24", "::1": "::1" }, ["10.0.0", ""]],
  ["cidr", { "10.1": "10.1.0.0/16" }, ["10.1.2.3/8"]],
  ["macaddr", { "08002b:010203": "08:00:2b:01:02:03" }, ["08"]],
  ["interval", { "36 hours": "36:00:00", "P1Y2M": "1 year 2 mons" }, [
    "a while",
    "99999999999 years",
  ]],
  ["interval day to second(0)", { "1 day 1.6 s": "1 day 00:00:02" }, ["x"]],
  ["time with time zone", { "9:00+02": "09:00:00+02" }, ["25:00"]],
  ["bit varying(5)", { "101": "101", "": "" }, ["101010", "2"]],
  ["bit(3)", { "101": "101" }, ["1", "1010"]],
  ["numeric(3,-2)", { "12345": "12300" }, ["123456", "x"]],
  ["real", { "0.1": "0.1", "1e10": "1e+10", "NaN": "NaN" }, ["1e50"]],
  ['"char"', { a: "a" }, []],
  ["money", { "12.5": "$12.50" }, ["a lot"]],
  ["int4range", { "[1,3]": "[1,4)", empty: "empty" }, ["[3,1]", "[1"]],
  ["int4multirange", { "{[1,2],[5,6)}": "{[1,3),[5,6)}" }, ["[1,2]"]],
  ["tstzrange", { "[2026-01-01 09:00+02,)": '["2026-01-01 07:00:00+00",)' }, ["[now"]],
  ["point", { "(1,2)": "(1,2)", "1, 2.5": "(1,2.5)" }, ["1"]],
  ["path", { "((0,0),(1,1))": "((0,0),(1,1))" }, ["(0,0"]],
  ["tsvector", { "a:1 b": "'a':1 'b'" }, ["'"]],
  ["tsquery", { "a & b": "'a' & 'b'" }, ["a &"]],
  ["jsonpath", { "$.a": '$."a"' }, ["$."]],
  ["oid", { "7": "7" }, ["x"]],
  ["xid8", { "7": "7" }, ["x"]],
  ["pg_lsn", { "0/a": "0/A" }, ["x"]],
  ["pg_snapshot", { "10:20:10,14": "10:20:10,14" }, ["20:10:"]],
  ["regclass", { "pg_catalog.pg_class": "pg_class", "-": "-" }, ["nothing", "a.b.c.d", 'a"']],
  ["regtype", { "varchar": "character varying" }, ["nothing", "no_schema.x"]],
  ["regprocedure", { "abs(integer)": "abs(integer)" }, ["abs", "abs("]],
  ["regrole", { "pg_monitor": "pg_monitor" }, ["nobody at all"]],
  ["inet[]", { "{10.0.0.1,NULL}": "{10.0.0.1,NULL}", "{}": "{}" }, ["{x}", "{", "10.0.0.1"]],
  ["bytea[]", { [String.raw`{"\\x00"}`]: String.raw`{"\\x00"}` }, [String.raw`{"\\x0"}`]],
  ["json[]", { '{"[1,{}]"}': '{"[1,{}]"}' }, ["{[}"]],
  ["date", { "2026-1-2": "2026-01-02", infinity: "infinity", "0044-03-15 BC": "0044-03-15 BC" }, [
    "2026-02-30",
  ]],
  ["address", { "(Oak,12)": "(Oak,12)", "(,)": "(,)", '("a b",)': '("a b",)' }, ["Oak", "(Oak,x)"]],
  ["address[]", { '{"(Oak,12)"}': '{"(Oak,12)"}' }, ["{(Oak,12)}"]],
  ['odd."My Type"', { x: "x", "y's": "y's" }, ["z", "", "X"]],
  ['odd."My Type"[]', { "{x}": "{x}" }, ["{z}"]],
];

/** A field for each type. */
const fieldOf = (index: number) => `value_${index}`;

const odd = resource("odd", {
  path: "/odd/",
  fields: {
    id: identifier(),
    ...Object.fromEntries(
      types.map(([type], index) => [fieldOf(index), nullable(pgType(type))]),
    ),
  },
});

const team = resource("team", { path: "/teams/", fields: { id: identifier(), name: text() } });

const port: Resource = resource("port", {
  fields: {
    id: identifier(),
    host: relation(() => host),
    closes: pgType("interval"),
    name: text({ maximum: 3, default: "" }),
  },
});

const host: Resource = resource("host", {
  path: "/hosts/",
  history: true,
  fields: {
    id: identifier(),
    address: pgType("inet"),
    net: nullable(pgType("cidr", { default: (sql) => sql`'10.0.0.0/8'::cidr` })),
    mask: pgType("bit varying(5)", { default: "1" }),
    name: text({ maximum: 3, default: "" }),
    team: nullable(relation(team, { read: "identifier" })),
    kin: readonly(pgType("inet")),
    ports: owned(port, { parent: "host" }),
  },
  filter: ["net"],
});

const move = action("move", {
  path: "/move/",
  summary: "Move hosts",
  input: { from: pgType("inet"), to: nullable(pgType("inet")) },
  fields: { address: pgType("inet") },
  statement: (sql, { from, to }) =>
    sql`update host set address = coalesce(${to}, ${from} + 1) where address = ${from} returning address`,
});

const nets = report("nets", {
  path: "/nets/",
  summary: "The networks of hosts",
  fields: { net: pgType("cidr"), all: pgType("inet[]") },
  rows: (sql) =>
    sql`select network(address) as net, array_agg(address) as "all" from host group by 1`,
});

test.before(async () => {
  relata = await startService({
    resources: [odd, team, host, port],
    actions: [move],
    reports: [nets],
  });
  await relata.sql.unsafe(`
    create schema odd;
    create type odd."My Type" as enum ('x', 'y''s');
    create type address as (street text, number integer);
    create domain private as inet check (value << '10.0.0.0/8');
    create table odd (
      id bigint generated by default as identity primary key,
      ${types.map(([type], index) => `${fieldOf(index)} ${type}`).join(",\n")}
    );
    create table team (
      id bigint generated by default as identity primary key,
      name text not null
    );
    create table host (
      id bigint generated by default as identity primary key,
      address private not null,
      net cidr default '10.0.0.0/8',
      mask bit varying(5) not null,
      name text not null,
      team_id bigint references team (id),
      kin inet not null default '10.0.0.9'
    );
    create table port (
      id bigint generated by default as identity primary key,
      host_id bigint not null references host (id),
      closes interval not null,
      name text not null
    );
    create index on host (team_id, id);
    create index on port (host_id, id)`);
});
test.after(() => relata.stop());

for (const [index, [type, taken, refused]] of types.entries()) {
  const field = fieldOf(index);
  for (const [sent, value] of Object.entries(taken)) {
    test(`${type} takes ${JSON.stringify(sent)}, and what is read can be sent again`, async () => {
      const { status, body } = await relata.send("POST /odd/", { [field]: sent });
      assert.equal([status, body[field]], [201, value]);
      const path = `/odd/${body.id}/`;
      for (const request of [`GET ${path}`, `PUT ${path}`, `PATCH ${path}`]) {
        const again = request.startsWith("GET") ? undefined : { [field]: value };
        assert.equal((await relata.send(request, again)).body, body, request);
      }
      const batch = await relata.send("POST /odd/batch/", [{ [field]: value }, {}]);
      const read = batch.body.map((row: Record<string, unknown>) => row[field]);
      assert.equal(read, [value, null]);
    });
  }
  test(`${type} refuses ${refused.map((text) => JSON.stringify(text))} at its field`, async () => {
    const { id } = (await relata.send("POST /odd/", {})).body;
    const all = [...refused, "\0", "\ud800"].map((value) => ({ [field]: value }));
    for (const sent of all) {
      for (const request of ["POST /odd/", `PUT /odd/${id}/`, `PATCH /odd/${id}/`]) {
        const answer = await relata.send(request, sent);
        assert.equal(failures(answer), { [`/${field}`]: "invalid_format" }, JSON.stringify(sent));
      }
    }
    const batch = await relata.send("POST /odd/batch/", [{}, ...all]);
    assert.equal(Object.keys(failures(batch)), all.map((_, index) => `/${index + 1}/${field}`));
  });
}

const made = async (fields: object) => {
  const { status, body } = await relata.send("POST /hosts/", { address: "10.0.0.1", ...fields });
  assert.is(status, 201, JSON.stringify(body));
  return body;
};

test("its defaults are a text, or SQL", async () => {
  const { id, ...rest } = await made({});
  const whole = {
    address: "10.0.0.1",
    net: "10.0.0.0/8",
    mask: "1",
    name: "",
    team: null,
    kin: "10.0.0.9",
    ports: [],
  };
  assert.equal(rest, whole);
  assert.is((await made({ net: null })).net, null);
  const replaced = await relata.send(`PUT /hosts/${id}/`, { address: "10.0.0.2" });
  assert.equal(replaced.body, { id, ...whole, address: "10.0.0.2" });
});

for (
  const [what, sent, expected] of [
    ["all fields that fail", { address: "x", net: "10", mask: "2", name: "long" }, {
      "/address": "invalid_format",
      "/mask": "invalid_format",
      "/name": "too_long",
    }],
    ["a relation, too", { address: "x", team: 99 }, {
      "/address": "invalid_format",
      "/team": "does_not_exist",
    }],
    ["no string", { address: 1, net: [] }, {
      "/address": "incorrect_type",
      "/net": "incorrect_type",
    }],
    ["null", { address: null }, { "/address": "incorrect_type" }],
    ["what is only read", { address: "10.0.0.1", kin: "10.0.0.1" }, { "/kin": "read_only" }],
    ["what a domain does not take", { address: "1.2.3.4" }, { "/address": "rejected" }],
    ["rows that it owns", {
      address: "10.0.0.1",
      ports: [{ closes: "1 day" }, { closes: "soon" }, { closes: "?", name: "long" }],
    }, {
      "/ports/1/closes": "invalid_format",
      "/ports/2/closes": "invalid_format",
      "/ports/2/name": "too_long",
    }],
  ] as const
) {
  test(`tells ${what}`, async () => {
    const { id } = await made({});
    for (const request of ["POST /hosts/", `PUT /hosts/${id}/`, `PATCH /hosts/${id}/`]) {
      assert.equal(failures(await relata.send(request, sent)), expected, request);
    }
    const inSecond = Object.entries(expected).map(([pointer, code]) => [`/1${pointer}`, code]);
    const batch = await relata.send("POST /hosts/batch/", [{ address: "10.0.0.1" }, sent]);
    assert.equal(failures(batch), Object.fromEntries(inSecond));
  });
}

test("the neighbours of a row that is refused are made", async () => {
  const sent = Array.from({ length: 40 }, (_, index) => index % 4 === 3 ? "x" : `10.0.0.${index}`);
  const answers = await Promise.all(
    sent.map((address) => relata.send("POST /hosts/", { address })),
  );
  for (const [index, answer] of answers.entries()) {
    const isWrong = sent[index] === "x";
    assert.is(answer.status, isWrong ? 422 : 201);
    if (isWrong) assert.equal(failures(answer), { "/address": "invalid_format" });
    else assert.is(answer.body.address, sent[index]);
  }
});

test("a create with a key is refused, and can be tried again with the same key", async () => {
  const key = { "idempotency-key": "inet-1" };
  const refused = await relata.send("POST /hosts/", { address: "x" }, key);
  assert.equal(failures(refused), { "/address": "invalid_format" });
  assert.is((await relata.send("POST /hosts/", { address: "10.0.0.3" }, key)).status, 201);
});

test("rows that are owned change whole, and their history tells it", async () => {
  const host = await made({ ports: [{ closes: "36:00" }] });
  assert.is(host.ports[0].closes, "36:00:00");
  const path = `/hosts/${host.id}/`;
  const changed = await relata.send(`PATCH ${path}`, {
    ports: [{ ...host.ports[0], closes: "P2D" }, { closes: "1 hour" }],
  });
  const closes = (ports: { closes: string }[]) => ports.map(({ closes }) => closes);
  assert.equal(closes(changed.body.ports), ["2 days", "01:00:00"]);
  const { body } = await relata.send(`GET ${path}changes/`);
  const newest = body.items.find(({ verb }: { verb: string }) => verb === "changed");
  assert.equal(closes(newest.after.ports), ["2 days", "01:00:00"]);
});

test("a patch that sends what is there keeps the tag", async () => {
  const { id } = await made({ address: "10.0.0.1" });
  const read = () => relata.send(`GET /hosts/${id}/`);
  const tag = (await read()).headers.get("etag");
  await relata.send(`PATCH /hosts/${id}/`, { address: "10.0.0.1/32" });
  assert.is((await read()).headers.get("etag"), tag);
  await relata.send(`PATCH /hosts/${id}/`, { address: "10.0.0.2" });
  assert.is.not((await read()).headers.get("etag"), tag);
});

test("lists ask only whether it is null", async () => {
  await relata.sql`delete from port`;
  await relata.sql`delete from host`;
  const [some, none] = [await made({}), await made({ net: null })];
  const found = async (query: string) =>
    (await relata.send(`GET /hosts/?${query}`)).body.items.map(({ id }: { id: number }) => id);
  assert.equal(await found("net__isnull=true"), [none.id]);
  assert.equal(await found("net__isnull=false"), [some.id]);
  for (const query of ["net=10.0.0.0/8", "net__in=10.0.0.0/8", "net__contains=x", "sort=net"]) {
    assert.is((await relata.send(`GET /hosts/?${query}`)).status, 400, query);
  }
});

test("actions take and answer it, and reports show it", async () => {
  await relata.sql`delete from host`;
  await made({ address: "10.0.0.1" });
  const moved = await relata.send("POST /move/", { from: "10.0.0.1/32" });
  assert.equal([moved.status, moved.body], [200, { items: [{ address: "10.0.0.2" }] }]);
  for (const wrong of ["x", "", "\0"]) {
    const answer = await relata.send("POST /move/", { from: wrong, to: wrong });
    assert.equal(failures(answer), { "/from": "invalid_format", "/to": "invalid_format" });
  }
  const { body } = await relata.send("GET /nets/");
  assert.equal(body.items, [{ net: "10.0.0.2/32", all: "{10.0.0.2}" }]);
});

test("a page ends early for long texts", async () => {
  const field = fieldOf(types.findIndex(([type]) => type === "tsvector"));
  const words = Array.from({ length: 30_000 }, (_, index) => `word${index}`).join(" ");
  for (let count = 0; count < 4; count++) await relata.send("POST /odd/", { [field]: words });
  const { body } = await relata.send("GET /odd/?sort=-id");
  assert.ok(body.items.length < 4 && body.next, body.items.length);
});

test("is what check compares, and declare makes", async () => {
  assert.equal(await differences(relata.client, [odd, team, host, port]), []);
  const declared = await declarations(relata, ["odd", "host"]);
  const others: Record<string, string> = {
    "date": "date()",
    '"char"': `pgType('"char"')`,
    'odd."My Type"': `choice(["x", "y's"])`,
    'odd."My Type"[]': `array(choice(["x", "y's"]))`,
  };
  for (const [index, [type]] of types.entries()) {
    const code = `${fieldOf(index)}: nullable(${
      others[type] ?? `pgType(${JSON.stringify(type)})`
    })`;
    assert.ok(declared.includes(code), code);
  }
  assert.match(declared, 'net: nullable(pgType("cidr", { default: "10.0.0.0/8" })),');
});

test.run();
