// What was typed into a form and not sent: in a real browser that is loaded anew.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertOpen, runInBrowser, saved, visit } from "./browser.ts";
import { field, startThings, submitted, THING } from "./things.ts";

const test = suite("drafts in a browser");
let things: Awaited<ReturnType<typeof startThings>>;

/** A test on the form of a thing that is there. */
function edit(title: string, work: (page: Page, id: number) => Promise<void>) {
  test(title, async () => {
    const { context, root } = things;
    const { body: { id } } = await things.send("POST /things/", THING);
    await visit(context, { root, path: `/docs/#/prefix/things/${id}/!edit` }, async (page) => {
      page.on("dialog", (dialog) => dialog.accept());
      await work(page, id);
    });
  });
}

const kept = (page: Page) => page.getByText("What was typed here before is kept");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

function define() {
  edit("are offered after the tab was loaded anew, and taken up", async (page) => {
    const form = page.url();
    await field(page, "name").fill("Half");
    await field(page, "genre").fill("roc");
    await page.reload();
    await kept(page).waitFor();
    assert.is.not(await field(page, "name").inputValue(), "Half");
    await assertOpen(page);
    await button(page, "Take it up").click();
    await page.getByText("1 field is changed").waitFor();
    assert.equal(
      [await field(page, "name").inputValue(), await field(page, "genre").inputValue()],
      ["Half", "roc"],
    );
    assert.is(await kept(page).count(), 0);
    // It is kept until it is sent
    await page.reload();
    await button(page, "Take it up").click();
    await field(page, "genre").fill("rocksteady");
    assert.equal((await submitted(page, "PATCH", /^Save/)).body.name, "Half");
    await saved(page);
    await page.goto(form);
    await field(page, "name").waitFor();
    assert.is(await kept(page).count(), 0);
  });

  edit("are merged with what another saved meanwhile", async (page, id) => {
    await field(page, "name").fill("Mine");
    await page.reload();
    await things.send(`PATCH /things/${id}/`, { name: "Theirs" });
    await button(page, "Take it up").click();
    await button(page, "Take it up").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Save/ }).click();
    await page.getByRole("heading", { name: "Both versions" }).waitFor();
  });

  edit("are thrown away on request, and by leaving the form", async (page) => {
    await field(page, "name").fill("Half");
    await page.reload();
    await button(page, "Throw it away").click();
    assert.is(await page.evaluate(() => document.activeElement?.tagName), "H1");
    await page.reload();
    await field(page, "name").waitFor();
    assert.is(await kept(page).count(), 0);
    const form = page.url();
    await field(page, "name").fill("Half");
    await page.getByRole("link", { name: "genres" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Genres" }).waitFor();
    await page.goto(form);
    await field(page, "name").waitFor();
    assert.is(await kept(page).count(), 0);
  });

  edit("are offered until somebody answers, wherever one goes", async (page) => {
    const form = page.url();
    await field(page, "name").fill("Half");
    for (const again of [() => page.reload(), () => page.reload(), () => page.goto(form)]) {
      await again();
      await kept(page).waitFor();
      await page.getByRole("link", { name: "genres" }).first().click();
      await page.getByRole("heading", { level: 1, name: "Genres" }).waitFor();
      await page.goBack();
      await kept(page).waitFor();
    }
    await button(page, "Throw it away").click();
    await page.reload();
    await field(page, "name").waitFor();
    assert.is(await kept(page).count(), 0);
  });

  edit("are not offered once somebody types anew", async (page) => {
    await field(page, "name").fill("Half");
    await page.reload();
    await kept(page).waitFor();
    await field(page, "name").fill("Anew");
    assert.is(await kept(page).count(), 0);
    await page.reload();
    await button(page, "Take it up").click();
    await page.getByText("1 field is changed").waitFor();
    assert.is(await field(page, "name").inputValue(), "Anew");
  });

  edit("are offered until they are taken up, whatever else is typed", async (page) => {
    await field(page, "name").fill("Half");
    await page.reload();
    await kept(page).waitFor();
    await page.reload();
    await kept(page).waitFor();
    await page.evaluate(() => {
      const other = document.querySelector("header, aside, nav") ?? document.body;
      other.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await button(page, "Take it up").click();
    await page.getByText("1 field is changed").waitFor();
    assert.is(await field(page, "name").inputValue(), "Half");
  });

  edit("are the newest where the browser has room for no more", async (page) => {
    await field(page, "name").fill("Older");
    const isFull = await page.evaluate(() => {
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = () => {
        throw new DOMException("Full", "QuotaExceededError");
      };
      return setItem !== Storage.prototype.setItem;
    });
    assert.ok(isFull);
    await field(page, "name").fill("Newer");
    // To the same address, which loads nothing anew
    await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    await button(page, "Take it up").click();
    await page.getByText("1 field is changed").waitFor();
    assert.is(await field(page, "name").inputValue(), "Newer");
  });

  test("are created once, where the answer was lost before the tab was loaded anew", async () => {
    const { context, root, sql } = things;
    await visit(context, { root, path: "/docs/#/prefix/genres/!new" }, async (page) => {
      page.on("dialog", (dialog) => dialog.accept());
      await page.route("**/genres/", async (route) => {
        if (route.request().method() !== "POST") return await route.continue();
        await route.fetch();
        await route.abort();
      }, { times: 1 });
      await field(page, "name").fill("Once and for all");
      await page.getByRole("button", { name: /^Create the genre/ }).click();
      await page.getByText("No answer came: it is being sent again").first().waitFor();
      await page.reload();
      await button(page, "Take it up").click();
      await button(page, "Take it up").waitFor({ state: "detached" });
      await submitted(page, "POST", /^Create the genre/);
      await page.getByRole("heading", { name: "Once and for all" }).waitFor();
      const rows = await sql`select id from genre where name = 'Once and for all'`;
      assert.is(rows.length, 1);
      assert.equal(
        await page.evaluate(() => Object.keys(sessionStorage).filter((key) => / sent /.test(key))),
        [],
      );
    });
  });

  edit("are nothing where what was typed is as it was", async (page) => {
    const name = await field(page, "name").inputValue();
    await field(page, "name").fill("Half");
    await field(page, "name").fill(name);
    await page.reload();
    await field(page, "name").waitFor();
    assert.is(await kept(page).count(), 0);
  });
}

runInBrowser(test, async () => things = await startThings(), define);
