// A relation in a form, as people type it: what a click and Enter do, which candidates are listed, what tells two of
// one name apart, the row that is picked, and a new one. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { heard, press, runInBrowser, saved, type Site, startSite, visit } from "./browser.ts";
import { errorOf, field, told } from "./things.ts";
import { fill } from "./store/rows.ts";
import { resources, up } from "./store/store.ts";

const test = suite("relations in a form");
let site: Site;
let service: Site["services"][number];

async function start() {
  site = await startSite([{ resources }], { tables: up });
  [service] = site.services as [typeof service];
  await fill(service);
  return site;
}

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: service.root, path: `/docs/#${at}` }, work));
}

/** What is listed: candidates, and a line that is none. */
const listed = (page: Page) =>
  page.getByRole("listbox").getByRole("option").filter({ visible: true });

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
      assert.equal(await listed(page).locator("span").allInnerTexts(), ["First", "Second"]);
      assert.equal(await isMarked(page).locator("span").allInnerTexts(), ["First"]);
      assert.ok(await isMarked(page).locator("svg").isVisible());
      await page.keyboard.type("Sec");
      assert.is(await field(page, "album").inputValue(), "Sec");
      await listed(page).getByText("First").waitFor({ state: "hidden" });
      assert.equal(await listed(page).locator("span").allInnerTexts(), ["Second"]);
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
      await page.keyboard.type("eco");
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
      await errorOf(page, "album").getByText("No candidate has this text").waitFor();
      await press(page, "Enter");
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
      await listed(page).getByText("very", { exact: true }).waitFor();
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
}

runInBrowser(test, start, define);
