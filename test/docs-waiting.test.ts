// The page where a network is slow, a text unusual, or a server cannot answer: in a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hold, runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { fill } from "./store/rows.ts";
import { reports, resources, up } from "./store/store.ts";
import { grant } from "./tokens.ts";

const test = suite("docs on a bad day");
let site: Site;
/** The music store, and the same where tokens are needed. */
let open: Site["services"][number];
let secured: typeof open;

async function start() {
  const store = { resources, reports };
  site = await startSite([store, { ...store, authRequired: true }], { tables: up });
  [open, secured] = site.services as [typeof open, typeof open];
  await fill(open);
  return site;
}

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: open.root, path: `/docs/#${at}` }, work));
}

function define() {
  browse("what is typed while rows are awaited stays, and keeps the focus", "/", async (page) => {
    const arrive = await hold(page, "**/api/tracks/**");
    await page.getByRole("link", { name: "tracks", exact: true }).first().click();
    await page.locator("[aria-busy=true]").waitFor();
    await page.getByRole("searchbox").pressSequentially("tw");
    arrive();
    await page.getByRole("rowheader", { name: "Two" }).waitFor();
    await page.keyboard.type("o");
    assert.is(await page.getByRole("searchbox").inputValue(), "two");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=two$/);
  });

  browse("what is typed stays where the rows are tried again by themselves", "/", async (page) => {
    let count = 0;
    await page.route("**/api/tracks/?*", async (route) => {
      count++;
      await route.fulfill({ status: 503, headers: { "retry-after": "1" } });
    });
    await page.clock.install();
    await page.getByRole("link", { name: "tracks", exact: true }).first().click();
    await page.getByText("Trying again in 1 seconds").waitFor();
    await page.getByRole("searchbox").fill("Tw");
    const before = count;
    await page.clock.runFor(5000);
    assert.is(await page.getByRole("searchbox").inputValue(), "Tw");
    assert.is(count, before);
    await page.getByRole("searchbox").fill("");
    const asked = page.waitForRequest("**/api/tracks/?*");
    await page.clock.runFor(1000);
    await asked;
  });

  browse(
    "after Back the link has the focus, however late its row comes",
    "/api/tracks/",
    async (page) => {
      await page.getByRole("link", { name: "Two" }).click();
      await page.getByRole("heading", { level: 1, name: "Two" }).waitFor();
      const arrive = await hold(page, "**/api/tracks/?*");
      await page.goBack();
      await page.locator("[aria-busy=true]").waitFor();
      arrive();
      await page.waitForFunction(() => document.activeElement?.textContent === "Two");
    },
  );

  browse("a number has the focus that its button had", "/api/tracks/?limit=2", async (page) => {
    const line = page.getByRole("navigation", { name: "Pages" });
    await line.getByRole("button").focus();
    await page.keyboard.press("Enter");
    await line.getByText("3 match").waitFor();
    assert.is(await page.evaluate(() => document.activeElement?.textContent), "3 match");
  });

  browse("a search with a ! has a second page", "/api/labels/", async (page) => {
    await site.sql`
      insert into record_label (name) select 'Help! ' || n from generate_series(1, 60) as n`;
    await page.getByRole("searchbox").fill("Help!");
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader", { name: "Help! 60", exact: true }).waitFor();
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("rowheader", { name: "Help! 10", exact: true }).waitFor();
    assert.is(await page.locator("tbody tr").count(), 10);
    assert.is(await page.getByRole("searchbox").inputValue(), "Help!");
  });

  browse("what home shows as written is accepted", "/", async (page) => {
    const figure = page.getByRole("figure").filter({ hasText: "Written" });
    const path = await figure.locator("figcaption code").innerText();
    const sent = JSON.parse(await figure.locator("pre").innerText());
    const { status, body } = await open.send(path.replace("POST", "POST "), sent);
    assert.is(status, 201, JSON.stringify(body));
  });

  test("a token that cannot be checked now is not called unknown", async () => {
    const token = await grant(site.sql);
    const at = { root: secured.root, path: "/docs/#/api/tracks/" };
    await visit(site.context, at, async (page) => {
      let isAway = true;
      await page.route(`${secured.root}/`, async (route) => {
        if (!isAway) return await route.continue();
        await route.fulfill({
          status: 503,
          contentType: "text/html",
          body: "<h1>A proxy says: 503</h1>",
        });
      });
      await page.getByLabel("Token", { exact: true }).fill(`Bearer ${token}`);
      await page.getByRole("button", { name: "Use this token" }).click();
      await page.getByText("The token cannot be checked: The server answered 503").waitFor();
      isAway = false;
      await page.getByRole("button", { name: "Use this token" }).click();
      await page.getByRole("rowheader", { name: "Two" }).waitFor();
    });
  });
}

runInBrowser(test, start, define);
