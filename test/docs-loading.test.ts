// What the page asks for until its rows are there: a far server is asked as few times as can be.
// Needs: a browser
/// <reference lib="dom" />
import { readdirSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hold, runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { joinModules } from "./house.ts";
import { fill } from "./store/rows.ts";
import { reports, resources, up } from "./store/store.ts";

const test = suite("docs loading");
let site: Site;
let root: string;
/** The same, where tokens are needed. */
let secured: string;

async function start() {
  const store = { resources, reports, title: "Music store" };
  site = await startSite([store, { ...store, authRequired: true }], { tables: up });
  const [open, closed] = site.services;
  await fill(open!);
  [root, secured] = [open!.root, closed!.root];
  return site;
}

/** What a page asks for while it loads, as the network sees it, and what of that came from the cache. */
async function loads(page: Page, load: () => Promise<unknown>) {
  const session = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const cached = new Set<string>();
  await session.send("Network.enable");
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    paths.set(requestId, request.url.slice(root.length));
  });
  session.on("Network.requestServedFromCache", ({ requestId }) => cached.add(requestId));
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.fromDiskCache) cached.add(requestId);
  });
  await load();
  await page.getByRole("rowheader", { name: "Two" }).waitFor();
  await session.detach();
  const all = [...paths].map(([id, path]) => ({
    path: path.replace(/\?.*|(?<=\/docs\/)\w+\//g, ""),
    isCached: cached.has(id),
  }));
  return {
    asked: all.filter(({ isCached }) => !isCached).map(({ path }) => path).sort(),
    cached: all.filter(({ isCached }) => isCached).map(({ path }) => path).sort(),
  };
}

const files = ["/docs/docs.css", "/docs/docs.js", "/docs/openapi.json"];

function define() {
  test("a list is the page, its three files at once, and the rows; then the page and the rows", async () => {
    await visit(site.context, { root, path: "/docs/#/" }, async (page) => {
      await page.goto("about:blank");
      const session = await page.context().newCDPSession(page);
      await session.send("Network.clearBrowserCache");
      const open = () => page.goto(`${root}/docs/#/api/tracks/`);
      const cold = await loads(page, open);
      assert.equal(cold, { asked: ["/api/tracks/", "/docs/", ...files], cached: [] });
      await page.goto("about:blank");
      const warm = await loads(page, open);
      assert.equal(warm, { asked: ["/api/tracks/", "/docs/"], cached: files });
    });
  });

  test("rows do not wait until it is known who asks", async () => {
    await visit(site.context, { root: secured, path: "/docs/#/" }, async (page) => {
      const arrive = await hold(page, `${secured}/`);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url().slice(secured.length)));
      await page.goto("about:blank");
      const rows = page.waitForRequest("**/api/tracks/?*");
      await page.goto(`${secured}/docs/#/api/tracks/`, { waitUntil: "commit" });
      await rows;
      arrive();
      await page.getByRole("heading", { name: "Rows need a token here" }).waitFor();
      assert.is(asked.filter((path) => path.startsWith("/api/")).length, 1);
    });
  });

  test("no view needs more of the page than what was loaded first", async () => {
    await visit(site.context, { root }, async (page) => {
      const paths: string[] = [];
      page.on("request", (request) => paths.push(new URL(request.url()).pathname));
      const views = [
        ["/api/tracks/!new", "New track"],
        ["/api/tracks/!reference", "Tracks"],
        ["/api/reports/sales/", "Sales"],
        ["/api/tracks/2/!delete", "Two"],
      ] as const;
      for (const [at, name] of views) {
        await page.evaluate((at) => location.hash = at, `#${at}`);
        await page.locator("h1", { hasText: name }).waitFor();
      }
      assert.equal(paths.filter((path) => path.startsWith("/docs/")), []);
    });
  });

  test("bones stand where the page waits for its contract", async () => {
    await visit(site.context, { root }, async (page) => {
      const arrive = await hold(page, "**/openapi.json");
      await page.goto("about:blank");
      await page.goto(`${root}/docs/#/api/tracks/`, { waitUntil: "commit" });
      await page.locator(".waits").waitFor();
      assert.ok(await page.locator(".waits").isVisible());
      arrive();
      await page.getByRole("rowheader", { name: "Two" }).waitFor();
      assert.is(await page.locator(".waits").count(), 0);
    });
  });

  test("an address that changes before the contract is there is the one that is shown", async () => {
    await visit(site.context, { root }, async (page) => {
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      const arrive = await hold(page, "**/openapi.json");
      await page.goto("about:blank");
      await page.goto(`${root}/docs/#/api/tracks/`, { waitUntil: "commit" });
      await page.locator(".waits").waitFor();
      await page.evaluate(() => location.hash = "#/api/albums/");
      arrive();
      await page.getByRole("heading", { level: 1, name: "Albums" }).waitFor();
      assert.equal(errors, []);
    });
  });

  test("the script has every module of the page, and exports no name that browsers have", async () => {
    const folder = new URL("../src/page/", import.meta.url);
    const names = readdirSync(folder).filter((name) => name.endsWith(".js")).sort();
    const texts = new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
    const script = joinModules(texts, "docs.js");
    assert.equal([...script.matchAll(/^\/\/ (.+)$/gm)].map(([, name]) => name).sort(), names);
    const exported = [...script.matchAll(/^const \{ (.+) \} = \$\w+;$/gm)]
      .flatMap(([, names = ""]) => names.split(", "));
    assert.ok(exported.length > 100);
    await visit(site.context, { root }, async (page) => {
      const taken = await page.evaluate(
        (names) => names.filter((name) => name in window),
        exported,
      );
      assert.equal(taken, []);
    });
  });
}

runInBrowser(test, start, define);
