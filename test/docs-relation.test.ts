// A relation in a form, as people type it: what a click and Enter do, which candidates are listed, what tells two of
// one name apart, the row that is picked, and a new one. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  barriers,
  heard,
  press,
  runInBrowser,
  saved,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { errorOf, field, told } from "./things.ts";
import { grant } from "./tokens.ts";
import { startStoreSite, type StoreSite } from "./store/site.ts";
import { resources, up } from "./store/store.ts";

const test = suite("relations in a form");
let site: StoreSite;
let service: StoreSite["service"];

async function start() {
  site = await startStoreSite();
  service = site.service;
  return site;
}

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: service.root, path: `/docs/#${at}` }, work));
}

/** What is listed: candidates, and a line that is none. */
const listed = (page: Page) =>
  page.getByRole("listbox").getByRole("option").filter({ visible: true });

const candidates = (page: Page) => listed(page).and(page.locator(":not(.new)"));

/** The text of the active one, as a screen reader hears of it. */
async function active(page: Page, name: string) {
  const { activedescendant } = await heard(page, `#field-${name}`);
  return String((await heard(page, `#${activedescendant}`))["name"]);
}

const isMarked = (page: Page) => listed(page).and(page.locator("[aria-selected=true]"));

function define() {
  browse(
    "a click selects the text, and lists all candidates with the present one marked",
    "/api/tracks/1/!edit",
    async (page) => {
      await field(page, "album").click();
      await listed(page).first().waitFor();
      assert.equal(await candidates(page).locator("span").allInnerTexts(), ["First", "Second"]);
      assert.equal(await isMarked(page).locator("span").allInnerTexts(), ["First"]);
      assert.ok(await isMarked(page).locator("svg").isVisible());
      await page.keyboard.type("Sec");
      assert.is(await field(page, "album").inputValue(), "Sec");
      await listed(page).getByText("First").waitFor({ state: "hidden" });
      assert.equal(await candidates(page).locator("span").allInnerTexts(), ["Second"]);
    },
  );

  browse(
    "a click leaves the caret where it is in a text that is typed",
    "/api/tracks/1/!edit",
    async (page) => {
      await field(page, "album").click();
      await page.keyboard.type("Scond");
      await field(page, "album").click({ position: { x: 12, y: 10 } });
      const selected = await field(page, "album").evaluate((input: HTMLInputElement) =>
        Number(input.selectionEnd) - Number(input.selectionStart)
      );
      assert.is(selected, 0);
    },
  );

  browse(
    "the first match is active once something is typed, and Enter takes it and sends nothing",
    "/api/tracks/1/!edit",
    async (page) => {
      let isSent = false;
      page.on("request", (request) => isSent ||= request.method() === "PATCH");
      await field(page, "album").click();
      await listed(page).getByText("First").waitFor();
      await page.keyboard.insertText("eco"); // key by key, the list is made more than once
      await listed(page).getByText("First").waitFor({ state: "hidden" });
      assert.match(await active(page, "album"), /^Second/);
      await press(page, "Enter");
      assert.is(await field(page, "album").inputValue(), "Second");
      assert.is(await page.locator("#field-album-sends").innerText(), "2");
      assert.is(isSent, false);
      // What is taken is sent by the next one
      const sent = page.waitForRequest((request) => request.method() === "PATCH");
      await press(page, "Enter");
      assert.equal(told(await sent).body, { album: 2 });
      await saved(page);
      await service.send("PATCH /api/tracks/1/", { album: 1 });
    },
  );

  browse(
    "Enter sends no form while the list is open, or the text is that of no candidate",
    "/api/tracks/1/!edit",
    async (page) => {
      let isSent = false;
      page.on("request", (request) => isSent ||= request.method() === "PATCH");
      await field(page, "name").fill("Changed");
      await field(page, "album").click();
      await listed(page).first().waitFor();
      await press(page, "Enter");
      assert.is(await listed(page).count(), 0);
      await field(page, "album").fill("polka");
      await press(page, "Enter");
      await listed(page).getByText("No candidate contains this text").waitFor();
      await press(page, "Escape", "Tab");
      await errorOf(page, "album").getByText("No candidate has this text").waitFor();
      assert.is(isSent, false);
    },
  );

  browse(
    "Enter takes the one that has the typed text rather than the first, in tags too",
    "/api/tracks/1/!edit",
    async (page) => {
      await service.send("POST /api/tags/", { name: "very low" });
      await service.send("POST /api/tags/", { name: "very" });
      const picked = page.getByRole("list", { name: "Picked for tags" }).locator("bdi");
      await field(page, "tags").fill("lo");
      await listed(page).getByText("very low").waitFor();
      assert.match(await active(page, "tags"), /^low/, "loud is picked already");
      await field(page, "tags").fill("very");
      await listed(page).locator("span", { hasText: /^very$/ }).waitFor();
      assert.match(await active(page, "tags"), /^very \d+$/);
      await press(page, "Enter");
      assert.equal(await picked.allInnerTexts(), ["loud", "very"]);
      // Before the list is there
      await page.keyboard.type("very l");
      await press(page, "Enter");
      await picked.nth(2).waitFor();
      assert.equal(await picked.allInnerTexts(), ["loud", "very", "very low"]);
    },
  );

  browse(
    "Enter before the list is there opens it where the text may mean several",
    "/api/albums/!new",
    async (page) => {
      await field(page, "artist").pressSequentially("d");
      await press(page, "Enter");
      await listed(page).nth(1).waitFor();
      assert.is(await field(page, "artist").inputValue(), "d");
      await press(page, "Enter");
      assert.is(await field(page, "artist").inputValue(), "Ann and the Bobs");
    },
  );

  browse(
    "leads to the row that is picked, in a tab of its own",
    "/api/tracks/1/!edit",
    async (page) => {
      await field(page, "name").fill("Kept");
      const link = page.getByRole("link", { name: /^open (First|Second) in another tab$/ });
      const { width } = (await field(page, "album").boundingBox())!;
      const [tab] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
      assert.is(new URL(tab.url()).hash, "#/api/albums/1/");
      await tab.close();
      assert.is(await field(page, "name").inputValue(), "Kept");
      await field(page, "album").fill("Sec");
      assert.is(await link.count(), 0);
      assert.is((await field(page, "album").boundingBox())!.width, width, "Nothing moves");
      await listed(page).getByText("Second").click();
      assert.match(String(await link.getAttribute("href")), /albums\/2\/$/);
    },
  );

  browse(
    "tells candidates of one text apart by a second line, with one request, and others not",
    "/api/tracks/1/!edit",
    async (page) => {
      const asked: string[] = [];
      page.on("request", (request) => {
        const { pathname, search } = new URL(request.url());
        if (pathname === "/api/albums/") asked.push(search);
      });
      await field(page, "album").click();
      await listed(page).nth(1).waitFor();
      assert.equal(asked, []);
      const album = async (artist: number) =>
        (await service.send("POST /api/albums/", { title: "Greatest hits", artist })).body.id;
      const ids = [await album(1), await album(2)];
      await field(page, "album").fill("greatest");
      await listed(page).getByText("Cid").waitFor();
      assert.equal(await listed(page).locator("small").allInnerTexts(), [
        "Ann and the Bobs",
        "Cid",
      ]);
      assert.equal(asked, [`?id__in=${ids.join("%2C")}&limit=200`]);
      assert.equal(await barriers(page), []);
      for (const id of ids) await service.send(`DELETE /api/albums/${id}/`);
    },
  );

  browse(
    "has the identifiers where the rows of one text cannot be read",
    "/api/tracks/1/!edit",
    async (page) => {
      await page.route("**/api/albums/?*", (route) => route.fulfill({ status: 503 }));
      const album = async () =>
        (await service.send("POST /api/albums/", { title: "Twin", artist: 1 })).body.id;
      const ids = [await album(), await album()];
      await field(page, "album").fill("twin");
      await listed(page).nth(1).waitFor();
      assert.equal(await listed(page).locator("code").allInnerTexts(), ids.map(String));
      assert.is(await listed(page).locator("small").count(), 0);
      for (const id of ids) await service.send(`DELETE /api/albums/${id}/`);
    },
  );

  browse(
    "a tag that is missing is created over the form, and picked",
    "/api/tracks/1/!edit",
    async (page) => {
      const picked = page.getByRole("list", { name: "Picked for tags" }).locator("bdi");
      await field(page, "name").fill("Kept");
      await field(page, "tags").fill("brandnew");
      const entry = listed(page).getByText("New tag “brandnew”…");
      await entry.waitFor();
      assert.match(await active(page, "tags"), /^New tag/);
      await press(page, "Enter");
      const dialog = page.getByRole("dialog", { name: "New tag" });
      const name = dialog.getByLabel("name", { exact: true });
      await name.waitFor();
      assert.is(await name.inputValue(), "brandnew");
      assert.is(await errorOf(page, "tags").isVisible(), false);
      await name.fill("x".repeat(41));
      await press(page, "Control+Enter");
      await dialog.getByText("Not saved: 1 field was refused").waitFor();
      await dialog.getByText("Send at most 40 characters").waitFor();
      assert.equal(await barriers(page), []);
      await name.fill("brandnew");
      const sent = page.waitForRequest((request) => request.method() === "POST");
      await press(page, "Enter");
      const { path, body, key } = told(await sent);
      assert.equal([path, body], ["/api/tags/", { name: "brandnew" }]);
      assert.match(String(key), /^"[0-9a-f]{32}"$/);
      await picked.getByText("brandnew").waitFor();
      assert.is(await page.getByRole("dialog").count(), 0);
      assert.is(await field(page, "name").inputValue(), "Kept");
      assert.is(
        await field(page, "tags").evaluate((input) => input === document.activeElement),
        true,
      );
    },
  );

  browse(
    "a row is created with a relation of its own, over which no other opens; Escape gives up",
    "/api/tracks/!new",
    async (page) => {
      await field(page, "album").fill("Third");
      await listed(page).getByText("New album “Third”…").click();
      const dialog = page.getByRole("dialog", { name: "New album" });
      const artist = dialog.getByLabel("artist", { exact: true });
      await artist.fill("zzz");
      await listed(page).getByText("No candidate contains this text").waitFor();
      assert.is(await listed(page).getByText("New artist").count(), 0);
      await artist.fill("");
      await listed(page).getByText("Cid").click();
      await artist.press("ArrowDown");
      await listed(page).first().waitFor();
      await press(page, "Escape");
      assert.is(await dialog.count(), 1, "Escape closes the list first");
      page.once("dialog", (asked) => asked.dismiss());
      await press(page, "Escape");
      assert.is(await dialog.count(), 1, "It asks before what was typed is lost");
      page.once("dialog", (asked) => asked.accept());
      await press(page, "Escape");
      await dialog.waitFor({ state: "detached" });
      assert.is(await field(page, "album").inputValue(), "Third");
      assert.is(
        await field(page, "album").evaluate((input) => input === document.activeElement),
        true,
      );
      await press(page, "ArrowDown");
      await listed(page).getByText("New album “Third”…").waitFor();
      await press(page, "Enter");
      await dialog.getByLabel("artist", { exact: true }).fill("cid");
      await listed(page).getByText("Cid").waitFor();
      await press(page, "Enter");
      await dialog.getByRole("button", { name: "Create the album" }).click();
      await page.getByRole("link", { name: "open Third in another tab" }).waitFor();
      assert.is(await field(page, "album").inputValue(), "Third");
      assert.match(await page.locator("#field-album-sends").innerText(), /^\d+$/);
    },
  );

  test("offers no new row to those who may not create one", async () => {
    const secured = await startSite([{ resources, authRequired: true }], { tables: up });
    const [{ root }] = secured.services as [Site["services"][number]];
    try {
      await secured.sql`insert into tag (name) values ('slow')`;
      const token = await grant(secured.sql, { scope: "read" });
      await visit(secured.context, { root, path: "/docs/#/api/tracks/" }, async (page) => {
        await page.getByRole("textbox", { name: "Token" }).fill(token);
        await page.getByRole("button", { name: "Use this token" }).click();
        await page.getByText("There are no tracks yet").waitFor();
        await page.evaluate(() => location.hash = "#/api/tracks/!new");
        await field(page, "tags").click();
        await listed(page).getByText("slow").waitFor();
        assert.is(await listed(page).getByText("New tag").count(), 0);
      });
    } finally {
      await secured.stop();
    }
  });
}

runInBrowser(test, start, define);
