// What a page of any content has to be: without a barrier that axe-core knows, within the window from a phone
// to a wide screen, light and dark, with names that are long or run from right to left.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  assertFits,
  assertOpen,
  barriers,
  runInBrowser,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { identifier, resource, text } from "./house.ts";
import { fill } from "./store/rows.ts";
import { reports, resources as store, up } from "./store/store.ts";

const LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
  .repeat(2);

const test = suite("looks of the docs");
let site: Site;
let root = "";

/** More resources than the side shows without a field that narrows them. */
const many = Array.from(
  { length: 12 },
  (_, index) =>
    resource(`bin_${String.fromCharCode(97 + index)}`, {
      path: `/bins/${String.fromCharCode(97 + index)}/`,
      table: "tag",
      display: "name",
      fields: { id: identifier(), name: text({ maximum: 40 }) },
    }),
);

async function start() {
  const options = { resources: [...store, ...many], reports, title: "Music store" };
  site = await startSite([options], { tables: up });
  const [service] = site.services as [Site["services"][number]];
  root = service.root;
  await fill(service);
  const track = { album: 1, milliseconds: 1000, tags: [1, 2, 3], genres: [1] };
  for (const name of [LONG, "ירושלים של זהב", "إنت عمري"]) {
    await service.send("POST /api/tracks/", {
      ...track,
      name,
      composer: name,
      price: "12345678.99",
    });
  }
  return site;
}

/** The views, and what is there when each is whole. */
const views: Record<string, string> = {
  "/": "Count all",
  "/api/tracks/": "+1",
  "/api/tracks/?price__gte=1&album__artist=1&q=e&sort=-price": "album → artist",
  "/api/tracks/?q=nothing": "No track matches",
  "/api/tracks/?colour=red": "400 · Invalid query parameter",
  "/api/tracks/4/": "Referred to by",
  "/api/tracks/999/": "There is no track 999",
  "/api/tracks/4/!edit": "Nothing is changed yet",
  "/api/tracks/4/!delete": "Keep it",
  "/api/reports/sales/?from=2020-01-01": "1 row",
  "/api/tracks/!reference": "The object",
};

function define() {
  for (const [at, whole] of Object.entries(views)) {
    test(`${at} has no barrier, and stays within the window`, () =>
      visit(site.context, { root, path: `/docs/#${at}` }, async (page) => {
        await page.getByText(whole).first().waitFor();
        await assertOpen(page);
        for (const width of [768, 2560]) await assertFits(page, width);
      }));
  }

  test("the ground is light or dark, as the system is", () =>
    visit(site.context, { root, path: "/docs/#/" }, async (page) => {
      const grounds = new Set();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      }
      assert.is(grounds.size, 2);
    }));

  test("what opens below a button stays within the window, and has no barrier", () =>
    visit(site.context, { root, path: "/docs/#/api/tracks/?price__gte=1" }, async (page) => {
      for (const width of [320, 800, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const name of ["Filter", "Columns"]) {
          const summary = page.locator("summary", { hasText: name });
          await summary.click();
          assert.equal(await barriers(page), []);
          const { left, right } = await edges(page);
          assert.ok(left >= 0 && right <= width, `${name}: ${left} to ${right} of ${width}`);
          await page.keyboard.press("Escape");
        }
      }
    }));

  test("a text runs in its own direction, and a long one is cut in a list alone", () =>
    visit(site.context, { root, path: "/docs/#/api/tracks/" }, async (page) => {
      const hebrew = page.getByRole("link", { name: "ירושלים של זהב" }).first();
      const direction = await hebrew.evaluate((link) => getComputedStyle(link).direction);
      assert.is(direction, "rtl");
      const cut = page.getByRole("link", { name: LONG }).first();
      assert.ok(await cut.evaluate((link) => link.scrollWidth > link.clientWidth));
      await cut.click();
      const whole = page.getByRole("heading", { level: 1, name: LONG });
      await whole.waitFor();
      assert.ok(await whole.evaluate((name) => name.scrollWidth <= name.clientWidth));
    }));

  test("more than 20 resources are narrowed by a text", () =>
    visit(site.context, { root, path: "/docs/#/" }, async (page) => {
      const links = page.getByRole("navigation", { name: "Resources" }).getByRole("link");
      await page.getByLabel("Narrow the resources").fill("tra");
      assert.equal(await links.allInnerTexts(), ["tracks"]);
      await links.first().click();
      await page.getByRole("heading", { level: 1, name: "Tracks" }).waitFor();
      assert.is(await page.getByLabel("Narrow the resources").inputValue(), "tra");
    }));

  test("what narrows the resources keeps the focus while rows arrive", () =>
    visit(site.context, { root, path: "/docs/#/" }, async (page) => {
      let isAway = true;
      await page.route(
        "**/api/tracks/?*",
        (route) =>
          isAway
            ? route.fulfill({ status: 503, headers: { "retry-after": "1" } })
            : route.continue(),
      );
      await page.clock.install();
      await page.getByRole("link", { name: "tracks", exact: true }).first().click();
      await page.getByText("Trying again in 1 seconds").waitFor();
      const narrow = page.getByLabel("Narrow the resources");
      await narrow.pressSequentially("ge");
      isAway = false;
      await page.clock.runFor(1000);
      await page.getByRole("rowheader", { name: "Two" }).waitFor();
      await page.keyboard.type("n");
      assert.is(await narrow.inputValue(), "gen");
    }));

  test("on a phone the resources are behind a button", () =>
    visit(site.context, { root, path: "/docs/#/" }, async (page) => {
      await page.setViewportSize({ width: 320, height: 600 });
      const links = page.getByRole("navigation", { name: "Resources" }).getByRole("link");
      assert.not(await links.first().isVisible());
      await page.getByRole("button", { name: "Menu" }).click();
      await links.filter({ hasText: "tracks" }).click();
      await page.getByRole("heading", { level: 1, name: "Tracks" }).waitFor();
      assert.not(await links.first().isVisible());
    }));
}

const edges = (page: Page) =>
  page.locator("details[open] .panel").evaluate((panel) => {
    const { left, right } = panel.getBoundingClientRect();
    return { left, right };
  });

runInBrowser(test, start, define);
