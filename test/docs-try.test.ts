// Requests that are edited and sent from the reference, and what is shown of their answers; the same for all
// operations; the search through them; a list as JSON.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  announced,
  assertFits,
  barriers,
  copied,
  runInBrowser,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { fieldProblems, problems } from "./house.ts";
import { fill } from "./store/rows.ts";
import { actions, reports, resources, up } from "./store/store.ts";

const test = suite("requests from the reference, in a browser");
let site: Site;
let root = "";

async function start() {
  site = await startSite([{ resources, reports, actions }], {
    tables: up,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const [service] = site.services;
  await fill(service!);
  root = service!.root;
  return site;
}

function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root, path: `/docs/#${at}` }, work));
}

/** The form that sends an operation, open. */
async function tried(page: Page, summary: string) {
  const part = page.getByRole("region", { name: summary, exact: true });
  await part.getByRole("button", { name: "Send…" }).click();
  const form = part.getByRole("form", { name: `Send: ${summary}` });
  await form.waitFor();
  return form;
}
const button = (part: { getByRole: Page["getByRole"] }, name: string) =>
  part.getByRole("button", { name, exact: true });
const hash = (page: Page) => new URL(page.url()).hash;
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

/** Asserts that a state has no barrier, on a screen and a phone. */
async function assertOpen(page: Page) {
  for (const width of [1440, 390]) {
    await assertFits(page, width);
    assert.equal(await barriers(page), []);
  }
}

function define() {
  browse("a read is sent with what was filled in", "/api/tracks/!reference", async (page) => {
    const form = await tried(page, "Read one track");
    await form.getByLabel("id").fill("2");
    await form.getByText("GET /api/tracks/2/").waitFor();
    await button(form, "Send").click();
    await form.getByText(/^200 .*· \d+ ms$/).waitFor();
    await form.getByText('"name": "Two"').waitFor();
    await form.getByText("Headers", { exact: true }).click();
    assert.match(await form.getByRole("definition").allInnerTexts().then(String), /"\w+"/);
    assert.is(await copied(form, "curl"), `curl '${root}/api/tracks/2/'`);
    await assertOpen(page);
    await button(form, "Close").click();
    assert.is(await page.evaluate(() => document.activeElement?.textContent), "Send…");
  });

  browse("a list is sent with filters that are added", "/api/tracks/!reference", async (page) => {
    const form = await tried(page, "List the tracks");
    await form.getByLabel("limit").fill("1");
    await form.getByLabel("Add a filter").selectOption("price__gte");
    await page.waitForFunction(() => document.activeElement?.id === "listTracks-price__gte");
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await form.getByText('"name": "Two"').waitFor();
    assert.is(await copied(form, "curl"), `curl '${root}/api/tracks/?limit=1&price__gte=2'`);
    assert.is(await button(form, "Send").getAttribute("aria-disabled"), null);
    // What was filled in does not look like the example of what could be
    const [filled, example] = await form.getByLabel("price__gte").evaluate((input) =>
      ["", "::placeholder"].map((part) => getComputedStyle(input, part).color)
    );
    assert.is.not(filled, example);
  });

  browse("a write says what it does, and does it", "/api/tags/!reference", async (page) => {
    const form = await tried(page, "Create a tag");
    await form.getByText("This really creates a row.").waitFor();
    const body = form.getByLabel("Body");
    assert.equal(JSON.parse(await body.inputValue()), { name: "slow" });
    await body.fill('{ "name": "tried" ');
    await button(form, "Send").click();
    await form.getByRole("alert").getByText(/^This is no JSON/).waitFor();
    assert.is(await focused(page), "createTag-body");
    await body.fill('{ "name": "tried" }');
    await form.getByLabel("Idempotency-Key").fill("one");
    await button(form, "Send").click();
    await form.getByText(/^201 /).waitFor();
    await button(form, "Send").click();
    await page.waitForFunction(() => document.querySelectorAll(".try .code").length === 1);
    const [stored] = await site.sql`select count(*)::int from tag where name = 'tried'`;
    assert.is(stored!["count"], 1);
    await body.fill("{");
    await button(form, "Send").click();
    await page.locator(".try .code").waitFor({ state: "detached" });
    assert.ok((await announced(page)).some((words) => words.startsWith("201")));
  });

  browse(
    "a row is written once a person has named it, and not where Enter is held on what opens the form",
    "/api/tags/!reference",
    async (page) => {
      const writes: string[] = [];
      page.on("request", (request) => {
        if (request.method() !== "GET") writes.push(request.method());
      });
      const part = page.getByRole("region", { name: "Delete a tag", exact: true });
      await button(part, "Send…").focus();
      await page.keyboard.down("Enter");
      await page.waitForFunction(() => document.activeElement?.id === "deleteTag-id");
      await page.keyboard.down("Enter");
      await page.keyboard.up("Enter");
      await part.getByText("DELETE /api/tags/{id}/").waitFor();
      await page.keyboard.type("999999");
      await page.keyboard.press("Enter");
      await part.getByText(/^404 /).waitFor();
      assert.equal(writes, ["DELETE"]);
    },
  );

  browse(
    "a refusal leads to what its codes mean, and Back to the operation",
    "/api/tracks/!reference.createTrack",
    async (page) => {
      const form = await tried(page, "Create a track");
      await form.getByLabel("Body").fill('{ "name": "", "album": 1, "milliseconds": 1 }');
      await button(form, "Send").click();
      await form.getByText(/^422 Invalid/).waitFor();
      await assertOpen(page);
      await form.getByRole("link", { name: "too_short" }).click();
      await page.waitForURL(/#\/!shared\.too_short$/);
      await page.waitForFunction(() => document.activeElement?.id === "too_short");
      await page.goBack();
      await page.getByRole("heading", { name: "Create a track" }).waitFor();
    },
  );

  browse("a token is sent, and shown nowhere", "/api/tags/!reference", async (page) => {
    await page.evaluate((root) => sessionStorage.setItem(`${root} token`, "secret"), root);
    const form = await tried(page, "Read one tag");
    const [request] = await Promise.all([
      page.waitForRequest("**/api/tags/1/"),
      button(form, "Send").click(),
    ]);
    assert.is(request.headers()["authorization"], "Bearer secret");
    await form.getByText(/^200 /).waitFor();
    assert.not.match(await page.content(), "secret");
    assert.match(await copied(form, "Python"), 'f"Bearer {TOKEN}"');
  });

  browse(
    "a part has an address that a new tab begins at, and the list of parts has them",
    "/api/tracks/!reference.patchTrack",
    async (page) => {
      const top = (id: string) =>
        page.locator(`#${id}`).evaluate((one) => one.getBoundingClientRect().top);
      await page.waitForFunction(() => document.activeElement?.id === "patchTrack");
      assert.ok(Math.abs(await top("patchTrack")) < 100, String(await top("patchTrack")));
      const contents = page.getByRole("navigation", { name: "On this page" });
      await contents.getByRole("link", { name: "Delete" }).click();
      assert.is(hash(page), "#/api/tracks/!reference.deleteTrack");
      assert.is(await focused(page), "deleteTrack");
      await page.getByRole("link", { name: "tags", exact: true }).first().click();
      await page.getByRole("heading", { level: 1, name: "Tags" }).waitFor();
      await page.goBack();
      await page.waitForFunction(() => document.activeElement?.id === "deleteTrack");
    },
  );

  browse("what all share is told from the document", "/", async (page) => {
    await page.getByRole("link", { name: "What all operations share" }).click();
    await page.getByText("HEAD works wherever GET does", { exact: false }).waitFor();
    const terms = await page.locator("article dt").allInnerTexts();
    for (const term of ["Idempotency-Key", "If-Match", "cursor", "ETag", "Retry-After"]) {
      assert.ok(terms.includes(term), term);
    }
    for (const code of Object.keys({ ...problems, ...fieldProblems })) {
      assert.ok(terms.includes(code), code);
    }
    await page.getByText(fieldProblems.reused_key).waitFor();
    await page.locator("#still_referenced").locator("xpath=../..").getByText("Example").click();
    await page.getByText('"type": "/problems/still_referenced"').waitFor();
    await assertOpen(page);
    // On the phone that it is left on, a sentence has the width of the page
    const means = page.locator("dt:has(#unsupported_media_type) + dd");
    assert.ok((await means.boundingBox())!.width > 300);
  });

  browse("operations and fields are found by their names", "/api/tags/!reference", async (page) => {
    await page.getByRole("region", { name: "The object" }).waitFor();
    await page.getByRole("navigation", { name: "On this page" }).waitFor(); // also on a phone
    await page.keyboard.press("/");
    await page.keyboard.type("patch track");
    const found = page.getByRole("list", { name: "Found" });
    await found.getByText("Change some fields of a track").or(found.getByText("PATCH")).first()
      .waitFor();
    assert.equal(await announced(page), ["1 found"]);
    await assertOpen(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("searchbox").fill("milliseconds");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/api\/tracks\/!reference\.field_milliseconds$/);
    await page.waitForFunction(() => document.activeElement?.id === "field_milliseconds");
    // The head of the table does not cover it
    assert.ok(
      await page.locator("#field_milliseconds").evaluate((cell) => {
        const { left, top } = cell.getBoundingClientRect();
        return cell.contains(document.elementFromPoint(left + 15, top + 5));
      }),
    );
    await page.keyboard.press("/");
    await page.keyboard.type("milliseconds__gte list");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/api\/tracks\/!reference\.listTracks_milliseconds__gte$/);
    const line = () => document.activeElement?.textContent;
    await page.waitForFunction(() => document.activeElement?.textContent === "milliseconds__gte");
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press("/");
    await page.keyboard.type("milliseconds__gte list");
    await found.getByRole("link").first().click();
    await page.waitForFunction(() => scrollY > 500);
    assert.is(await page.evaluate(line), "milliseconds__gte", "A link leads there a second time");
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press("/");
    await page.keyboard.type("if-match change");
    await found.getByText("If-Match").first().waitFor();
    await page.keyboard.press("Escape");
    await found.waitFor({ state: "hidden" });
    assert.is(await page.getByRole("searchbox").inputValue(), "");
    await page.keyboard.type("limit");
    await found.getByText("limit").first().waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await found.waitFor({ state: "hidden" });
    await page.getByRole("searchbox").clear();
    await page.keyboard.press("/");
    await page.keyboard.type("pay invoice post");
    const kind = found.getByText("operation", { exact: true });
    const lines = await kind.evaluate((span) => {
      const range = document.createRange();
      range.selectNodeContents(span);
      return range.getClientRects().length;
    });
    assert.is(lines, 1);
    await page.getByRole("searchbox").clear();
    await page.keyboard.type("no such thing");
    await found.getByText("Nothing has this name").waitFor();
  });

  browse(
    "a list is shown as JSON, as it is narrowed",
    "/api/tracks/?price__gte=2",
    async (page) => {
      await page.getByRole("link", { name: "JSON", exact: true }).click();
      await page.waitForURL(/!json$/);
      await page.getByText('"price": "12.50"').waitFor();
      await assertOpen(page);
      // No way back to the list loses the filter
      for (const link of await page.getByRole("main").locator('a[href^="#/api/"]').all()) {
        assert.match(String(await link.getAttribute("href")), "price__gte=2");
      }
      await page.getByRole("navigation", { name: "Above this" }).getByRole("link").click();
      await page.waitForURL(/price__gte=2/);
      await page.getByRole("rowheader", { name: "Two" }).waitFor();
    },
  );

  browse("a request is copied as Python", "/api/tracks/!reference", async (page) => {
    const create = page.getByRole("region", { name: "Create a track", exact: true });
    const python = await copied(create, "Python");
    assert.match(python, "import requests\n\nresponse = requests.post(\n");
    assert.match(python, '"explicit": True,');
    assert.match(python, '"gain": -6.5,');
  });
}

runInBrowser(test, start, define);
