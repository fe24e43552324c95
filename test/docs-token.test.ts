// The page where requests need a token: the field in the place of the rows, and what a token may not do.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { barriers, copied, runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { grant } from "./tokens.ts";

const test = suite("docs with a token");
let site: Site;
let root = "";

async function start() {
  site = await startSite([{ authRequired: true }], {
    tables: "insert into bar (name) values ('Bar one')",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  root = site.services[0]!.root;
  return site;
}

function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root, path: `/docs/#${at}` }, work));
}

async function give(page: Page, token: string) {
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Use this token" }).click();
}

const rowOf = (page: Page) => page.getByRole("rowheader", { name: "Bar one" });
const link = (page: Page, name: string) => page.getByRole("link", { name });

function define() {
  browse("home and the reference are open to all", "/", async (page) => {
    await page.getByRole("table", { name: "Resources" }).waitFor();
    assert.is(await page.getByRole("button", { name: "Count the bars" }).count(), 0);
    await page.goto(`${root}/docs/#/api/bars/!reference`);
    await page.getByRole("heading", { name: "The object" }).waitFor();
  });

  browse("the token is asked for in the place of the rows", "/api/bars/", async (page) => {
    await page.getByRole("heading", { name: "Rows need a token here" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Bars" }).waitFor();
    assert.equal(await barriers(page), []);
    await give(page, `Bearer ${await grant(site.sql)}`);
    await rowOf(page).waitFor();
    await page.reload();
    await rowOf(page).waitFor();
    assert.equal(await page.evaluate(() => [document.cookie, localStorage.length]), ["", 0]);
  });

  browse("works where the browser keeps nothing for the page", "/api/bars/", async (page) => {
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException("The document is sandboxed", "SecurityError");
          },
        });
      }
    });
    await page.reload();
    await give(page, await grant(site.sql));
    await rowOf(page).waitFor();
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByRole("checkbox", { name: "id" }).uncheck();
    await page.getByRole("columnheader", { name: "id" }).waitFor({ state: "hidden" });
    await link(page, "Bar one").click();
    await page.getByRole("heading", { level: 1, name: "Bar one" }).waitFor();
    await page.goBack();
    await rowOf(page).waitFor();
    assert.not(await page.getByRole("columnheader", { name: "id" }).isVisible());
    await page.keyboard.press("?");
    await page.getByLabel("Single keys do this").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    assert.is.not(await page.evaluate(() => document.activeElement?.id), "q");
  });

  browse("a token that the server does not know is refused", "/api/bars/", async (page) => {
    await give(page, "relata_unknown");
    await page.getByRole("alert").getByText("The server does not know this token").waitFor();
    assert.is(await page.evaluate(() => document.activeElement?.id), "token");
    await give(page, await grant(site.sql));
    await rowOf(page).waitFor();
  });

  browse("what is pasted and cannot be sent can be corrected", "/api/bars/", async (page) => {
    await give(page, "Bearer\u00a0relata_\u2026");
    await page.getByRole("alert").getByText("The server does not know this token").waitFor();
    await page.reload();
    await give(page, await grant(site.sql));
    await rowOf(page).waitFor();
  });

  browse("a token that may only read is offered no change", "/api/bars/1/", async (page) => {
    await give(page, await grant(site.sql));
    await page.getByRole("heading", { level: 1, name: "Bar one" }).waitFor();
    await page.getByText("Read only").waitFor();
    for (const name of ["Edit", "Delete"]) assert.is(await link(page, name).count(), 0, name);
    await page.goto(`${root}/docs/#/api/bars/`);
    await rowOf(page).waitFor();
    assert.is(await link(page, "New bar").count(), 0);
  });

  browse(
    "a token that may not is answered with a field for another",
    "/api/bars/",
    async (page) => {
      await give(page, await grant(site.sql));
      await rowOf(page).waitFor();
      await page.goto(`${root}/docs/#/api/bars/!new`);
      await page.getByLabel("name", { exact: true }).fill("Bar two");
      await page.getByRole("button", { name: "Create the bar" }).click();
      await page.getByRole("alert").getByText(/^403/).waitFor();
      await page.getByRole("heading", { name: "Another token may do this" }).waitFor();
    },
  );

  browse("a token that may write is offered each change", "/api/bars/1/", async (page) => {
    await give(page, await grant(site.sql, { scope: "write" }));
    await page.getByRole("heading", { level: 1, name: "Bar one" }).waitFor();
    for (const name of ["Edit", "Delete"]) await link(page, name).waitFor();
    assert.is(await page.getByText("Read only").count(), 0);
  });

  browse("the token is shown nowhere, and copied nowhere", "/api/bars/", async (page) => {
    const token = await grant(site.sql, { scope: "write" });
    await give(page, token);
    await rowOf(page).waitFor();
    for (const way of ["curl", "fetch"]) {
      const request = await copied(page, way);
      assert.match(request, /Bearer \$\{?TOKEN/);
      assert.not.match(request, token);
    }
    await page.goto(`${root}/docs/#/!token`);
    await page.getByLabel("Token", { exact: true }).waitFor();
    assert.not.match(await page.content(), token);
    assert.is(await page.getByLabel("Token", { exact: true }).inputValue(), "");
  });

  browse("a token that ends is asked for again where it is missed", "/api/bars/", async (page) => {
    await give(page, await grant(site.sql, { lasts: 2 }));
    await rowOf(page).waitFor();
    await page.getByText("Rows need a token here").waitFor({ state: "hidden" });
    await site.sql`update relata_token set revoked_at = now()`;
    await page.route("**/api/bars/**", (route) =>
      route.fulfill({
        status: 401,
        contentType: "application/problem+json",
        body: JSON.stringify({ title: "Unauthorized", detail: "The token is not valid" }),
      }));
    await link(page, "Bar one").click();
    await page.getByRole("heading", { name: "Rows need a token here" }).waitFor();
    await page.getByRole("alert").getByText("The server does not know this token").waitFor();
  });
}

runInBrowser(test, start, define);
