// The addresses of the page: what follows # is a request, and after ! the name of a view.
// Needs: a browser
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addressOf, identifiersOf, identifiersOfParts, placeOf, viewAt } from "./house.ts";

const test = suite("addresses of the page");

const integers = identifiersOf({ type: "integer" });
const uuids = identifiersOf({ type: "string", format: "uuid" });
const texts = identifiersOf({ type: "string" });

const resources = [
  { name: "track", operations: { list: "/api/tracks/", read: "/api/tracks/{id}/" } },
  {
    name: "bottage",
    operations: { list: "/bottage/", last: "/bottage/last", read: "/bottage/{bottage}" },
  },
  { name: "colere", operations: { last: "/colere/", create: "/colere/", read: "/colere/{id}/" } },
  { name: "sales", operations: { report: "/reports/sales/" } },
  { name: "hit", operations: { read: "/hits/{id}/", delete: "/hits/{id}/" } },
  { name: "vote", operations: { batch: "/votes/batch" } },
  { name: "team", identifiers: uuids, operations: { read: "/teams/{id}/" } },
  { name: "person", identifiers: texts, operations: { read: "/people/{id}" } },
  { name: "group", operations: { create: "/people/groups" } },
  {
    name: "seat",
    identifiers: identifiersOfParts([integers, texts]),
    operations: { read: "/seats/{team},{link}/", last: "/seats/last/" },
  },
].map(({ name, identifiers = integers, operations }) => ({
  name,
  identifiers,
  path: Object.values(operations)[0],
  operations: Object.fromEntries(
    Object.entries(operations).map(([verb, path]) => [verb, { path }]),
  ),
}));

/** The part of a contract that says what is at a path. */
const contract = {
  resources,
  actions: [
    ["rate", "/api/tracks/{track}/rate/{day}/", { track: "track", day: "" }],
    ["rename", "/people/{person}/rename", { person: "person" }],
    ["hide", "/hits/{hit}/", { hit: "hit" }],
    ["sweep", "/sweep/", {}],
  ].map(([name, path, inputs = {}]) => ({
    name,
    path,
    operations: { action: { path } },
    inputs: Object.entries(inputs).map(([name, target]) => ({
      name,
      target: target || undefined,
      schema: { type: "string" },
    })),
  })),
  resource: (wanted: string) => resources.find(({ name }) => name === wanted),
} as unknown as Parameters<typeof placeOf>[0];

/** An address, and what is there: the resource, the verb, the path, the query and the view. */
const places: [address: string, place: string][] = [
  ["", "home"],
  ["#/", "home"],
  ["#/api/tracks/", "track list /api/tracks/"],
  ["#/api/tracks", "track list /api/tracks/"],
  ["#/api/tracks/3/", "track read /api/tracks/3/ of 3"],
  [
    "#/api/tracks/9007199254740991/!edit",
    "track read /api/tracks/9007199254740991/ of 9007199254740991 !edit",
  ],
  ["#/api/tracks/x/", "nothing"],
  ["#/nothing/", "nothing"],
  ["#nothing", "nothing"],
  ["#/hits/{id}/", "hit read /hits/{id}/"],
  ["#/hits/7/", "hit read /hits/7/ of 7"],
  ["#/votes/batch/", "vote /votes/batch"],
  ["#/api/tracks/!new", "track list /api/tracks/ !new"],
  [
    "#/api/tracks/?price__gte=1&sort=-id!new",
    "track list /api/tracks/ ?price__gte=1&sort=-id !new",
  ],
  ["#/bottage/last", "bottage last /bottage/last"],
  ["#/bottage/7/", "bottage read /bottage/7 of 7"],
  ["#/colere/", "colere last /colere/"],
  [
    "#/teams/AAAAAAAA-0000-4000-8000-000000000000/",
    "team read /teams/AAAAAAAA-0000-4000-8000-000000000000/ of AAAAAAAA-0000-4000-8000-000000000000",
  ],
  ["#/teams/7/", "nothing"],
  ["#/people/7", "person read /people/7 of 7"],
  ["#/people/a%2Fb%3F%20%22%C3%A9", 'person read /people/a%2Fb%3F%20%22%C3%A9 of a/b? "é'],
  ["#/people/a#b\\c", "person read /people/a%23b%5Cc of a#b\\c"],
  ["#/people/hey%21new!edit", "person read /people/hey!new of hey!new !edit"],
  ["#/people/{id}", "person read /people/{id}"],
  ["#/people/%7Bid%7D", "person read /people/%7Bid%7D of {id}"],
  ["#/people/groups", "group create /people/groups"],
  ["#/people/..", "nothing"],
  ["#/people/%2E", "nothing"],
  ["#/people/%ff", "nothing"],
  ["#/people/a/b", "nothing"],
  ["#/seats/7,x/", "seat read /seats/7,x/ of 7,x"],
  ["#/seats/-7,a%2Cb%5C/!edit", "seat read /seats/-7,a%2Cb%5C/ of -7,a\\,b\\\\ !edit"],
  ["#/seats/{team},{link}/", "seat read /seats/{team},{link}/"],
  ["#/seats/last/", "seat last /seats/last/"],
  ["#/seats/7/", "nothing"],
  ["#/seats/7%2Cx/", "nothing"],
  ["#/seats/x,7/", "nothing"],
  ["#/seats/7,x,y/", "nothing"],
  ["#/seats/7,/", "nothing"],
  ["#/seats/7,%ff/", "nothing"],
  ["#/reports/sales/?from=2026-01-01", "sales report /reports/sales/ ?from=2026-01-01"],
  ["#/sweep", "sweep action /sweep/"],
  ["#/sweep/!reference", "sweep action /sweep/ !reference"],
  ["#/sweep/!reference.send_sweep", "sweep action /sweep/ !reference .send_sweep"],
  ["#/api/tracks/?q=a!b.c!json", "track list /api/tracks/ ?q=a%21b.c !json"],
  [
    "#/api/tracks/3/rate/2026-01-31",
    "rate action /api/tracks/3/rate/2026-01-31/ with track=3&day=2026-01-31",
  ],
  ["#/api/tracks/{track}/rate/1/", "rate action /api/tracks/{track}/rate/1/ with day=1"],
  ["#/api/tracks/{track}/rate/{day}", "rate action /api/tracks/{track}/rate/{day}/"],
  ["#/api/tracks/x/rate/1/", "nothing"],
  ["#/api/tracks/3/rate/", "nothing"],
  ["#/api/tracks/3/rate/%ff/", "nothing"],
  ["#/people/a%2Fb/rename", "rename action /people/a%2Fb/rename with person=a%2Fb"],
  // What is read at a path is shown, not what is sent there
  ["#/hits/8/", "hit read /hits/8/ of 8"],
  // "Help!" is a search, and a page after the first has its cursor behind it
  ["#/api/tracks/?q=Help!", "track list /api/tracks/ ?q=Help%21"],
  ["#/api/tracks/?q=Help!&cursor=abc", "track list /api/tracks/ ?q=Help%21&cursor=abc"],
  ["#/api/tracks/?q=Help!!new", "track list /api/tracks/ ?q=Help%21 !new"],
];

for (const [address, expected] of places) {
  test(`${address || "(none)"} is ${expected}`, () => {
    const { resource, verb, path, identifier, given, query, view, part } = placeOf(
      contract,
      address,
    );
    const told = [
      ...resource ? [resource.name, ...verb ? [verb] : [], path] : [verb ?? "nothing"],
      ...identifier ? [`of ${identifier}`] : [],
      ...Object.keys(given).length > 0 ? [`with ${new URLSearchParams(given)}`] : [],
      ...query.size > 0 ? [`?${query}`] : [],
      ...view ? [`!${view}`] : [],
      ...part ? [`.${part}`] : [],
    ];
    assert.is(told.join(" "), expected);
  });
}

/** An address, and the view that is shown there. */
const views: [address: string, view: string][] = [
  ["#/", "home"],
  ["#/nothing/", "nothing"],
  ["#/nothing/!token", "nothing"],
  ["#/!token", "token"],
  ["#/!shared", "shared"],
  ["#/!shared.invalid", "shared"],
  ["#/api/tracks/!shared", "nothing"],
  ["#/api/tracks/!json", "json"],
  ["#/api/tracks/3/!json", "nothing"],
  ["#/!new", "nothing"],
  ["#/!reference", "nothing"],
  ["#/api/tracks/", "list"],
  ["#/api/tracks/!token", "token"],
  ["#/api/tracks/!reference", "reference"],
  ["#/api/tracks/!constructor", "nothing"],
  ["#/api/tracks/!row", "nothing"],
  ["#/api/tracks/3/", "row"],
  // What can be done with a track is to read it
  ["#/api/tracks/!new", "nothing"],
  ["#/api/tracks/3/!edit", "nothing"],
  ["#/api/tracks/3/!delete", "nothing"],
  ["#/reports/sales/", "report"],
  ["#/colere/", "row"],
  ["#/colere/!new", "new"],
  ["#/colere/3/!new", "nothing"],
  ["#/hits/{id}/", "unlisted"],
  ["#/hits/3/", "row"],
  ["#/hits/3/!delete", "delete"],
  ["#/hits/{id}/!delete", "nothing"],
  ["#/votes/batch", "unlisted"],
  ["#/api/tracks/3/rate/1/", "action"],
  ["#/api/tracks/3/rate/1/!reference", "reference"],
  ["#/api/tracks/3/rate/1/!edit", "nothing"],
];

for (const [address, view] of views) {
  test(`${address} shows ${view}`, () => {
    assert.is(viewAt(placeOf(contract, address)) ?? "nothing", view);
  });
}

test("a path with an exclamation mark is an address without a view", () => {
  assert.is(addressOf("/people/hey!new"), "#/people/hey%21new");
  assert.is(addressOf("/people/hey!new", "", "edit"), "#/people/hey%21new!edit");
});

test("gives back what an address was made of", () => {
  const query = new URLSearchParams({ q: "AC/DC? Yes! & “more”", sort: "-id" });
  const place = placeOf(contract, addressOf("/api/tracks/", query, "new"));
  assert.equal([...place.query], [...query]);
  assert.is(place.view, "new");
});

test.run();
