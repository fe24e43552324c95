// Where others change, delete or refer to the same row meanwhile: both versions, and the question before a
// row is deleted. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertFits, assertOpen, barriers, hold, runInBrowser, saved, visit } from "./browser.ts";
import { errorOf, field, startThings, submitted, THING } from "./things.ts";

const test = suite("conflicts in a browser");
let things: Awaited<ReturnType<typeof startThings>>;

/** A test on a view of a new thing, with a page of its own. */
function browse(title: string, view: string, work: (page: Page, id: number) => Promise<void>) {
  test(title, async () => {
    const { id } = (await things.send("POST /things/", THING)).body;
    const path = `/docs/#/prefix/things/${id}/${view}`;
    await visit(things.context, { root: things.root, path }, async (page) => {
      if (view === "!edit") await field(page, "name").waitFor();
      await work(page, id);
    });
  });
}

const change = (id: number, body: unknown) => things.send(`PATCH /things/${id}/`, body);
const read = async (id: number) => (await things.send(`GET /things/${id}/`)).body;
const save = (page: Page, button = "Save") => submitted(page, "PATCH", button);
const conflict = (page: Page) =>
  page.getByRole("heading", { name: "Another was faster" }).waitFor();

/** The table of versions: each row as its cells. */
const versions = (page: Page) =>
  page.locator(".versions tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.trim()))
  );

const ask = (page: Page) => page.getByRole("dialog", { name: /^Delete/ }).waitFor();

function define() {
  browse("shows both versions, and a choice only where both changed", "!edit", async (page, id) => {
    await field(page, "price").fill("1.29");
    await field(page, "name").fill("Mine");
    await field(page, "genre").fill("Rock");
    await page.keyboard.press("Tab");
    await page.getByText("was Rocksteady").waitFor();
    await change(id, { price: "1.19", stock: 9, tags: [1], name: "Mine" });
    await save(page);
    await conflict(page);
    assert.equal(await versions(page), [
      ["price", "12.50", "1.29", "1.19"],
      ["name", "Thing", "Mine", "Mine"],
      ["stock", "5", "unchanged", "9"],
      ["genre", "Rocksteady", "Rock", "unchanged"],
      ["tags", "old\nslow", "unchanged", "loud"],
    ]);
    assert.is(await page.getByRole("radio").count(), 2);
    const { headers } = await things.send(`GET /things/${id}/`);
    const { body, tag } = await save(page, "Save this");
    assert.equal([body, tag], [{ price: "1.29", genre: 1 }, headers.get("etag")]);
    await saved(page);
    const { price, stock, genre, tags, moment } = await read(id);
    assert.equal(
      { price, stock, genre: genre.id, tags: tags.length, moment },
      { price: "1.29", stock: 9, genre: 1, tags: 1, moment: THING.moment },
    );
  });

  // The button that chooses, and the price that is stored
  for (const [choice, price] of [["Take theirs", "1.19"], ["Keep mine", "1.29"]] as const) {
    browse(`stores what "${choice}" chooses`, "!edit", async (page, id) => {
      await field(page, "price").fill("1.29");
      await field(page, "story").fill("Told");
      await change(id, { price: "1.19" });
      await save(page);
      await conflict(page);
      await page.getByRole("radio", { name: "price: theirs" }).check();
      await page.getByRole("button", { name: choice }).click();
      const { body } = await save(page, "Save this");
      assert.equal(body, { ...(price === "1.29" && { price }), story: "Told" });
      await saved(page);
      assert.is((await read(id)).price, price);
    });
  }

  browse(
    "merges by itself what different fields got, once it was seen",
    "!edit",
    async (page, id) => {
      await field(page, "story").fill("Told");
      await change(id, { stock: 9 });
      await save(page);
      await conflict(page);
      assert.is(await page.getByRole("radio").count(), 0);
      await save(page, "Save this");
      await saved(page);
      const { story, stock } = await read(id);
      assert.equal([story, stock], ["Told", 9]);
    },
  );

  browse(
    "asks nothing where only the row was renamed that it refers to",
    "!edit",
    async (page, id) => {
      const { body: genre } = await things.send("POST /genres/", { name: "Folk" });
      await change(id, { genre: genre.id });
      await page.reload();
      await field(page, "name").fill("Mine");
      await things.send(`PATCH /genres/${genre.id}/`, { name: "Folklore" });
      await save(page);
      await saved(page);
      const { name, genre: { name: now } } = await read(id);
      assert.equal([name, now], ["Mine", "Folklore"]);
    },
  );

  browse("shows a third version where a third was faster again", "!edit", async (page, id) => {
    await field(page, "price").fill("1.29");
    await change(id, { price: "1.19" });
    await save(page);
    await conflict(page);
    await change(id, { price: "1.09" });
    await save(page, "Save this");
    await page.getByRole("cell", { name: "1.09" }).waitFor();
    assert.equal(await versions(page), [["price", "1.19", "1.29", "1.09"]]);
    await save(page, "Save this");
    await saved(page);
    assert.is((await read(id)).price, "1.29");
  });

  browse(
    "goes back to the form where the choice is refused, and loses nothing",
    "!edit",
    async (page, id) => {
      await field(page, "price").fill("1.295");
      await field(page, "story").fill("Told");
      await change(id, { stock: 9 });
      // What is wrong in itself is refused first, so it has to become wrong on the way
      await field(page, "price").fill("1.29");
      await save(page);
      await conflict(page);
      await page.route(`**/things/${id}/`, (route) =>
        route.fulfill({
          status: 422,
          contentType: "application/problem+json",
          json: {
            title: "Invalid",
            status: 422,
            detail: "One field fails",
            errors: [{ pointer: "/price", code: "rejected", detail: "Too cheap" }],
          },
        }));
      await save(page, "Save this");
      await errorOf(page, "price").getByText("Too cheap").waitFor();
      await page.unroute(`**/things/${id}/`);
      assert.is(await field(page, "story").inputValue(), "Told");
      assert.is(await field(page, "stock").inputValue(), "9");
      await page.getByText("was 12.50").waitFor();
      await field(page, "price").fill("2.00");
      const { body } = await save(page);
      assert.equal(body, { price: "2.00", story: "Told" });
      await saved(page);
    },
  );

  browse("knows its own change whose answer was lost", "!edit", async (page, id) => {
    let count = 0;
    await page.route(`**/things/${id}/`, async (route) => {
      if (route.request().method() !== "PATCH" || count++ > 0) return await route.continue();
      await route.fetch();
      await route.abort();
    });
    await field(page, "price").fill("1.29");
    await save(page);
    await saved(page);
    await page.getByText("Marked below: price").waitFor();
    assert.is((await read(id)).price, "1.29");
  });

  browse("keeps what was typed where the row is deleted meanwhile", "!edit", async (page, id) => {
    await field(page, "price").fill("1.29");
    await things.send(`DELETE /things/${id}/`);
    await save(page);
    await page.getByRole("alert").filter({ hasText: "404" }).waitFor();
    assert.is(await field(page, "price").inputValue(), "1.29");
  });

  browse("takes no other choice while it saves the chosen one", "!edit", async (page, id) => {
    await field(page, "price").fill("1.29");
    await change(id, { price: "1.19" });
    await save(page);
    await conflict(page);
    const arrive = await hold(page, `**/things/${id}/`);
    await save(page, "Save this");
    const isInert = await page.getByLabel("price: theirs").evaluate((radio) =>
      radio.closest("[inert]") !== null
    );
    assert.ok(isInert);
    arrive();
    await saved(page);
  });

  browse("asks before both versions are left", "!edit", async (page, id) => {
    await field(page, "price").fill("1.29");
    await change(id, { price: "1.19" });
    await save(page);
    await conflict(page);
    page.once("dialog", (dialog) => dialog.dismiss());
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Throw my changes away" }).waitFor();
    page.once("dialog", (dialog) => dialog.accept());
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => url.hash.endsWith(`/things/${id}/`));
  });

  browse("asks before it deletes, and keeps by default", "", async (page, id) => {
    await page.getByRole("link", { name: "Delete" }).click();
    await ask(page);
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.is(focused, "Keep it");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.hash.endsWith(`/things/${id}/`));
    assert.is((await things.send(`GET /things/${id}/`)).status, 200);
  });

  browse("deletes under the tag of what was seen", "!delete", async (page, id) => {
    const { headers } = await things.send(`GET /things/${id}/`);
    await ask(page);
    const { tag } = await submitted(page, "DELETE", "Delete the thing");
    assert.is(tag, headers.get("etag"));
    await page.waitForURL((url) => url.hash.endsWith("/things/"));
    const told = page.getByRole("main").getByText(`Deleted: thing ${id}`, { exact: true });
    await told.waitFor();
    assert.is((await things.send(`GET /things/${id}/`)).status, 404);
    await page.reload();
    await page.locator(".blank, tbody th").first().waitFor();
    assert.is(await told.count(), 0, "it is told once");
  });

  browse("sends one request for a double click", "!delete", async (page, id) => {
    await ask(page);
    let count = 0;
    await page.route(`**/things/${id}/`, async (route) => {
      if (route.request().method() === "DELETE") count++;
      await route.continue();
    });
    await page.getByRole("button", { name: "Delete the thing" }).dblclick();
    await page.getByText(`Deleted: thing ${id}`, { exact: true }).first().waitFor();
    assert.is(count, 1);
  });

  browse("keeps nothing that is being deleted", "!delete", async (page, id) => {
    await ask(page);
    const arrive = await hold(page, `**/things/${id}/`);
    await submitted(page, "DELETE", "Delete the thing");
    assert.ok(await page.getByRole("button", { name: "Keep it" }).isDisabled());
    await page.keyboard.press("Escape");
    await ask(page);
    arrive();
    await page.getByText(`Deleted: thing ${id}`, { exact: true }).first().waitFor();
  });

  browse(
    "says that a row is deleted where the first answer was lost",
    "!delete",
    async (page, id) => {
      await ask(page);
      await page.route(`**/things/${id}/`, async (route) => {
        if (route.request().method() !== "DELETE") return await route.continue();
        await route.fetch();
        await route.abort();
        await page.unroute(`**/things/${id}/`);
      });
      await submitted(page, "DELETE", "Delete the thing");
      await page.getByRole("alert").filter({ hasText: "No answer came" }).waitFor();
      assert.is((await things.send(`GET /things/${id}/`)).status, 404);
      await submitted(page, "DELETE", "Delete the thing");
      await page.getByText(`Deleted: thing ${id}, which was gone already`).first().waitFor();
      assert.match(page.url(), /\/things\/$/);
      assert.is(await page.getByRole("dialog").count(), 0);
    },
  );

  browse(
    "deletes nothing that was changed meanwhile, and shows what is there",
    "!delete",
    async (page, id) => {
      await ask(page);
      await change(id, { name: "Changed" });
      await submitted(page, "DELETE", "Delete the thing");
      await page.getByRole("heading", { name: "Not deleted: it was changed meanwhile" }).waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.locator("dd").getByText("Changed", { exact: true }).waitFor();
    },
  );

  test("says who still refers to a row, and leads there", async () => {
    await things.send("POST /things/", { ...THING, genre: 1 });
    await things.send("POST /spares/", { genre: 1 });
    const path = "/docs/#/prefix/genres/1/!delete";
    await visit(things.context, { root: things.root, path }, async (page) => {
      await ask(page);
      await submitted(page, "DELETE", "Delete the genre");
      const dialog = page.getByRole("dialog", { name: "Not deleted: it is still referred to" });
      await dialog.waitFor();
      assert.equal(await barriers(page), []);
      const links = await dialog.getByRole("link").evaluateAll((all) =>
        all.map((link) => link.getAttribute("href"))
      );
      assert.ok(links.length > 0);
      for (const link of links) assert.match(link!, /^#\/prefix\/(things|spares)\/\?genre=1$/);
      await dialog.getByRole("link").first().click();
      await page.waitForURL((url) => url.hash === links[0]);
      await dialog.waitFor({ state: "detached" });
    });
  });

  browse("has no barrier in both versions, and fits in 320 pixels", "!edit", async (page, id) => {
    await field(page, "price").fill("1.29");
    await field(page, "name").fill("שלום");
    await field(page, "story").fill("x".repeat(300));
    await change(id, { price: "1.19", name: "Other", tags: [] });
    await save(page);
    await conflict(page);
    await assertOpen(page);
    for (const width of [320, 1280]) {
      await assertFits(page, width);
      // A long text leaves the other columns their room
      const cells = page.locator(".versions td");
      assert.ok(
        await cells.evaluateAll((all) =>
          all.every(({ clientWidth, scrollWidth }) =>
            clientWidth > 100 && scrollWidth <= clientWidth
          )
        ),
      );
    }
    page.once("dialog", (dialog) => dialog.accept());
  });
}

runInBrowser(test, async () => things = await startThings(), define);
