// Identifiers of every type: integers, UUIDs and texts, given by the database, by the server or by the client.
// Needs: Deno, the embedded database
import { Buffer } from "node:buffer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  created,
  identifier,
  many,
  nullable,
  readonly,
  relation,
  type Resource,
  resource,
  text,
} from "../house.ts";
import { following } from "../follow.ts";
import { type Answer, failures, onEmbedded, type Service, startService } from "../service.ts";

const test = suite("identifiers");
let relata: Service;

const name = text({ maximum: 20 });

const year = resource("year", {
  path: "/years/",
  display: "name",
  fields: { id: identifier({ generated: false }), name },
});

const team = resource("team", {
  path: "/teams/",
  display: "name",
  fields: { id: identifier({ type: "uuid" }), name },
});

const ticket = resource("ticket", {
  path: "/tickets/",
  fields: { id: identifier({ type: "uuid", default: "database" }), name },
});

const person = resource("person", {
  path: "/people/",
  display: "name",
  fields: { login: identifier({ type: "text", column: "login", maximum: 10 }), name },
});

/** Its texts are equal whatever their case. */
const account = resource("account", {
  path: "/accounts/",
  display: "name",
  fields: { id: identifier({ type: "text" }), name },
});

const country = resource("country", {
  path: "/countries/",
  display: "name",
  fields: { id: identifier({ type: "text", column: "code" }), name },
});

const coupon = resource("coupon", {
  path: "/coupons/",
  fields: {
    id: identifier({ type: "text", default: "database", pattern: "^[A-Z]", example: "C-1" }),
    name,
  },
});

const seat = resource("seat", {
  path: "/seats/",
  fields: {
    id: identifier(),
    year: relation(year),
    team: relation(team, { read: "identifier" }),
    person: nullable(relation(person)),
    account: nullable(relation(account)),
    country: nullable(relation(country)),
    teams: many(team, { through: "seat_team" }),
    people: many(person, { through: "seat_person", order: "place", read: "identifier" }),
    accounts: many(account, { through: "seat_account", read: "identifier" }),
  },
});

/** Its column has integers, also beyond those that every JSON reader holds. */
const parcel = resource("parcel", {
  path: "/parcels/",
  display: "name",
  fields: { id: identifier({ type: "text" }), name },
});

const depot = resource("depot", {
  path: "/depots/",
  fields: {
    id: identifier(),
    name,
    vans: readonly(many((): Resource => van, { through: "depot_van", read: "identifier" })),
  },
});

/** What refers to integers that are texts, and has such an identifier itself. */
const van: Resource = resource("van", {
  path: "/vans/",
  filter: ["after__parcel"],
  fields: {
    id: identifier({ type: "text" }),
    parcel: nullable(relation(parcel)),
    last: nullable(relation(parcel, { read: "identifier" })),
    after: nullable(relation("self")),
    parcels: many(parcel, { through: "van_parcel" }),
    lost: many(parcel, { through: "van_lost", order: "place", read: "identifier" }),
    depots: many(depot, { through: "depot_van" }),
  },
});

const stop = resource("stop", {
  path: "/stops/",
  record: true,
  fields: { id: identifier({ type: "text" }), name, made: created() },
});

const bill = resource("bill", {
  path: "/bills/",
  fields: { id: identifier({ type: "text", default: "database" }), name },
});

const note = resource("note", {
  path: "/notes/",
  record: true,
  fields: { id: identifier({ type: "uuid" }), name, made: created() },
});

const word = resource("word", {
  path: "/words/",
  record: true,
  fields: { id: identifier({ type: "text" }), name, made: created() },
});

/** Text whose case does not count; the embedded database has none. */
const folded = onEmbedded ? "text" : "citext";
/** An order that is not that of code points; the embedded database has no other. */
const collation = onEmbedded ? "C" : "und-x-icu";
const inOrder = onEmbedded ? ["B/?#%", "a b", "é"] : ["a b", "B/?#%", "é"];
const inCapitals = (id: string) => onEmbedded ? id : id.toUpperCase();

const followed = `
  name text not null,
  made timestamptz not null default clock_timestamp(),
  relata_epoch bigint not null default relata_epoch(),
  relata_transaction xid8 not null default pg_current_xact_id()`;

test.before(async () => {
  relata = await startService({
    resources: [
      ...[year, team, ticket, person, account, country, coupon, seat, note, word],
      ...[parcel, depot, van, stop, bill],
    ],
  });
  await relata.sql.unsafe(`
    ${onEmbedded ? "" : "create extension citext;"}
    create table year (id integer primary key, name text not null);
    create table team (id uuid primary key, name text not null);
    create table ticket (
      id uuid primary key default '00000000-0000-4000-8000-000000000001',
      name text not null
    );
    create domain login as varchar(12) collate "${collation}" check (value !~ ' $');
    create table person (login login primary key, name text not null);
    create table account (id ${folded} primary key, name text not null, ordinal integer);
    create table country (code char(3) primary key, name text not null);
    create sequence coupon_number;
    create table coupon (
      id text primary key default 'C-' || nextval('coupon_number'),
      name text not null
    );
    create table seat (
      id bigint generated by default as identity primary key,
      year_id integer not null references year,
      team_id uuid not null references team,
      person_id login references person,
      account_id ${folded} references account,
      country_id char(3) references country
    );
    create table seat_team (
      seat_id bigint references seat,
      team_id uuid references team,
      primary key (seat_id, team_id)
    );
    create table seat_person (
      seat_id bigint references seat,
      person_id login references person,
      place integer not null,
      primary key (seat_id, person_id)
    );
    create table seat_account (
      seat_id bigint references seat,
      account_id ${folded} references account,
      primary key (seat_id, account_id)
    );
    create table note (id uuid primary key, ${followed});
    create table word (id text primary key, ${followed});
    create table parcel (id bigint primary key, name text not null);
    create table depot (
      id bigint generated by default as identity primary key,
      name text not null
    );
    create table van (
      id bigint primary key,
      parcel_id bigint references parcel,
      last_id bigint references parcel,
      after_id bigint references van
    );
    create table depot_van (
      depot_id bigint references depot,
      van_id bigint references van,
      primary key (depot_id, van_id)
    );
    create table van_parcel (
      van_id bigint references van,
      parcel_id bigint references parcel,
      primary key (van_id, parcel_id)
    );
    create table van_lost (
      van_id bigint references van,
      parcel_id bigint references parcel,
      place integer not null,
      primary key (van_id, parcel_id)
    );
    create table bill (
      id bigint generated by default as identity (start with ${FAR}) primary key,
      name text not null
    );
    create table stop (id bigint primary key, ${followed})`);
});

test.before.each(async () => {
  await relata.sql.unsafe(`
    truncate year, team, ticket, person, account, country, coupon, seat, seat_team, seat_person,
      seat_account, note, word, parcel, depot, van, depot_van, van_parcel, van_lost,
      stop, bill restart identity;
    alter sequence coupon_number restart`);
});
test.after(() => relata.stop());

const A = "aaaaaaaa-0000-4000-8000-000000000000";
const B = "bbbbbbbb-0000-4000-8000-000000000000";
const C = "cccccccc-0000-4000-8000-000000000000";

/** An integer that a JSON number does not hold. */
const FAR = "9007199254740993";

/** What clients may send as an identifier, in order, with the part of a path that it is. */
const keys = [
  ["/years/", "id", [-1, 0, 2026], ["-1", "0", "2026"]],
  ["/teams/", "id", [A, B, C], [A, B, C]],
  ["/tickets/", "id", [A, B, C], [A, B, C]],
  ["/people/", "login", inOrder, inOrder.map(encodeURIComponent)],
  ["/accounts/", "id", ["Ann", "Bob", "Cid"], ["Ann", "Bob", "Cid"]],
  ["/countries/", "id", ["aut", "ita", "usa"], ["aut", "ita", "usa"]],
  ["/parcels/", "id", ["9", "10", FAR], ["9", "10", FAR]],
  ["/coupons/", "id", ["A", "B", "C"], ["A", "B", "C"]],
] as const;

for (const [path, key, all, segments] of keys) {
  const [one, two, three] = all;
  const [first, second] = segments;
  const of = (id: string | number, name = "Name") => ({ [key]: id, name });

  test(`${path} takes the identifier of a client, and finds the row by it`, async () => {
    const made = await relata.send(`POST ${path}`, of(one));
    assert.equal([made.status, made.body], [201, of(one)]);
    assert.is(made.headers.get("location"), `${path}${first}/`);
    const read = await relata.send(`GET ${path}${first}/`);
    assert.equal([read.status, read.body], [200, of(one)]);
    assert.is(read.headers.get("etag"), made.headers.get("etag"));
    assert.is((await relata.send(`GET ${path}${second}/`)).status, 404);
    assert.is((await relata.send(`DELETE ${path}${first}/`)).status, 204);
    assert.is((await relata.send(`DELETE ${path}${first}/`)).status, 404);
  });

  test(`${path} refuses an identifier that is taken`, async () => {
    await relata.send(`POST ${path}`, of(one));
    assert.equal(failures(await relata.send(`POST ${path}`, of(one, "Other"))), {
      [`/${key}`]: "taken",
    });
    const twice = [of(two), of(three), of(two)];
    assert.equal(failures(await relata.send(`POST ${path}batch/`, twice)), {
      [`/2/${key}`]: "taken",
    });
    assert.equal((await relata.send(`GET ${path}`)).body.items, [of(one)]);
  });

  test(`${path} lists in the order of identifiers, one page after the other`, async () => {
    await relata.send(`POST ${path}batch/`, [of(two), of(three), of(one)]);
    const pages = async (query: string) => {
      const seen = [];
      for (let next = `${path}?limit=1${query}`; next !== null;) {
        const { status, body } = await relata.send(`GET ${next}`);
        assert.is(status, 200);
        seen.push(...body.items.map((item: Record<string, unknown>) => item[key]));
        next = body.next;
      }
      return seen;
    };
    assert.equal(await pages(""), all);
    assert.equal(await pages("&sort=-id"), [...all].reverse());
    const some = `&${key}__in=${segments[2]},${second}`;
    assert.equal(await pages(some), [two, three]);
  });

  test(`${path} is created by PUT, and then replaced`, async () => {
    const made = await relata.send(`PUT ${path}${first}/`, { name: "One" });
    assert.equal([made.status, made.body], [201, of(one, "One")]);
    assert.is(made.headers.get("location"), `${path}${first}/`);
    const again = await relata.send(`PUT ${path}${first}/`, of(one, "Two"));
    assert.equal([again.status, again.body], [200, of(one, "Two")]);
    assert.is(again.headers.get("location"), null);
  });

  test(`${path} never changes an identifier`, async () => {
    await relata.send(`POST ${path}`, of(one));
    for (const method of ["PUT", "PATCH"]) {
      const same = await relata.send(`${method} ${path}${first}/`, of(one, method));
      assert.equal([same.status, same.body], [200, of(one, method)]);
      const other = await relata.send(`${method} ${path}${first}/`, of(two));
      assert.equal(failures(other), { [`/${key}`]: "read_only" });
    }
    assert.is((await relata.send(`GET ${path}${second}/`)).status, 404);
  });

  test(`${path} by PUT keeps the conditions`, async () => {
    const put = (headers: Record<string, string>) =>
      relata.send(`PUT ${path}${first}/`, { name: "Name" }, headers);
    for (const value of ["*", '"other"']) {
      const absent = await put({ "if-match": value });
      assert.equal([absent.status, absent.body.current], [412, null]);
    }
    const made = await put({ "if-none-match": "*" });
    assert.is(made.status, 201);
    const there = await put({ "if-none-match": "*" });
    assert.equal([there.status, there.body.current], [412, made.body]);
    assert.is((await put({ "if-match": "*" })).status, 200);
    assert.is((await put({ "if-match": made.headers.get("etag")! })).status, 200);
  });

  test(`${path} answers one of many PUTs at once with 201, the others with 200`, async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((each) => relata.send(`PUT ${path}${first}/`, { name: `Name ${each}` })),
    );
    assert.equal(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 201]);
    assert.equal(answers.map(({ body }) => body[key]), [one, one, one, one, one]);
  });

  test(`${path} creates once with an Idempotency-Key`, async () => {
    const once = () => relata.send(`POST ${path}`, of(one), { "idempotency-key": "once" });
    const [made, again] = [await once(), await once()];
    assert.equal([made.status, again.status], [201, 201]);
    assert.equal(again.body, made.body);
    assert.is(again.headers.get("location"), made.headers.get("location"));
  });
}

test("a row of an offline client is the same row however often it is sent", async () => {
  const create = () => relata.send(`PUT /teams/${A}/`, { name: "Team" }, { "if-none-match": "*" });
  assert.is((await create()).status, 201); // and the answer is lost
  assert.is((await create()).status, 412);
  const put = () => relata.send(`PUT /teams/${B}/`, { name: "Team" });
  assert.equal([(await put()).status, (await put()).status], [201, 200]);
  assert.is((await relata.send("GET /teams/?count=true")).body.count, 2);
});

/** What each resource answers to a body. */
const refused: [path: string, body: object, expected: Record<string, string>][] = [
  ["/years/", { name: "x" }, { "/id": "required" }],
  ["/years/", { id: "1", name: "x" }, { "/id": "incorrect_type" }],
  ["/years/", { id: 1.5, name: "x" }, { "/id": "incorrect_type" }],
  ["/years/", { id: 2 ** 53, name: "x" }, { "/id": "too_large" }],
  ["/years/", { id: 2 ** 40, name: "x" }, { "/id": "rejected" }],
  ["/teams/", { id: 1, name: "x" }, { "/id": "incorrect_type" }],
  ["/teams/", { id: "x", name: "x" }, { "/id": "invalid_format" }],
  ["/teams/", { id: null, name: "x" }, { "/id": "incorrect_type" }],
  ["/people/", { name: "x" }, { "/login": "required" }],
  ["/people/", { login: 1, name: "x" }, { "/login": "incorrect_type" }],
  ["/people/", { login: "", name: "x" }, { "/login": "too_short" }],
  ["/people/", { login: "x".repeat(11), name: "x" }, { "/login": "too_long" }],
  ["/people/", { login: "\0", name: "x" }, { "/login": "invalid_text" }],
  ["/people/", { login: "batch", name: "x" }, { "/login": "invalid_format" }],
  ["/people/", { login: "..", name: "x" }, { "/login": "invalid_format" }],
  ["/coupons/", { id: "c-1", name: "x" }, { "/id": "invalid_format" }],
  ["/vans/", { id: "choices" }, { "/id": "invalid_format" }],
  ["/words/", { id: "last", name: "x" }, { "/id": "invalid_format" }],
  ["/countries/", { id: "  ", name: "x" }, { "/id": "invalid_format" }],
  ["/accounts/", { id: "batch ", name: "x" }, { "/id": "invalid_format" }],
  ["/parcels/", { id: 7, name: "x" }, { "/id": "incorrect_type" }],
  ["/parcels/", { id: "7.5", name: "x" }, { "/id": "rejected" }],
  ["/parcels/", { id: "9223372036854775808", name: "x" }, { "/id": "rejected" }],
];
for (const [path, body, expected] of refused) {
  test(`${path} refuses ${JSON.stringify(body).slice(0, 50)}`, async () => {
    assert.equal(failures(await relata.send(`POST ${path}`, body)), expected);
  });
}

test("an empty text is told that it is too short", async () => {
  const { errors } = (await relata.send("POST /people/", { login: "", name: "x" })).body;
  assert.is(errors[0].detail, "Send at least 1 character");
});

test("what a path says is refused at the field by PUT, and found by no read", async () => {
  const long = "x".repeat(11);
  assert.is((await relata.send(`GET /people/${long}/`)).status, 404);
  const put = await relata.send(`PUT /people/${long}/`, { name: 7 });
  assert.equal(failures(put), { "/name": "incorrect_type" });
  const right = await relata.send(`PUT /people/${long}/`, { name: "x" });
  assert.equal(failures(right), { "/login": "too_long" });
  for (const path of ["/teams/x/", "/teams/1/", "/people/%ff/", "/people/%00/", "/years/1.0/"]) {
    assert.is((await relata.send(`GET ${path}`)).status, 404, path);
    assert.is((await relata.send(`PUT ${path}`, { name: "x" })).status, 404, path);
  }
});

test("what a domain does not take is the identifier of no row, and no neighbour suffers", async () => {
  await relata.send("POST /people/", { login: "ann", name: "Ann" });
  const paths = ["ann", "x%20", "ann", "y%20", "ann"];
  const all = await Promise.all(paths.map((path) => relata.send(`GET /people/${path}/`)));
  assert.equal(all.map(({ status }) => status), [200, 404, 200, 404, 200]);
  assert.is((await relata.send("DELETE /people/x%20/")).status, 404);
  assert.is((await relata.send("PATCH /people/x%20/", { name: "x" })).status, 404);
  const seat = { ...await seated(), person: "x ", people: ["y "] };
  assert.equal(failures(await relata.send("POST /seats/", seat)), {
    "/person": "does_not_exist",
    "/people/0": "does_not_exist",
  });
});

test("writes of all kinds that meet at one identifier find the row, or that there is none", async () => {
  const path = `/teams/${A}/`;
  const statuses = new Set<number>();
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all([
      relata.send(`PUT ${path}`, { name: "One" }),
      relata.send(`DELETE ${path}`),
      relata.send(`PATCH ${path}`, { name: "Two" }),
      relata.send(`PUT ${path}`, { name: "Three" }),
      relata.send(`DELETE ${path}`),
    ]);
    for (const { status } of answers) statuses.add(status);
  }
  assert.equal([...statuses].filter((status) => ![200, 201, 204, 404].includes(status)), []);
});

test("a UUID is read in lower case, whatever case it was sent in", async () => {
  const made = await relata.send("POST /teams/", { id: A.toUpperCase(), name: "Team" });
  assert.equal([made.body.id, made.headers.get("location")], [A, `/teams/${A}/`]);
  assert.equal((await relata.send(`GET /teams/${A.toUpperCase()}/`)).body, made.body);
  const again = await relata.send(`PATCH /teams/${A.toUpperCase()}/`, { id: A.toUpperCase() });
  assert.equal([again.status, again.body], [200, made.body]);
  const put = await relata.send(`PUT /teams/${B.toUpperCase()}/`, { name: "Team" });
  assert.equal([put.body.id, put.headers.get("location")], [B, `/teams/${B}/`]);
  await relata.send("POST /years/", { id: 1, name: "One" });
  const seat = { year: 1, team: A.toUpperCase(), teams: [B.toUpperCase()] };
  const { body } = await relata.send("POST /seats/", seat);
  assert.equal([body.team, body.teams], [A, [{ id: B, name: "Team" }]]);
  const kept = await relata.send(`DELETE /teams/${B.toUpperCase()}/`);
  assert.is(kept.body.references[0].href, `/seats/?teams=${B}`);
});

test("a UUID that is not sent is made by the server, in the order of time", async () => {
  const made: Answer[] = [];
  for (const name of ["One", "Two", "Three"]) {
    made.push(await relata.send("POST /teams/", { name }));
  }
  const ids = made.map(({ body }) => body.id);
  for (const id of ids) {
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  }
  assert.equal(
    (await relata.send("GET /teams/")).body.items.map(({ id }: { id: string }) => id),
    ids,
  );
  const many = await relata.send("POST /teams/batch/", [{ name: "Four" }, { name: "Five" }]);
  assert.is(new Set(many.body.map(({ id }: { id: string }) => id)).size, 2);
});

test("an identifier that is not sent is the default of the column, where that is declared", async () => {
  const ticket = await relata.send("POST /tickets/", { name: "Ticket" });
  assert.is(ticket.body.id, "00000000-0000-4000-8000-000000000001");
  const coupons = await relata.send("POST /coupons/batch/", [
    { name: "One" },
    { id: "Mine", name: "Two" },
    { name: "Three" },
  ]);
  assert.equal(coupons.body.map(({ id }: { id: string }) => id), ["C-1", "Mine", "C-2"]);
  const bills = await relata.send("POST /bills/batch/", [{ name: "One" }, {
    id: "7",
    name: "Two",
  }]);
  assert.equal(bills.body.map(({ id }: { id: string }) => id), [FAR, "7"]);
});

for (
  const [path, made, other] of [
    ["/accounts/", "Ann", inCapitals("Ann")],
    ["/countries/", "at ", "at%20%20"],
    ["/parcels/", "7", "007"],
  ]
) {
  test(`${path} answers a change under a key again, whatever the body calls the row, and became of it`, async () => {
    await relata.send(`POST ${path}`, { id: made, name: "One" });
    const change = (method: string) =>
      relata.send(`${method} ${path}${other}/`, { id: made, name: method }, {
        "idempotency-key": "once",
      });
    const methods = ["PUT", "PATCH"];
    const first = await Promise.all(methods.map(change));
    assert.equal(first.map(({ status }) => status), [200, 200]);
    await relata.send(`DELETE ${path}${other}/`);
    const again = await Promise.all(methods.map(change));
    assert.equal(again.map(({ body }) => body), first.map(({ body }) => body));
    assert.equal((await relata.send(`GET ${path}`)).body.items, []);
  });
}

test("an identifier is the same one if the column says so", async () => {
  await relata.send("POST /accounts/", { id: "Ann", name: "Ann" });
  assert.is((await relata.send(`GET /accounts/${inCapitals("Ann")}/`)).body.id, "Ann");
  const both = await Promise.all(
    [inCapitals("Ann"), "Ann"].map((id) => relata.send(`GET /accounts/${id}/`)),
  );
  assert.equal(both.map(({ body }) => body.id), ["Ann", "Ann"]);
  const put = await relata.send(`PUT /accounts/${inCapitals("Ann")}/`, {
    id: "Ann",
    name: "Other",
  });
  assert.equal([put.status, put.body], [200, { id: "Ann", name: "Other" }]);
  assert.equal(
    failures(await relata.send("POST /accounts/", { id: inCapitals("Ann"), name: "x" })),
    {
      "/id": "taken",
    },
  );
  await relata.send("POST /countries/", { id: "at", name: "Austria" });
  assert.is((await relata.send("GET /countries/at/")).body.name, "Austria");
});

async function seated() {
  await relata.send("POST /years/", { id: 0, name: "Zero" });
  for (const id of [A, B]) await relata.send("POST /teams/", { id, name: "Team" });
  for (const login of ["ann", "b,(c)"]) await relata.send("POST /people/", { login, name: login });
  for (const id of ["Ann", "Bob"]) await relata.send("POST /accounts/", { id, name: id });
  await relata.send("POST /countries/", { id: "at", name: "Austria" });
  return {
    year: 0,
    team: A,
    person: "ann",
    account: inCapitals("Ann"),
    country: "at",
    teams: [B, A],
    people: ["b,(c)", "ann"],
    accounts: [inCapitals("Bob"), "Ann"],
  };
}

test("relations are written as identifiers of every type, and read as objects", async () => {
  const seat = await seated();
  const { status, body } = await relata.send("POST /seats/", seat);
  assert.is(status, 201);
  const shown = {
    id: 1,
    year: { id: 0, name: "Zero" },
    team: A,
    person: { login: "ann", name: "ann" },
    account: { id: "Ann", name: "Ann" },
    country: { id: "at", name: "Austria" },
    teams: [{ id: A, name: "Team" }, { id: B, name: "Team" }],
    people: ["b,(c)", "ann"],
    accounts: ["Ann", "Bob"],
  };
  assert.equal(body, shown);
  assert.equal((await relata.send("GET /seats/1/")).body, shown);
  const changed = { people: ["ann", "b,(c)"], accounts: ["Bob"], teams: [], person: null };
  const patched = await relata.send("PATCH /seats/1/", changed);
  assert.equal(patched.body, {
    ...shown,
    people: ["ann", "b,(c)"],
    accounts: ["Bob"],
    teams: [],
    person: null,
  });
  assert.equal((await relata.send("GET /seats/1/")).body, patched.body);
  assert.is((await relata.send("DELETE /seats/1/")).status, 204);
});

test("a relation to what is not there is refused at its field", async () => {
  const seat = await seated();
  const refused = await relata.send("POST /seats/", {
    ...seat,
    year: 7,
    team: "x",
    person: "nobody",
    account: 7,
    country: "too long",
    teams: [A, C, "x"],
    people: ["ann", { login: "ann" }],
    accounts: ["Ann", inCapitals("Ann"), "cid"],
  });
  assert.equal(failures(refused), {
    "/year": "does_not_exist",
    "/team": "does_not_exist",
    "/person": "does_not_exist",
    "/account": "incorrect_type",
    "/country": "does_not_exist",
    "/teams/1": "does_not_exist",
    "/teams/2": "does_not_exist",
    "/people/1": "incorrect_type",
    "/accounts/1": "duplicate",
    "/accounts/2": "does_not_exist",
  });
  const types = { year: "0", team: 7, person: 7, teams: [7, "x"], people: [7, "nobody"] };
  assert.equal(failures(await relata.send("POST /seats/", { ...seat, ...types })), {
    "/year": "incorrect_type",
    "/team": "incorrect_type",
    "/person": "incorrect_type",
    "/teams/0": "incorrect_type",
    "/teams/1": "does_not_exist",
    "/people/0": "incorrect_type",
    "/people/1": "does_not_exist",
  });
  const twice = { ...seat, teams: [A, A.toUpperCase()] };
  assert.equal(failures(await relata.send("POST /seats/", twice)), { "/teams/1": "duplicate" });
  const { errors } =
    (await relata.send("POST /seats/", { ...seat, person: { login: "ann" } })).body;
  assert.is(errors[0].detail, "Send the identifier ann, not the object");
});

test("choices and filters take identifiers of every type", async () => {
  await relata.send("POST /seats/", await seated());
  assert.equal((await relata.send("GET /seats/choices/person/")).body.choices, {
    "ann": "ann",
    "b,(c)": "b,(c)",
  });
  const page = await relata.send("GET /seats/choices/team/?limit=1");
  assert.equal(page.body.choices, { [A]: "Team" });
  assert.equal((await relata.send(`GET ${page.body.next}`)).body.choices, { [B]: "Team" });
  for (const login of ["Bo", "Cy"]) await relata.send("POST /people/", { login, name: login });
  const logins = [];
  for (let next = "/seats/choices/person/?limit=1"; next !== null;) {
    const { body } = await relata.send(`GET ${next}`);
    logins.push(...Object.keys(body.choices));
    next = body.next;
  }
  assert.equal(logins, onEmbedded ? ["Bo", "Cy", "ann", "b,(c)"] : ["ann", "b,(c)", "Bo", "Cy"]);
  const chosen = await relata.send(String.raw`GET /seats/choices/person/?login__in=b\,(c)`);
  assert.equal(chosen.body.choices, { "b,(c)": "b,(c)" });
  const counts = [
    ["year=0", 1],
    ["year=1", 0],
    [`team=${A.toUpperCase()}`, 1],
    [`team__in=${B},${C}`, 0],
    ["person=ann", 1],
    ["person=zoe", 0],
    [`account=${inCapitals("Ann")}`, 1],
    ["country=at", 1],
    [`teams=${B}`, 1],
    [`teams__in=${C},${A}`, 1],
    [String.raw`people__in=b\,(c)`, 1],
    [`accounts=${inCapitals("Bob")}`, 1],
    ["accounts=cid", 0],
  ];
  for (const [query, count] of counts) {
    const { status, body } = await relata.send(`GET /seats/?${query}`);
    assert.equal([query, status, body.items?.length], [query, 200, count]);
  }
  assert.is((await relata.send("GET /seats/?team=x")).status, 400);
});

/** Keys that a cursor of ours never has, by the path of what pages have them. */
const forged: [path: string, keys: unknown[]][] = [
  ["/seats/choices/year/", ["x", "01", "9223372036854775808", "", 1, null, [1]]],
  ["/seats/choices/team/", ["x", "", 1, null]],
  ["/seats/choices/person/", ["x ", "\0", "\ud800", 1, null]],
  ["/vans/choices/parcel/", ["x", "7.5", "9223372036854775808", "", 1, null]],
];
for (const [path, keys] of forged) {
  const field = path.split("/").at(-2)!;
  const all = { year: "years", team: "teams", person: "people", parcel: "parcels" };
  for (const paged of [path, `/${all[field as keyof typeof all]}/`]) {
    test(`${paged} refuses a cursor whose key it never gave`, async () => {
      await seated();
      await delivered();
      await relata.send("POST /years/", { id: 1, name: "One" });
      const { next } = (await relata.send(`GET ${paged}?limit=1`)).body;
      const cursor = new URL(next, "http://relata.test").searchParams.get("cursor")!;
      const [list, [given]] = JSON.parse(Buffer.from(cursor, "base64url").toString());
      const page = async (key: unknown) => {
        const cursor = Buffer.from(JSON.stringify([list, [key]])).toString("base64url");
        return (await relata.send(`GET ${paged}?cursor=${cursor}`)).status;
      };
      assert.is(await page(given), 200);
      for (const key of keys) assert.equal([key, await page(key)], [key, 400]);
    });
  }
}

test("a row that others refer to is kept, with the path of those", async () => {
  await relata.send("POST /seats/", await seated());
  for (
    const [path, query] of [
      ["/people/b%2C(c)/", "people=b%2C(c)"],
      [`/accounts/${inCapitals("Bob")}/`, `accounts=${inCapitals("Bob")}`],
      ["/countries/at/", "country=at"],
    ] as const
  ) {
    const { status, body } = await relata.send(`DELETE ${path}`);
    assert.is(status, 409);
    assert.equal(body.references, [{ resource: "seat", href: `/seats/?${query}` }]);
    assert.is((await relata.send(`GET ${body.references[0].href}`)).body.items.length, 1);
  }
});

/** What a trigger can make of the login of a person. */
const rewritten: [what: string, change: string][] = [
  ["in lower case", "lower(new.login)"],
  ["of a neighbour", "translate(new.login, 'ABCD', 'BCDA')"],
];
for (const [what, change] of rewritten) {
  test(`each create answers with its own row where a trigger makes its identifier one ${what}`, async () => {
    await relata.sql.unsafe(`
      create function rewrite() returns trigger language plpgsql as $$
        begin
          new.login := ${change};
          return new;
        end $$;
      create trigger rewrite before insert on person for each row execute function rewrite()`);
    const sent = ["A", "B", "C", "D"];
    const made = await Promise.all(
      sent.map((login) => relata.send("POST /people/", { login, name: `Sent as ${login}` })),
    );
    await relata.sql`drop function rewrite cascade`;
    assert.equal(made.map(({ status }) => status), [201, 201, 201, 201]);
    assert.equal(made.map(({ body }) => body.name), sent.map((login) => `Sent as ${login}`));
    for (const { headers, body } of made) {
      assert.is(headers.get("location"), `/people/${body.login}/`);
      assert.equal((await relata.send(`GET /people/${body.login}/`)).body, body);
    }
  });
}

/** Keys that the declarations do not take, by the paths of rows that have them all the same. */
const unwanted: [path: string, key: string, id: string, code: string][] = [
  ["/people/", "login", "x".repeat(11), "too_long"],
  ["/coupons/", "id", "c-1", "invalid_format"],
];
for (const [path, key, id, code] of unwanted) {
  test(`a row of ${path} is read, changed and deleted by the key "${id}", and never created`, async () => {
    const one = `${path}${id}/`;
    const put = () => relata.send(`PUT ${one}`, { name: "Put" });
    assert.equal(failures(await put()), { [`/${key}`]: code });
    await relata.sql`
      insert into ${relata.sql(path === "/people/" ? "person" : "coupon")} (${
      relata.sql(key)
    }, name)
      values (${id}, 'Name')`;
    assert.equal((await relata.send(`GET ${one}`)).body, { [key]: id, name: "Name" });
    const replaced = await put();
    assert.equal([replaced.status, replaced.body], [200, { [key]: id, name: "Put" }]);
    const wrong = await relata.send(`PUT ${one}`, { name: 7 });
    assert.equal(failures(wrong), { "/name": "incorrect_type" });
    const patched = await relata.send(`PATCH ${one}`, { name: "Patch" });
    assert.equal([patched.status, patched.body.name], [200, "Patch"]);
    assert.is((await relata.send(`DELETE ${one}`)).status, 204);
    assert.equal(failures(await put()), { [`/${key}`]: code });
  });
}

test("rows whose keys paths have for something else are read by their list", async () => {
  await relata.sql`insert into person values ('batch', 'Batch'), ('.', 'Dot')`;
  await relata.sql`insert into word (id, name) values ('last', 'Last')`;
  const { items } = (await relata.send("GET /people/?login__in=batch,.")).body;
  assert.equal(items, [{ login: ".", name: "Dot" }, { login: "batch", name: "Batch" }]);
  assert.is((await relata.send("GET /words/?id__in=last")).body.items[0].name, "Last");
});

async function delivered() {
  for (const id of ["9", "10", FAR]) {
    await relata.send(`PUT /parcels/${id}/`, { name: `No. ${id}` });
  }
  await relata.send("POST /depots/", { name: "Depot" });
  return {
    id: "-9223372036854775808",
    parcel: FAR,
    last: FAR,
    after: null,
    parcels: [FAR, "9", "10"],
    lost: [FAR, "9"],
    depots: [1],
  };
}

test("texts that are integers in the database are read and written as texts", async () => {
  const sent = await delivered();
  const made = await relata.send("POST /vans/", sent);
  const shown = {
    ...sent,
    parcel: { id: FAR, name: `No. ${FAR}` },
    parcels: ["9", "10", FAR].map((id) => ({ id, name: `No. ${id}` })),
    depots: [{ id: 1, name: "Depot", vans: [sent.id] }],
  };
  assert.equal([made.status, made.body], [201, shown]);
  assert.is(made.headers.get("location"), `/vans/${sent.id}/`);
  assert.equal((await relata.send("GET /vans/")).body.items, [shown]);
  const changed = await relata.send(`PATCH /vans/${sent.id}/`, {
    after: sent.id,
    last: "10",
    lost: ["10", FAR],
    parcels: [],
  });
  const { after: _, ...within } = shown;
  const now = { last: "10", lost: ["10", FAR], parcels: [] };
  assert.equal(changed.body, {
    ...shown,
    ...now,
    after: { ...within, ...now, after: sent.id },
  });
  assert.equal((await relata.send(`GET /vans/${sent.id}/`)).body, changed.body);
  const put = await relata.send(`PUT /vans/${FAR}/`, { ...sent, id: FAR, after: sent.id });
  assert.equal([put.status, put.body.id, put.body.after.id], [201, FAR, sent.id]);
  const page = await relata.send("GET /vans/choices/parcel/?limit=2");
  assert.equal(page.body.choices, { 9: "No. 9", 10: "No. 10" });
  const rest = await relata.send(`GET ${page.body.next}`);
  assert.equal(rest.body, { choices: { [FAR]: `No. ${FAR}` }, next: null });
  const kept = await relata.send(`DELETE /parcels/${FAR}/`);
  assert.is(kept.status, 409);
  assert.equal(kept.body.references.map(({ href }: { href: string }) => href), [
    `/vans/?parcel=${FAR}`,
  ]);
});

test("lists and choices find texts that are integers in the database", async () => {
  const sent = await delivered();
  await relata.send("POST /vans/", sent);
  await relata.send("POST /vans/", { ...sent, id: "1", parcel: "9", after: sent.id });
  const found = [
    [`/vans/?parcel=${FAR}`, [sent.id]],
    [`/vans/?parcel__in=x,9,${FAR}`, [sent.id, "1"]],
    ["/vans/?parcel=x", []],
    [`/vans/?last=${FAR}&limit=1`, [sent.id]],
    [`/vans/?parcels=${FAR}`, [sent.id, "1"]],
    ["/vans/?parcels=x", []],
    ["/vans/?lost__in=x,9", [sent.id, "1"]],
    ["/vans/?lost=10", []],
    [`/vans/?after=${sent.id}`, ["1"]],
    [`/vans/?after__parcel=${FAR}`, ["1"]],
    ["/vans/?after__parcel=x", []],
    [`/vans/?after__parcel__in=x,${FAR}`, ["1"]],
    ["/vans/?id__in=x,1,9223372036854775808", ["1"]],
    ["/vans/?id__in=x", []],
  ] as const;
  for (const [path, ids] of found) {
    const { status, body } = await relata.send(`GET ${path}`);
    assert.equal([path, status, body.items?.map(({ id }: { id: string }) => id)], [path, 200, ids]);
  }
  const chosen = await relata.send("GET /vans/choices/parcel/?id__in=x,9");
  assert.equal(chosen.body.choices, { 9: "No. 9" });
});

test("a text that is no integer is that of no row where the database has integers", async () => {
  const sent = await delivered();
  await relata.send("POST /vans/", sent);
  const paths = ["9", "x", "9223372036854775808", "9", "7.5", "9"];
  const all = await Promise.all(paths.map((path) => relata.send(`GET /parcels/${path}/`)));
  assert.equal(all.map(({ status }) => status), [200, 404, 404, 200, 404, 200]);
  assert.is((await relata.send("DELETE /parcels/x/")).status, 404);
  assert.is((await relata.send("PATCH /parcels/x/", { name: "x" })).status, 404);
  assert.equal(failures(await relata.send("PUT /parcels/x/", { name: "x" })), {
    "/id": "rejected",
  });
  const wrong = { parcel: "x", last: "9223372036854775808", parcels: ["9", "x"], lost: ["7.5"] };
  const refused = {
    "/parcel": "does_not_exist",
    "/last": "does_not_exist",
    "/parcels/1": "does_not_exist",
    "/lost/0": "does_not_exist",
  };
  assert.equal(failures(await relata.send("POST /vans/", { ...sent, ...wrong })), refused);
  assert.equal(failures(await relata.send(`PATCH /vans/${sent.id}/`, wrong)), refused);
  assert.equal(
    failures(await relata.send(`PATCH /vans/${sent.id}/`, { parcels: ["9", "09"] })),
    { "/parcels/1": "duplicate" },
  );
  const together = await Promise.all(
    ["1", "x", "2", "3"].map((id) => relata.send("POST /parcels/", { id, name: "x" })),
  );
  assert.equal(together.map(({ status }) => status), [201, 422, 201, 201]);
  assert.equal(together.map(({ body }) => body.id), ["1", undefined, "2", "3"]);
});

/** Identifiers of records, as they are created. */
const records: [path: string, ids: string[], equal: string[]][] = [
  ["/notes/", [C, A, B], [C, A, B]],
  ["/words/", ["c", "a", "ä"], ["z", "ä", "😀"]],
  ["/stops/", ["9", "10", "8"], [FAR, "10", "9"]],
];
for (const [path, ids, equal] of records) {
  test(`${path} has the newest record by the time of its creation`, async () => {
    assert.is((await relata.send(`GET ${path}last/`)).status, 404);
    for (const id of ids) await relata.send(`POST ${path}`, { id, name: "Note" });
    assert.is((await relata.send(`GET ${path}last/`)).body.id, ids[2]);
    const seen = [];
    for (let next = `${path}?limit=1`; next !== null;) {
      const { body } = await relata.send(`GET ${next}`);
      seen.push(body.items[0].id);
      next = body.next;
    }
    assert.equal(seen, [...ids].reverse());
  });

  test(`${path} is followed from any record on`, async () => {
    const follow = async (headers: Record<string, string>) => {
      const url = `http://relata.test${path}`;
      const accept = { accept: "text/event-stream", ...headers };
      return following(await relata.fetch(new Request(url, { headers: accept })));
    };
    const stream = await follow({});
    for (const id of ids) await relata.send(`POST ${path}`, { id, name: "Note" });
    const events = await stream.take(3);
    assert.equal(events.map(({ data }) => data.id), ids);
    await stream.close();
    const rest = await follow({ "last-event-id": events[0]!.id });
    assert.equal((await rest.take(2)).map(({ data }) => data.id), ids.slice(1));
    await rest.close();
  });

  test(`${path} that were created at once end with the last by code point`, async () => {
    await relata.send(`POST ${path}batch/`, equal.map((id) => ({ id, name: "Note" })));
    const newest = following(
      await relata.fetch(
        new Request(`http://relata.test${path}`, { headers: { accept: "text/event-stream" } }),
      ),
    );
    const [last] = await newest.take(1);
    await newest.close();
    assert.is(last!.data.id, [...equal].sort().at(-1));
  });
}

test.run();
