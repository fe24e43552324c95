// The page of resources whose keys are UUIDs, texts of any characters, or integers that clients give: it reads,
// links, sends and shows each as it is. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  assertFits,
  barriers,
  copied,
  hold,
  runInBrowser,
  saved,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import {
  create,
  created,
  identifier,
  list,
  many,
  merge,
  nullable,
  read,
  relation,
  resource,
  text,
} from "./house.ts";
import { errorOf, field, submitted } from "./things.ts";

const test = suite("docs of keys");
let site: Site;
let service: Site["services"][number];

const name = text({ maximum: 40 });

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

/** Its key is a name that every text has a member of. */
const person = resource("person", {
  path: "/people/",
  display: "name",
  fields: { link: identifier({ type: "text", maximum: 20, column: "link" }), name },
});

const coupon = resource("coupon", {
  path: "/coupons/",
  fields: { id: identifier({ type: "text", default: "database" }), name },
});

const seatFields = {
  id: identifier({ type: "text" }),
  year: relation(year),
  team: relation(team, { read: "identifier" }),
  leader: nullable(relation(person, { read: "identifier" })),
  people: many(person, { through: "seat_person", from: "seat_id", order: "place" }),
  teams: many(team, { through: "seat_team", from: "seat_id" }),
};

const seat = resource("seat", { path: "/seats/", fields: seatFields });

/** A seat whose candidates are listed nowhere, and which is not listed either. */
const bare = resource("bare", {
  table: "seat",
  fields: seatFields,
  routes: { "/bares/": [create], "/bares/{id}": [read, merge] },
});

const note = resource("note", {
  path: "/notes/",
  record: true,
  fields: { id: identifier({ type: "uuid" }), name, made: created() },
});

/** A list beside the rows of another. */
const beside = resource("beside", {
  table: "person",
  fields: { link: identifier({ type: "text", column: "link" }), name },
  routes: { "/people/beside/": [list()] },
});

const A = "aaaaaaaa-0000-4000-8000-000000000000";
const B = "bbbbbbbb-0000-4000-8000-000000000000";
const C = "cccccccc-0000-4000-8000-000000000000";

/** Texts that are something else elsewhere. */
const HARD = [
  "7",
  "-1",
  "007",
  "a b",
  "a/b",
  "a,b",
  `"it's"`,
  "100%",
  "%41",
  "?x#y",
  "a\\b\\,c",
  "hey!new",
  "$&",
  "{id}",
  "__proto__",
  "none",
  "null",
  "é שלום",
];

const tables = `
  create table year (id integer primary key, name text not null);
  create table team (id uuid primary key, name text not null);
  create table person (link text primary key, name text not null);
  create sequence coupon_number;
  create table coupon (
    id text primary key default 'C-' || nextval('coupon_number'),
    name text not null
  );
  create table seat (
    id text primary key,
    year_id integer not null references year,
    team_id uuid not null references team,
    leader_id text references person
  );
  create table seat_person (
    seat_id text references seat,
    person_id text references person,
    place integer not null,
    primary key (seat_id, person_id)
  );
  create table seat_team (
    seat_id text references seat,
    team_id uuid references team,
    primary key (seat_id, team_id)
  );
  create table note (
    id uuid primary key,
    name text not null,
    made timestamptz not null default clock_timestamp(),
    relata_epoch bigint not null default relata_epoch(),
    relata_transaction xid8 not null default pg_current_xact_id()
  );
  insert into year values (-1, 'Before'), (2026, 'Now');
  insert into team values ('${A}', 'Reds'), ('${B}', 'Blues')`;

async function start() {
  const resources = [year, team, person, beside, coupon, seat, bare, note];
  site = await startSite([{ resources }], {
    tables,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  [service] = site.services as [typeof service];
  for (const [index, link] of HARD.entries()) {
    await service.send("POST /people/", { link, name: `Person ${index}` });
  }
  return site;
}

const nameOf = (key: string) => `Person ${HARD.indexOf(key)}`;

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: service.root, path: `/docs/#${at}` }, work));
}

/** A test on the form of a seat that is there. */
function edit(title: string, id: string, work: (page: Page) => Promise<void>) {
  browse(title, "/seats/", async (page) => {
    const seat = { id, year: -1, team: A, leader: "a,b", people: ["7", "a,b"], teams: [B] };
    assert.is((await service.send("POST /seats/", seat)).status, 201);
    await go(page, `/seats/${encodeURIComponent(id)}/!edit`);
    await field(page, "leader").waitFor();
    await work(page);
  });
}

const go = (page: Page, to: string) => page.evaluate((to) => location.hash = `#${to}`, to);
const hash = (page: Page) => new URL(page.url()).hash;
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const titled = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const labels = (page: Page) => page.locator("form.form .label label").allInnerTexts();
const shown = (page: Page, name: string) =>
  page.locator(`dl.fields > div:has(> dt:text-is("${name}")) > dd`);

/** Picks candidates by their whole text. */
async function pick(page: Page, name: string, ...texts: string[]) {
  for (const text of texts) {
    await field(page, name).fill(text);
    await field(page, name).press("Tab");
    await page.locator(`#field-${name}-sends`).filter({ hasText: /./ }).or(
      page.getByRole("list", { name: `Picked for ${name}` }).getByText(text, { exact: true }),
    ).first().waitFor();
  }
}

const tokens = (page: Page, name: string) =>
  page.getByRole("list", { name: `Picked for ${name}` }).locator("bdi").allInnerTexts();

/** What is walked through: the list, the key, and the row as people call it. */
const walks: [path: string, key: string, id: string | number, segment: string][] = [
  ["/years/", "id", 0, "0"],
  ["/teams/", "id", C, C],
  ["/people/", "link", `a/b, "c" é`, "a%2Fb%2C%20%22c%22%20%C3%A9"],
  ["/coupons/", "id", "10% off!", "10%25%20off!"],
];

function define() {
  for (const [path, key, id, segment] of walks) {
    browse(`walks from ${path} to ${id}, changes and deletes it`, path, async (page) => {
      await service.send(`POST ${path}`, { [key]: id, name: "Walked" });
      await page.reload();
      await page.getByRole("row").filter({ hasText: "Walked" }).getByRole("link").click();
      await shown(page, key).getByText(String(id), { exact: true }).waitFor();
      assert.is(decodeURIComponent(hash(page)), `#${path}${id}/`);
      await page.getByRole("navigation", { name: "Above this" }).getByText(String(id)).waitFor();
      await page.getByRole("link", { name: "Edit" }).click();
      await field(page, "name").fill("Changed");
      assert.equal(await labels(page), ["name"], "A key never changes");
      const { path: to, body } = await submitted(page, "PATCH", "Save");
      assert.equal([to, body], [`${path}${segment}/`, { name: "Changed" }]);
      await saved(page);
      await page.getByRole("link", { name: "Delete" }).click();
      const gone = await submitted(page, "DELETE", /^Delete the/);
      assert.is(gone.path, `${path}${segment}/`);
      await page.locator("#main").getByText(/^Deleted: /).waitFor();
      assert.is(hash(page), `#${path}`);
      assert.is((await service.send(`GET ${path}${segment}/`)).status, 404);
    });
  }

  browse(
    "lists every key that is a text, each with the link to its row",
    "/people/",
    async (page) => {
      const rows = page.getByRole("rowheader").getByRole("link");
      await rows.first().waitFor();
      const listed = await page.getByRole("cell").and(page.locator("[data-label=link]"))
        .allInnerTexts();
      assert.equal(listed.toSorted(), HARD.toSorted());
      for (const key of HARD) {
        const row = page.getByRole("row").filter({ has: link(page, nameOf(key)) });
        assert.is(await row.locator("[data-label=link]").innerText(), key);
        const href = await link(page, nameOf(key)).getAttribute("href");
        await go(page, href!.slice(1));
        await titled(page, nameOf(key));
        assert.is(await shown(page, "link").innerText(), key);
        await page.goBack();
        await rows.first().waitFor();
      }
    },
  );

  browse("opens a row by an address that was typed", "/people/é שלום/", async (page) => {
    await titled(page, nameOf("é שלום"));
    await go(page, `/teams/${A.toUpperCase()}/`);
    await titled(page, "Reds");
    await go(page, "/people/beside/");
    await titled(page, "Beside");
    for (const nothing of ["/people/../", "/people/%ff/", "/teams/7/", "/years/1.0/"]) {
      await go(page, nothing);
      await titled(page, "There is nothing here");
      await go(page, "/");
      await page.getByRole("region", { name: "Resources" }).waitFor();
    }
  });

  browse(
    "lists texts in their own order, and records the newest first",
    "/people/",
    async (page) => {
      const first = page.getByRole("rowheader").first();
      const request = page.locator(".request code").first();
      await first.waitFor();
      assert.is(await request.innerText(), "GET /people/?etags=true");
      await go(page, "/years/");
      await page.getByRole("link", { name: "Now" }).waitFor();
      assert.is(await request.innerText(), "GET /years/?sort=-id&etags=true");
      for (const [id, name] of [[C, "One"], [A, "Two"]]) {
        await service.send("POST /notes/", { id, name });
      }
      await go(page, "/notes/");
      await page.getByRole("cell", { name: "Two" }).waitFor();
      assert.is(await first.innerText(), A);
      await service.send("POST /notes/", { id: B, name: "Three" });
      await page.getByRole("cell", { name: "Three" }).waitFor();
      assert.is(await first.innerText(), B);
    },
  );

  /** What is typed as the key of a new row, what is sent of it, and the rule. */
  const news: [path: string, key: string, typed: string, sent: unknown, rule: string][] = [
    ["/years/", "id", "-2000", -2000, "identifier"],
    ["/years/", "id", "0", 0, "identifier"],
    ["/teams/", "id", C.toUpperCase(), C, "identifier, a UUID, optional"],
    ["/teams/", "id", "", undefined, "identifier, a UUID, optional"],
    ["/people/", "link", "8", "8", "identifier, at most 20"],
    ["/people/", "link", "x, y!new", "x, y!new", "identifier, at most 20"],
    ["/coupons/", "id", "Mine", "Mine", "identifier, optional"],
    ["/coupons/", "id", "", undefined, "identifier, optional"],
  ];
  for (const [path, key, typed, sent, rule] of news) {
    browse(`creates at ${path} with the key "${typed}"`, `${path}!new`, async (page) => {
      await field(page, key).fill(typed);
      await field(page, "name").fill("New");
      assert.is(await page.locator(`#field-${key}-rule`).innerText(), rule);
      const isMade = rule.endsWith("optional");
      assert.is(await field(page, key).getAttribute("placeholder"), isMade ? "left out" : null);
      const { body } = await submitted(page, "POST", /^Create the/);
      assert.equal(body, sent === undefined ? { name: "New" } : { [key]: sent, name: "New" });
      await saved(page);
      const id = await shown(page, key).innerText();
      if (sent !== undefined) assert.is(id, String(sent));
      assert.is(decodeURIComponent(hash(page)), `#${path}${id}/`);
      await service.send(`DELETE ${path}${encodeURIComponent(id)}/`);
    });
  }

  browse("tells at the key what is wrong with it", "/people/!new", async (page) => {
    await field(page, "name").fill("New");
    const told = async (code: string) => {
      await submitted(page, "POST", "Create the person");
      await errorOf(page, "link").getByText(code, { exact: true }).waitFor();
    };
    await told("required");
    await field(page, "link").fill("a/b");
    await told("taken");
    await field(page, "link").fill("batch");
    await told("invalid_format");
    await field(page, "link").fill("y".repeat(21));
    await page.getByText("21 of 20").waitFor();
    await told("too_long");
  });

  browse("picks the rows that a new one refers to", "/seats/!new", async (page) => {
    await field(page, "id").fill("Picked");
    await pick(page, "year", "Before");
    await pick(page, "team", "Reds");
    await pick(page, "leader", nameOf("__proto__"));
    await pick(page, "people", nameOf("7"), nameOf("a\\b\\,c"), nameOf("null"));
    await pick(page, "teams", "Blues");
    const { body } = await submitted(page, "POST", "Create the seat");
    assert.equal(body, {
      id: "Picked",
      year: -1,
      team: A,
      leader: "__proto__",
      people: ["7", "a\\b\\,c", "null"],
      teams: [B],
    });
    await saved(page);
    await shown(page, "people").getByRole("link", { name: nameOf("a\\b\\,c") }).click();
    await titled(page, nameOf("a\\b\\,c"));
    await page.goBack();
    await link(page, "Reds").click();
    await titled(page, "Reds");
  });

  edit("edits what a row refers to, by the names of all", "x/y", async (page) => {
    assert.equal(await labels(page), ["year", "team", "leader", "people", "teams"]);
    assert.is(await field(page, "team").inputValue(), "Reds", "It is read as the identifier");
    assert.is(await field(page, "leader").inputValue(), nameOf("a,b"));
    assert.equal(await tokens(page, "people"), [nameOf("7"), nameOf("a,b")]);
    await pick(page, "people", nameOf("hey!new"));
    await page.getByRole("button", { name: `Remove ${nameOf("7")}`, exact: true }).click();
    await field(page, "leader").fill("none");
    await page.getByRole("option", { name: "none null", exact: true }).first().click();
    const { path, body } = await submitted(page, "PATCH", "Save");
    assert.equal(
      [path, body],
      ["/seats/x%2Fy/", { leader: null, people: ["a,b", "hey!new"] }],
    );
    await saved(page);
  });

  edit("shows both versions where another was faster", "Both", async (page) => {
    await pick(page, "leader", nameOf("$&"));
    const arrive = await hold(page, "**/seats/Both/");
    await submitted(page, "PATCH", "Save");
    await service.send("PATCH /seats/Both/", { leader: "7", people: ["a b", "__proto__"] });
    arrive();
    await titled(page, "Another was faster");
    const row = (name: string) =>
      page.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) })
        .getByRole("cell").locator("bdi").allInnerTexts();
    assert.equal(await row("leader"), [nameOf("a,b"), nameOf("$&"), nameOf("7")]);
    assert.equal((await row("people")).slice(-2), [nameOf("a b"), nameOf("__proto__")]);
    const { body } = await submitted(page, "PATCH", "Save this");
    assert.equal(body, { leader: "$&" });
    await saved(page);
  });

  edit("keeps a row that others refer to, and leads to those", "Last", async (page) => {
    await go(page, "/people/a%2Cb/!delete");
    await submitted(page, "DELETE", "Delete the person");
    await page.getByRole("heading", { name: "Not deleted: it is still referred to" }).waitFor();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("/seats/?leader=a%2Cb").waitFor();
    await dialog.getByRole("link", { name: "seats" }).first().click();
    await page.getByRole("list", { name: "Filters" }).getByText(nameOf("a,b")).waitFor();
    await page.getByRole("rowheader", { name: "Last" }).waitFor();
    await go(page, "/people/a%2Cb/");
    const referred = page.getByRole("region", { name: "Referred to by" });
    await referred.getByRole("button").first().click();
    await referred.locator(".number").first().waitFor();
    assert.is(
      await referred.getByRole("link").first().getAttribute("href"),
      "#/seats/?leader=a%2Cb",
    );
  });

  edit("filters by rows that are picked, and names those of an address", "Found", async (page) => {
    const chip = page.getByRole("list", { name: "Filters" }).getByRole("listitem");
    await go(page, "/seats/");
    await page.locator("#filter").click();
    await page.getByLabel("Field").selectOption("people");
    await page.getByRole("combobox", { name: "Value" }).fill(nameOf("a,b"));
    await page.getByRole("option", { name: nameOf("a,b") }).click();
    await page.getByRole("button", { name: "Add the filter" }).click();
    await chip.getByText(nameOf("a,b")).waitFor();
    assert.is(new URLSearchParams(hash(page).split("?")[1]).get("people"), "a,b");
    await page.getByRole("rowheader", { name: "Found" }).waitFor();
    /** The query, and what the chip says. */
    const named: [query: string, words: string][] = [
      [`people__in=${encodeURIComponent("a\\,b,7")}`, `${nameOf("a,b")}, ${nameOf("7")}`],
      ["leader=%22it%27s%22", nameOf(`"it's"`)],
      [`teams=${B.toUpperCase()}`, "Blues"],
      ["year__in=-1,2026", "Before, Now"],
      ["leader=nobody", "nobody"],
    ];
    for (const [query, words] of named) {
      await go(page, `/seats/?${query}`);
      await chip.locator("bdi").getByText(words, { exact: true }).waitFor();
    }
  });

  browse("takes identifiers where no candidates are listed", "/bares/!new", async (page) => {
    await field(page, "id").fill("Bare!new");
    await field(page, "year").fill("-1");
    await field(page, "team").fill(A);
    await field(page, "leader").fill("7");
    await field(page, "people").fill("7, a\\,b, é שלום");
    const { body } = await submitted(page, "POST", "Create the bare");
    const people = ["7", "a,b", "é שלום"];
    assert.equal(body, { id: "Bare!new", year: -1, team: A, leader: "7", people, teams: [] });
    await saved(page);
    await page.getByRole("link", { name: "Edit" }).click();
    assert.is(await field(page, "people").inputValue(), "7, a\\,b, é שלום");
    await field(page, "leader").fill("");
    const { path, body: change } = await submitted(page, "PATCH", "Save");
    assert.equal([path, change], ["/bares/Bare!new", { leader: null }]);
    await saved(page);
    await go(page, "/bares/");
  });

  browse(
    "tells of the create by PUT, with examples that succeed",
    "/people/!reference",
    async (page) => {
      const section = page.getByRole("region", { name: "Replace a person" });
      const answers = section.locator(".answers");
      await answers.waitFor();
      assert.match(await answers.innerText(), /200\s+The person\s+201\s+The person, created/);
      const run = async () => {
        const script = await copied(section, "fetch");
        const response: Response = await new Function(
          `return (async () => { ${script} return response; })()`,
        )();
        return [response.status, (await response.json()).link];
      };
      assert.equal([await run(), await run()], [[201, "Text"], [200, "Text"]]);
      await service.send("DELETE /people/Text/");
    },
  );

  edit("is open to everybody, also 320 pixels wide", "z".repeat(60), async (page) => {
    const at = `/seats/${"z".repeat(60)}/`;
    for (const view of [`${at}!edit`, at, "/seats/", "/seats/!new", `/teams/${A}/`, "/people/"]) {
      await go(page, view);
      await page.locator("form.form, dl.fields, table.rows:not([aria-busy])").first().waitFor();
      assert.equal(await barriers(page), [], view);
      await assertFits(page, 320);
      await assertFits(page, 1280);
    }
  });
}

runInBrowser(test, start, define);
