// The form of a new row whose first values stand in its address, and the link to it from a list that is narrowed. In a
// real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertOpen, press, runInBrowser, saved, visit } from "./browser.ts";
import { errorOf, field, submitted } from "./things.ts";
import { startStoreSite, type StoreSite } from "./store/site.ts";

const test = suite("forms that are linked");
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

function define() {
  browse(
    "has the values of its address at first, a relation by its name",
    "/api/tracks/?album=2&name=Four&milliseconds=4000&explicit=true&gain=-0.5&price=1.5&tags=2,1!new",
    async (page) => {
      await field(page, "album").waitFor();
      assert.is(await field(page, "album").inputValue(), "Second");
      const picked = page.getByRole("list", { name: "Picked for tags" }).locator("bdi");
      assert.equal(await picked.allInnerTexts(), ["low", "loud"]);
      const { body } = await submitted(page, "POST", "Create the track");
      const sent = { name: "Four", album: 2, milliseconds: 4000, price: "1.5", gain: -0.5 };
      const { rating: _, genres: __, ...others } = body;
      assert.equal(others, { ...sent, explicit: true, tags: [2, 1] });
      await saved(page);
    },
  );

  browse(
    "has choices and dates",
    "/api/albums/?format=EP&released=2001-09-03!new",
    async (page) => {
      await field(page, "format").waitFor();
      assert.is(await field(page, "format").inputValue(), "EP");
      assert.is(await field(page, "released").inputValue(), "2001-09-03");
    },
  );

  browse(
    "shows what is no value as it is, and says which names it does not know",
    "/api/tracks/?milliseconds=long&album=none&explicit=maybe&colour=red&id=7!new",
    async (page) => {
      await page.getByText("Left out of the address: explicit, colour, id").waitFor();
      assert.is(await field(page, "milliseconds").inputValue(), "long");
      assert.is(await field(page, "album").inputValue(), "album none");
      await press(page, "Control+Enter");
      await errorOf(page, "milliseconds").getByText("Enter a number").waitFor();
      await assertOpen(page);
    },
  );

  browse(
    "shows a day and a choice that are none",
    "/api/albums/?format=8-track&released=yesterday!new",
    async (page) => {
      await field(page, "format").waitFor();
      assert.is(await field(page, "format").inputValue(), "8-track");
      assert.is(await field(page, "released").inputValue(), "yesterday");
      await submitted(page, "POST", "Create the album");
      for (const name of ["format", "released"]) await errorOf(page, name).waitFor();
    },
  );

  browse(
    "is left at once where nothing was typed",
    "/api/tracks/?album=2!new",
    async (page) => {
      await field(page, "name").press("Escape");
      await page.waitForURL((url) =>
        url.hash.startsWith("#/api/tracks/") && !url.hash.endsWith("new")
      );
    },
  );

  browse(
    "is what New leads to from a list: with what all of its rows have",
    "/api/tracks/?album=1&price__gte=0.5&composer=Bach&id=3&sort=-id",
    async (page) => {
      await page.getByRole("link", { name: "New track" }).click();
      await page.waitForURL((url) => url.hash === "#/api/tracks/?album=1&composer=Bach!new");
      await page.getByRole("heading", { level: 1, name: "New track" }).waitFor();
      assert.is(await field(page, "album").inputValue(), "First");
      assert.is(await field(page, "composer").inputValue(), "Bach");
      assert.is(await page.getByText("Left out of the address").count(), 0);
      await page.goBack();
      await page.getByRole("link", { name: "New track" }).waitFor();
      await press(page, "n");
      await page.getByRole("heading", { level: 1, name: "New track" }).waitFor();
      assert.is(await field(page, "album").inputValue(), "First");
    },
  );
}

runInBrowser(test, start, define);
