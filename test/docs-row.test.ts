// The page of a row as a place to work from: the rows that refer to it are there, it is copied, and what was done is
// taken back.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertFits, assertOpen, runInBrowser, saved, visit } from "./browser.ts";
import { startStoreSite, type StoreSite } from "./store/site.ts";
import { field, submitted } from "./things.ts";

const test = suite("a row in a browser");
let site: StoreSite;
let store: StoreSite["service"];

async function start() {
  site = await startStoreSite();
  store = site.service;
  return site;
}

function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: store.root, path: `/docs/#${at}` }, work));
}

const referred = (page: Page) => page.getByRole("region", { name: "Referred to by" });
const of = (page: Page, name: string) =>
  referred(page).getByRole("listitem").filter({
    has: page.getByRole("link", { name, exact: true }),
  });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const titled = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

/** What is asked of the API while some work is done. */
async function asked(page: Page, work: () => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/")) paths.push(`${request.method()} ${pathname}${search}`);
  });
  await work();
  return paths;
}

function define() {
  browse("shows the rows that cannot be without it, and how many there are", "/", async (page) => {
    const paths = await asked(page, async () => {
      await page.goto(`${store.root}/docs/#/api/albums/1/`);
      await of(page, "tracks").getByRole("rowheader", { name: "One" }).waitFor();
    });
    assert.equal(paths.filter((path) => path.includes("album=1")), [
      "GET /api/tracks/?album=1&limit=11",
    ]);
    const tracks = of(page, "tracks");
    await tracks.locator(".number", { hasText: /^3$/ }).first().waitFor();
    assert.is(await tracks.getByRole("columnheader", { name: "album" }).count(), 0);
    await assertOpen(page);
    for (const width of [320, 390, 1440]) await assertFits(page, width);
    await tracks.getByRole("link", { name: "Two" }).click();
    await titled(page, "Two");
  });

  browse("shows the first ten of many, with a way to all", "/", async (page) => {
    const { body: album } = await store.send("POST /api/albums/", {
      title: "Long",
      artist: 1,
      label: 1,
      released: "2001-09-03",
    });
    for (let place = 1; place <= 12; place++) {
      await store.send("POST /api/tracks/", {
        name: `Piece ${place}`,
        album: album.id,
        milliseconds: 1,
        tags: [],
        genres: [1],
      });
    }
    await page.goto(`${store.root}/docs/#/api/albums/${album.id}/`);
    const tracks = of(page, "tracks");
    await tracks.getByRole("rowheader").nth(9).waitFor();
    assert.is(await tracks.getByRole("rowheader").count(), 10);
    await tracks.getByRole("button", { name: "Count the tracks" }).click();
    await tracks.locator("span.number").getByText("12", { exact: true }).waitFor();
    await tracks.getByRole("link", { name: "All tracks" }).click();
    await titled(page, "Tracks");
  });

  browse("asks for rows that need not refer to it when somebody wants them", "/", async (page) => {
    const paths = await asked(page, async () => {
      await page.goto(`${store.root}/docs/#/api/employees/1/`);
      await referred(page).waitFor();
    });
    assert.equal(paths.filter((path) => path.includes("manager")), []);
    await of(page, "employees").getByRole("button", { name: "Show the employees" }).click();
    await of(page, "employees").getByRole("rowheader", { name: "Lea" }).waitFor();
  });

  browse("says that the rows cannot be read, and reads them again", "/", async (page) => {
    await page.route("**/api/employees/?manager=1**", (route) => route.abort(), { times: 1 });
    await page.goto(`${store.root}/docs/#/api/employees/1/`);
    const show = of(page, "employees").getByRole("button", { name: "Show the employees" });
    await show.click();
    await page.getByText("cannot be read; try again").click();
    await of(page, "employees").getByRole("rowheader", { name: "Lea" }).waitFor();
  });

  browse("leads to the form of a new row that refers to it", "/api/albums/2/", async (page) => {
    const link = of(page, "tracks").getByRole("link", { name: "New track" });
    assert.is(await link.getAttribute("href"), "#/api/tracks/?album=2!new");
  });

  browse("knows what it took back where only the answer was lost", "/", async (page) => {
    const { body: { id } } = await store.send("POST /api/tracks/", {
      name: "Lost",
      album: 1,
      milliseconds: 10,
      price: "1.50",
    });
    await page.goto(`${store.root}/docs/#/api/tracks/${id}/!edit`);
    await field(page, "price").fill("2.50");
    await submitted(page, "PATCH", "Save");
    await saved(page);
    await page.route(`**/api/tracks/${id}/`, async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await button(page, "Undo").click();
    await page.locator("main").getByText("Undone: it is as it was before").waitFor();
    assert.is((await store.send(`GET /api/tracks/${id}/`)).body.price, "1.50");
  });

  browse("takes back what was saved, under the tag of what was saved", "/", async (page) => {
    const { body: track } = await store.send("POST /api/tracks/", {
      name: "Once",
      album: 1,
      milliseconds: 10,
      price: "1.50",
      tags: [1, 2],
      genres: [1],
    });
    await page.goto(`${store.root}/docs/#/api/tracks/${track.id}/!edit`);
    await field(page, "price").fill("2.50");
    await field(page, "name").fill("Twice");
    await submitted(page, "PATCH", "Save");
    await saved(page);
    const request = await submitted(page, "PATCH", "Undo");
    assert.equal(request.body, { name: "Once", price: "1.50" });
    await page.locator("main").getByText("Undone: it is as it was before").waitFor();
    await titled(page, "Once");
    const { body: now } = await store.send(`GET /api/tracks/${track.id}/`);
    assert.equal(now, track);
    assert.is(await button(page, "Undo").count(), 0);
  });

  browse("takes nothing back that another has changed since", "/", async (page) => {
    await page.goto(`${store.root}/docs/#/api/artists/1/!edit`);
    await field(page, "country").fill("NO");
    await submitted(page, "PATCH", "Save");
    await saved(page);
    await store.send("PATCH /api/artists/1/", { country: "DK" });
    await button(page, "Undo").click();
    await page.getByRole("alert").getByText("Not undone: it was changed meanwhile")
      .waitFor();
    assert.is((await store.send("GET /api/artists/1/")).body.country, "DK");
  });

  browse("sends an Undo again whose answer was lost, and it is done once", "/", async (page) => {
    await page.goto(`${store.root}/docs/#/api/artists/2/!edit`);
    await field(page, "name").fill("Sid");
    await submitted(page, "PATCH", "Save");
    await saved(page);
    await page.route("**/api/artists/2/", async (route) => {
      if (route.request().method() !== "PATCH") return await route.continue();
      await route.abort();
    }, { times: 1 });
    await button(page, "Undo").click();
    await page.locator("main").getByText("No answer came: it is being sent again").waitFor();
    await page.locator("main").getByText("Undone: it is as it was before").waitFor();
    assert.is((await store.send("GET /api/artists/2/")).body.name, "Cid");
  });

  browse("brings back what was deleted, as a new row", "/", async (page) => {
    const { body: tag } = await store.send("POST /api/tags/", { name: "short" });
    await page.goto(`${store.root}/docs/#/api/tags/${tag.id}/!delete`);
    await submitted(page, "DELETE", "Delete the tag");
    await page.getByText("Deleted: short").first().waitFor();
    const { body } = await submitted(page, "POST", "Bring it back");
    assert.equal(body, { name: "short" });
    await page.locator("main").getByText("Created again: short").waitFor();
    await titled(page, "short");
  });

  browse("says which field keeps what was deleted from coming back", "/", async (page) => {
    const { body: tag } = await store.send("POST /api/tags/", { name: "rare" });
    await page.goto(`${store.root}/docs/#/api/tags/${tag.id}/!delete`);
    await submitted(page, "DELETE", "Delete the tag");
    await page.getByText("Deleted: rare").first().waitFor();
    await store.send("POST /api/tags/", { name: "rare" });
    await submitted(page, "POST", "Bring it back");
    await page.locator("main").getByText(/^name: /).waitFor();
  });

  browse("is copied into the form of a new row", "/api/tracks/2/", async (page) => {
    await button(page, "Duplicate").click();
    await titled(page, "New track");
    assert.is(await field(page, "name").inputValue(), "Two");
    assert.is(await field(page, "album").inputValue(), "First");
    const { body } = await submitted(page, "POST", /^Create the track/);
    assert.equal([body.name, body.album, body.price], ["Two", 1, "12.50"]);
    await saved(page);
  });
}

runInBrowser(test, start, define);
