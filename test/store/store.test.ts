// The music store: every kind of field and of relation, together.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failures, type Service } from "../service.ts";
import { fill } from "./rows.ts";
import { startStore } from "./store.ts";

const test = suite("music store");
let store: Service;

test.before(async () => {
  store = await startStore();
  await fill(store);
});
test.after(() => store.stop());

/** Sends what has to succeed, and gives what is answered. */
async function done(request: string, body?: unknown) {
  const answer = await store.send(request, body);
  assert.ok(answer.status < 300, `${request}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function tagOf(path: string): Promise<string | null> {
  return (await store.send(`GET ${path}`)).headers.get("etag");
}

for (
  const [path, expected] of [
    ["/api/genres/choices/parent/?limit=2", { 1: "Rock", 2: "Hard rock" }],
    ["/api/albums/choices/artist/", { 1: "Ann and the Bobs", 2: "Cid" }],
    ["/api/albums/choices/label/", { 1: "Loud", 2: "label 2" }],
    ["/api/tracks/choices/genres/", { 1: "Rock", 2: "Hard rock", 3: "Glam rock" }],
    ["/api/tracks/choices/tags/?q=LO", { 1: "loud", 2: "low" }],
    ["/api/shops/choices/manager/", { 1: "Kim", 2: "Lea", 3: "Max" }],
    ["/api/employees/choices/shop/", { 1: "Tromsø", 2: "Bodø" }],
    ["/api/profiles/choices/customer/", { 1: "Ann", 2: "Ann" }],
    ["/api/playlists/choices/tracks/", { 1: "One", 2: "Two", 3: "Three" }],
    ["/api/reviews/choices/track/", { 1: "One", 2: "Two", 3: "Three" }],
    ["/api/invoice-lines/choices/invoice/?limit=1", { 1: "invoice 1" }],
  ] as const
) {
  test(`${path} are candidates by the texts that people know them by`, async () => {
    assert.equal((await done(`GET ${path}`)).choices, expected);
  });
}

// Lists of the rows that are there at first: the tests further down add others

const longest = { name: "Longest", album: 2, milliseconds: 600_000 };

for (
  const [path, expected] of [
    ["/api/genres/?parent=1", ["Hard rock"]],
    ["/api/genres/?parent__isnull=false", ["Hard rock", "Glam rock"]],
    ["/api/employees/?manager=2", ["Max"]],
    ["/api/employees/?sort=-manager", ["Kim", "Max", "Lea"]],
    ["/api/employees/?role__in=buyer,driver", ["Lea"]],
    ["/api/employees/?hired__gte=2016-01-01&sort=-hired", ["Max", "Lea"]],
    ["/api/employees/?manager__name=Kim", ["Lea"]],
    ["/api/playlists/?tracks=3&q=mi", ["Mix"]],
    ["/api/tracks/?album=1&q=tw", ["Two"]],
    ["/api/tracks/?price__gt=1", ["Two"]],
    ["/api/tracks/?album__artist=2&milliseconds__lte=600000", ["Longest"]],
    ["/api/tracks/?album__released__lt=2001-09-04&sort=-name", ["Two", "Three", "One"]],
  ] as const
) {
  test(`${path} lists those rows, in that order`, async () => {
    const { id } = await done("POST /api/tracks/", longest);
    const { items, count } = await done(`GET ${path}&count=true`);
    await done(`DELETE /api/tracks/${id}/`);
    assert.equal(items.map(({ name }: { name: string }) => name), expected);
    assert.is(count, expected.length);
  });
}

test("what was sold in each month is reported from a day on, and up to one", async () => {
  const { items } = await done("GET /api/invoices/");
  const months = (await done("GET /api/reports/sales/?from=2000-01-01")).items;
  const sold = months.reduce((sum: number, month: { invoices: number }) => sum + month.invoices, 0);
  assert.is(sold, items.length);
  await store.sql`
    insert into invoice (customer_id, total, rate, created)
    values
      (1, 1.10, 0, '1999-12-31T23:59:59Z'),
      (1, 2.20, 0, '1999-12-01T00:00:00Z'),
      (1, 5.00, 0, '1999-11-30T23:59:59Z')`;
  const reported = (await done("GET /api/reports/sales/?from=1999-11-01&to=1999-12-31")).items;
  await store.sql`delete from invoice where created < '2000-01-01'`;
  assert.equal(reported, [
    { month: "1999-11-01", invoices: 1, total: "5.00" },
    { month: "1999-12-01", invoices: 2, total: "3.30" },
  ]);
});

const artist = { id: 1, name: "Ann and the Bobs", country: "SE", active: true };
const rock = { id: 1, name: "Rock", parent: null, active: true };

test("a track is read with its album, the artist and the label of that, its tags and genres", async () => {
  const body = await done("GET /api/tracks/2/");
  const { added } = body.album;
  assert.match(added, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal(body, {
    id: 2,
    name: "Two",
    album: {
      id: 1,
      title: "First",
      artist,
      label: { id: 1, name: "Loud", founded: 1999 },
      format: "LP",
      released: "2001-09-03",
      heading: "FIRST",
      added,
    },
    composer: null,
    isrc: null,
    milliseconds: 1000,
    price: "12.50",
    rating: 0,
    gain: null,
    explicit: false,
    tags: [{ id: 1, name: "loud" }],
    genres: [rock],
  });
});

test("a relation to the own resource is read one level deep", async () => {
  const hard = { id: 2, name: "Hard rock", active: true };
  assert.equal((await done("GET /api/genres/3/")).parent, { ...hard, parent: 1 });
  const max = await done("GET /api/employees/3/");
  assert.equal([max.shop.city, max.manager.name, max.manager.manager], ["Bodø", "Lea", 1]);
  assert.is(max.manager.shop.city, "Tromsø");
});

test("two resources may refer to each other, one of them by the identifier", async () => {
  const body = await done("PATCH /api/shops/2/", { manager: 3 });
  assert.equal(body, { id: 2, city: "Bodø", opened: "2010-05-17", manager: 3 });
  assert.equal((await done("GET /api/employees/3/")).shop, body);
});

test("a playlist keeps the order of its tracks and of its tags", async () => {
  const { id, tracks, tags } = await done("POST /api/playlists/", {
    tracks: [2, 3, 1],
    tags: [3, 1],
  });
  const names = (tracks: { name: string }[]) => tracks.map(({ name }) => name);
  assert.equal([names(tracks), tags], [["Two", "Three", "One"], [3, 1]]);
  const moved = await done(`PATCH /api/playlists/${id}/`, { tracks: [1, 2, 3] });
  assert.equal([names(moved.tracks), moved.tags], [["One", "Two", "Three"], [3, 1]]);
  const emptied = await done(`PUT /api/playlists/${id}/`, {});
  assert.equal(emptied, { id, name: "", owner: null, tracks: [], tags: [] });
});

test("the tag of a row changes with what is nested in it, and with that alone", async () => {
  const paths = ["/api/artists/2/", "/api/albums/2/", "/api/tracks/5/", "/api/playlists/5/"];
  const track = await done("POST /api/tracks/", { name: "Live", album: 2, milliseconds: 1 });
  const list = await done("POST /api/playlists/", { tracks: [track.id] });
  paths[2] = `/api/tracks/${track.id}/`;
  paths[3] = `/api/playlists/${list.id}/`;
  const others = ["/api/tracks/1/", "/api/playlists/1/"];
  const before = await Promise.all([...paths, ...others].map(tagOf));
  await done("PATCH /api/artists/2/", { country: "DK" });
  const after = await Promise.all([...paths, ...others].map(tagOf));
  assert.equal(
    after.map((tag, place) => tag === before[place]),
    [...paths.map(() => false), ...others.map(() => true)],
  );
});

test("a genre that is no longer active stays where it is, and is given to no other track", async () => {
  const { id } = await done("POST /api/genres/", { name: "Grunge" });
  const track = await done("POST /api/tracks/", {
    name: "Last",
    album: 1,
    milliseconds: 1,
    genres: [id],
  });
  await done(`PATCH /api/genres/${id}/`, { active: false });
  assert.is((await done(`GET /api/tracks/${track.id}/`)).genres[0].id, id);
  const answer = await store.send("PATCH /api/tracks/1/", { genres: [1, id] });
  assert.equal(failures(answer), { "/genres/1": "does_not_exist" });
});

test("amounts and moments have one spelling, whatever was sent", async () => {
  const invoice = await done("POST /api/invoices/", { customer: 1, total: "7", rate: "0.25" });
  assert.equal([invoice.total, invoice.rate, invoice.paid], ["7.00", "0.2500", false]);
  const sent = { track: 1, stars: 3, opinion: "", written: "2026-11-21T00:30:00.5+02:00" };
  const review = await done("POST /api/reviews/", sent);
  assert.is(review.written, "2026-11-20T22:30:00.500Z");
});

for (
  const [what, request, body, expected] of [
    ["every field that fails", "POST /api/tracks/", {
      name: "",
      album: 99,
      isrc: "1",
      milliseconds: 0,
      price: "1.234",
      rating: 6,
      gain: "1",
      explicit: null,
      tags: [1, 1, 99],
      genres: [4],
      label: 1,
    }, {
      "/name": "too_short",
      "/album": "does_not_exist",
      "/isrc": "invalid_format",
      "/milliseconds": "too_small",
      "/price": "invalid_format",
      "/rating": "too_large",
      "/gain": "incorrect_type",
      "/explicit": "incorrect_type",
      "/tags/1": "duplicate",
      "/tags/2": "does_not_exist",
      "/genres/0": "does_not_exist",
      "/label": "unknown_field",
    }],
    ["what is only read", "PATCH /api/albums/1/", { heading: "X", added: "X", format: "CD" }, {
      "/heading": "read_only",
      "/added": "read_only",
      "/format": "invalid_choice",
    }],
    ["what is missing", "PUT /api/customers/1/", {}, {
      "/name": "required",
      "/email": "required",
      "/newsletter": "required",
    }],
    ["what is no day and no moment", "PATCH /api/employees/1/", { hired: "2026-02-30" }, {
      "/hired": "invalid_format",
    }],
    ["each row of a batch", "POST /api/artists/batch/", [
      { name: "Good" },
      { name: "Bad", country: "no" },
      { active: 1 },
    ], {
      "/1/country": "invalid_format",
      "/2/name": "required",
      "/2/active": "incorrect_type",
    }],
    ["an amount that has too many digits", "POST /api/invoices/", {
      customer: 1,
      total: "10000000000",
      rate: "1.0",
    }, { "/total": "too_large", "/rate": "too_large" }],
    ["a name that a genre has", "POST /api/genres/", { name: "Rock" }, { "/name": "taken" }],
    ["a name that another tag has", "PATCH /api/tags/2/", { name: "loud" }, { "/name": "taken" }],
    ["a second profile of a customer", "POST /api/profiles/", { customer: 2 }, {
      "/customer": "taken",
    }],
    ["a second line for a track", "POST /api/invoice-lines/", {
      invoice: 1,
      track: 2,
      price: "1",
    }, { "": "taken" }],
    ["more than the database takes", "PATCH /api/invoice-lines/1/", { quantity: 101 }, {
      "/quantity": "rejected",
    }],
  ] as const
) {
  test(`${what} is told at its field, and nothing is written`, async () => {
    const list = request.replace(/^\w+ (\/api\/[^/]+\/).*/, "GET $1");
    const before = await done(list);
    assert.equal(failures(await store.send(request, body)), expected);
    assert.equal(await done(list), before);
  });
}

test("a value that is no identifier is explained with the article of the resource", async () => {
  const { body } = await store.send("PATCH /api/tracks/1/", { album: "1", tags: ["1"] });
  assert.equal(body.errors.map(({ detail }: { detail: string }) => detail), [
    "Send the identifier of an album, an integer, not a string",
    "Send the identifier of a tag, an integer, not a string",
  ]);
});

test("a batch creates tracks with their links, in the order in which they were sent", async () => {
  const sent = [[3], [], [1, 2]].map((tags, n) => ({
    ...{ name: `Part ${n}`, album: 1, milliseconds: n + 1, tags },
  }));
  const bodies = await done("POST /api/tracks/batch/", sent);
  assert.equal(
    bodies.map(({ name, tags }: { name: string; tags: { id: number }[] }) => ({
      name,
      tags: tags.map(({ id }) => id),
    })),
    sent.map(({ name, tags }) => ({ name, tags })),
  );
});

test("what refers to a row keeps it, goes with it, or forgets it, as its foreign key says", async () => {
  const customer = await done("POST /api/customers/", {
    name: "Eve",
    email: "eve@example.org",
    newsletter: false,
  });
  const path = `/api/customers/${customer.id}/`;
  const profile = await done("POST /api/profiles/", { customer: customer.id });
  const track = await done("POST /api/tracks/", { name: "Gone", album: 1, milliseconds: 1 });
  const review = await done("POST /api/reviews/", {
    track: track.id,
    customer: customer.id,
    stars: 1,
    opinion: "Bad",
  });
  await done(`DELETE ${path}`);
  assert.is((await store.send(`GET /api/profiles/${profile.id}/`)).status, 404);
  assert.equal(await done(`GET /api/reviews/${review.id}/`), { ...review, customer: null });
  await done(`DELETE /api/tracks/${track.id}/`);
  assert.is((await store.send(`GET /api/reviews/${review.id}/`)).status, 404);
  for (const kept of ["albums", "artists", "tracks", "genres", "customers", "employees"]) {
    assert.is((await store.send(`DELETE /api/${kept}/1/`)).status, 409, kept);
  }
});

test("an action pays an invoice once", async () => {
  const { id } = await done("POST /api/invoices/", { customer: 1, total: "9.90" });
  const path = `/api/invoices/${id}/`;
  const paid = await done(`POST ${path}pay/`, { note: "in cash" });
  const { created } = await done(`GET ${path}`);
  assert.equal(paid, { id, total: "9.90", paid: true, note: "in cash", created });
  assert.is((await store.send(`POST ${path}pay/`, {})).status, 404);
});

test("an action moves many tracks to an album", async () => {
  const track = { album: 1, milliseconds: 1 };
  const { id: one } = await done("POST /api/tracks/", { ...track, name: "Here" });
  const { id: other } = await done("POST /api/tracks/", { ...track, name: "There" });
  const moved = await done("POST /api/albums/2/move-tracks/", { tracks: [one, other] });
  assert.equal(moved.items.length, 2);
  assert.is((await done(`GET /api/tracks/${other}/`)).album.id, 2);
  const refused = await store.send("POST /api/albums/2/move-tracks/", { tracks: [one, "x"] });
  assert.equal(failures(refused), { "/tracks/1": "incorrect_type" });
  for (const made of [one, other]) await done(`DELETE /api/tracks/${made}/`);
});

test("an action imports the tags that are not there yet", async () => {
  const tags = [{ name: "loud" }, { name: "first" }, { name: "second" }];
  const { items } = await done("POST /api/tags/import/", { tags });
  assert.equal(items.map(({ name }: { name: string }) => name), ["first", "second"]);
  assert.equal(await done("POST /api/tags/import/", { tags }), { items: [] });
  const refused = await store.send("POST /api/tags/import/", { tags: [{ name: "x" }, {}] });
  assert.is(refused.status, 422);
  assert.equal((await done("GET /api/tags/?name=x")).items, []);
  for (const { id } of items) await done(`DELETE /api/tags/${id}/`);
});

test("what will go away says so", async () => {
  const patched = await store.send("PATCH /api/tags/3/", { name: "in concert" });
  assert.is(patched.headers.get("sunset"), "Fri, 21 May 2027 00:00:00 GMT");
  const { headers } = await store.send("GET /api/invoices/1/");
  assert.is(headers.get("link"), '<https://store.example/notes>; rel="deprecation"');
});

test.run();
