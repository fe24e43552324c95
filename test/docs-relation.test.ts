// A relation in a form, as people type it: what a click and Enter do, which candidates are listed, what tells two of
// one name apart, the row that is picked, and a new one. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { heard, press, runInBrowser, saved, type Site, startSite, visit } from "./browser.ts";
import { errorOf, field, submitted, told } from "./things.ts";
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
  return activedescendant && String((await heard(page, `#${activedescendant}`))["name"]);
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
}

runInBrowser(test, start, define);
