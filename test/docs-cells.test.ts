// Editing in the list: cells that can be changed become fields, what is typed is gathered, and saved row by row. In a real
// browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page, Request } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertOpen, barriers, hold, press, runInBrowser, visit } from "./browser.ts";
import { startThings, THING, told } from "./things.ts";

const test = suite("cells in a browser");
let things: Awaited<ReturnType<typeof startThings>>;

/** A test on a list of new things, the newest first, whose cells are open for editing. */
function browse(
  title: string,
  count: number,
  work: (page: Page, ids: number[]) => Promise<void>,
  body: (index: number) => object = () => ({}),
) {
  test(title, async () => {
    const ids: number[] = [];
    for (let index = 0; index < count; index++) {
      ids.unshift((await things.send("POST /things/", { ...THING, ...body(index) })).body.id);
    }
    const path = `/docs/#/prefix/things/?id__in=${ids}`;
    await visit(things.context, { root: things.root, path }, async (page) => {
      await button(page, "Edit in the list").click();
      await cell(page, ids[0]!, "name").waitFor();
      await work(page, ids);
    });
  });
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
/** What has the focus in a cell, whether somebody types in it or not. */
const cell = (page: Page, id: number, name: string) =>
  page.locator(`tr:has([aria-label="Select thing ${id}"]) [data-label=${name}]`)
    .locator("button, input, select, textarea");
const says = (page: Page, text: string) =>
  page.locator(".deck").getByText(text, { exact: true }).waitFor();
const outcome = (page: Page, id: number) => page.locator(`#told-${id}`);
const change = (id: number, body: unknown) => things.send(`PATCH /things/${id}/`, body);
const read = async (id: number) => (await things.send(`GET /things/${id}/`)).body;
const tagOf = async (id: number) => (await things.send(`GET /things/${id}/`)).headers.get("etag");

/** Types into a cell in place of what it holds. */
async function type(page: Page, id: number, name: string, text: string) {
  await cell(page, id, name).click();
  await page.keyboard.type(text);
}

function writes(page: Page): Request[] {
  const sent: Request[] = [];
  page.on("request", (request) => request.method() !== "GET" && sent.push(request));
  return sent;
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

function define() {
  browse("gathers what is typed, and saves it row by row", 3, async (page, ids) => {
    const [first = 0, second = 0] = ids;
    const tags = await Promise.all([tagOf(first), tagOf(second)]);
    const sent = writes(page);
    await type(page, first, "price", "9.90");
    await type(page, first, "stock", "7");
    await type(page, second, "price", "8.80");
    await says(page, "3 changes in 2 rows");
    assert.equal(sent, []);
    await button(page, "Review…").click();
    const lines = page.getByRole("dialog", { name: "3 changes in 2 rows" }).locator("tbody tr");
    assert.equal(
      await lines.evaluateAll((all) =>
        all.map((line) => [...line.children].map((cell) => cell.textContent))
      ),
      [
        [`thing ${first} · stock`, "5", "7"],
        [`thing ${first} · price`, "12.50", "9.90"],
        [`thing ${second} · price`, "12.50", "8.80"],
      ],
    );
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await says(page, "2 saved");
    assert.equal(sent.map(told).map(({ path, body, tag }) => ({ path, body, tag })), [
      { path: `/prefix/things/${first}/`, body: { stock: 7, price: "9.90" }, tag: tags[0] },
      { path: `/prefix/things/${second}/`, body: { price: "8.80" }, tag: tags[1] },
    ]);
    assert.is(await page.locator("tbody tr.saved").count(), 2);
    assert.is(await page.getByText("changes in").isVisible(), false);
  });

  browse("forgets what was typed into a row that is then deleted", 2, async (page, ids) => {
    const [first = 0, second = 0] = ids;
    await type(page, first, "stock", "7");
    await type(page, second, "stock", "8");
    await says(page, "2 changes in 2 rows");
    await page.getByLabel(`Select thing ${first}`).check();
    await button(page, "Delete…").click();
    await button(page, "Delete 1 thing").click();
    await says(page, "1 deleted");
    await says(page, "1 change in 1 row");
  });

  browse("has the control of each kind", 1, async (page, [id = 0]) => {
    await type(page, id, "name", "New");
    await type(page, id, "story", "Told");
    await type(page, id, "stock", "7");
    await type(page, id, "ratio", "0.75");
    await type(page, id, "price", "1.29");
    await cell(page, id, "agreed").check();
    await cell(page, id, "day").click();
    await cell(page, id, "day").fill("2026-12-24");
    await cell(page, id, "status").selectOption("draft");
    await cell(page, id, "status").selectOption("final");
    await type(page, id, "genre", "Jazz");
    await page.getByRole("option", { name: "Jazz" }).first().click();
    await says(page, "8 changes in 1 row");
    assert.equal(await page.locator("td.changed").count(), 8);
    assert.is(
      await page.locator("td.changed[data-label=price]").getAttribute("title"),
      "was 12.50",
    );
    await button(page, "Save").click();
    await says(page, "1 saved");
    const { name, story, stock, ratio, price, agreed, day, genre } = await read(id);
    assert.equal(
      { name, story, stock, ratio, price, agreed, day, genre: genre.name },
      {
        name: "New",
        story: "Told",
        stock: 7,
        ratio: 0.75,
        price: "1.29",
        agreed: true,
        day: "2026-12-24",
        genre: "Jazz",
      },
    );
  });

  browse("moves as in a spreadsheet", 3, async (page, ids) => {
    const [first = 0, second = 0, third = 0] = ids;
    await cell(page, first, "price").focus();
    await page.keyboard.type("1.10");
    await press(page, "Enter");
    assert.is(await focused(page), `price of thing ${second}`);
    await press(page, "ArrowDown");
    assert.is(await focused(page), `price of thing ${third}`);
    await press(page, "Enter");
    assert.is(await focused(page), `price of thing ${third}`);
    await press(page, "ArrowUp");
    await page.keyboard.type("2.20");
    await press(page, "Tab");
    assert.is(await focused(page), `agreed of thing ${second}`);
    await press(page, "Space", "Shift+Tab", "Shift+Tab");
    assert.is(await focused(page), `ratio of thing ${second}`);
    await says(page, "3 changes in 2 rows");
    await press(page, "Tab", "Escape");
    assert.is(await focused(page), `price of thing ${second}`);
    assert.is(await cell(page, second, "price").inputValue(), "12.50");
    await says(page, "2 changes in 2 rows");
    await press(page, "Control+Enter");
    await says(page, "2 saved");
    await page.waitForFunction(
      (label) => document.activeElement?.getAttribute("aria-label") === label,
      `price of thing ${second}`,
    );
    assert.equal([(await read(first)).price, (await read(second)).agreed], ["1.10", true]);
  });

  browse("asks nothing of the server, and is remembered in the tab", 2, async (page, ids) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await button(page, "Edit in the list").click();
    await page.getByRole("link", { name: String(ids[0]), exact: true }).waitFor();
    await button(page, "Edit in the list").click();
    await cell(page, ids[0]!, "genre").waitFor();
    assert.equal(asked, []);
    // Nor is any cell measured, which takes long where there are many
    const measured = await page.evaluate(async () => {
      let count = 0;
      const { get } = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "offsetWidth")!;
      Object.defineProperty(HTMLElement.prototype, "offsetWidth", {
        get() {
          if (this.closest(".cell")) count++;
          return get!.call(this);
        },
      });
      const toggle = [...document.querySelectorAll("button")]
        .find(({ textContent }) => textContent === "Edit in the list")!;
      toggle.click();
      toggle.click();
      while (!document.querySelector("td.cell select, td.cell input")) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      return count;
    });
    assert.is(measured, 0);
    await page.reload();
    await cell(page, ids[0]!, "name").waitFor();
  });

  browse("a row that is refused keeps what was typed", 2, async (page, ids) => {
    const [first = 0, second = 0] = ids;
    await type(page, first, "price", "1.00");
    await type(page, second, "price", "2.00");
    await button(page, "Save").click();
    await says(page, "1 saved, 1 not saved");
    await outcome(page, first).getByText("A draft costs nothing").waitFor();
    await says(page, "1 change in 1 row");
    assert.match(await cell(page, first, "price").innerText(), /1\.00/);
    assert.equal(await barriers(page), []);
    await cell(page, first, "status").selectOption("final");
    await button(page, "Save").click();
    await says(page, "1 saved");
    const { price, status } = await read(first);
    assert.equal([price, status], ["1.00", "final"]);
  }, (index) => index === 1 ? { status: "draft", price: "0.00" } : {});

  browse("keeps both changes where another has changed other fields", 1, async (page, [id = 0]) => {
    await change(id, { stock: 7 });
    await type(page, id, "price", "1.00");
    await button(page, "Save").click();
    await outcome(page, id).getByText("Another changed stock meanwhile; both changes are kept.")
      .waitFor();
    const { price, stock } = await read(id);
    assert.equal([price, stock], ["1.00", 7]);
  });

  // What is chosen, and the price that is stored
  for (const [whose, stored] of [["mine", "1.00"], ["theirs", "3.00"]] as const) {
    browse(`stores ${whose} where both changed the same`, 2, async (page, ids) => {
      const [first = 0, second = 0] = ids;
      await change(first, { price: "3.00", stock: 7 });
      await type(page, first, "price", "1.00");
      await type(page, first, "name", "Mine");
      await type(page, second, "price", "2.00");
      await button(page, "Save").click();
      await says(page, "1 saved, 1 not saved");
      await outcome(page, first).getByText("price is now 3.00, was 12.50").waitFor();
      assert.is((await read(first)).price, "3.00");
      await button(page, "Save").click();
      const dialog = page.getByRole("dialog", { name: "2 changes in 1 row" });
      await dialog.getByText("12.50").waitFor();
      await assertOpen(page);
      await dialog.getByLabel(`price of thing ${first}: ${whose}`).check();
      const sent = writes(page);
      await dialog.getByRole("button", { name: "Save" }).click();
      await says(page, "1 saved");
      assert.is(sent.length, 1);
      const { price, stock, name } = await read(first);
      assert.equal([price, stock, name], [stored, 7, "Mine"]);
    });
  }

  browse("knows its own change whose answer was lost", 1, async (page, [id = 0]) => {
    let count = 0;
    await page.route(`**/things/${id}/`, async (route) => {
      if (count++ > 0) return await route.continue();
      await route.fetch();
      await route.abort();
    });
    await type(page, id, "price", "1.00");
    await button(page, "Save").click();
    await says(page, "1 saved");
    assert.equal([(await read(id)).price, count], ["1.00", 2]);
  });

  for (
    const [title, save] of [
      ["the keys that save", (page: Page) => press(page, "Control+Enter")],
      ["a click", (page: Page) => button(page, "Save").click()],
    ] as const
  ) {
    browse(
      `saves a relation that is typed but not picked, by ${title}`,
      1,
      async (page, [id = 0]) => {
        await type(page, id, "price", "1.00");
        await page.route("**/choices/**", async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await route.continue();
        });
        await type(page, id, "genre", "rock");
        await save(page);
        await says(page, "1 saved");
        const { price, genre } = await read(id);
        assert.equal([price, genre.name], ["1.00", "Rock"]);
      },
    );
  }

  browse("does not save a row in which something is no value", 2, async (page, ids) => {
    const [first = 0, second = 0] = ids;
    await type(page, first, "price", "1.00");
    await type(page, second, "price", "2.00");
    await type(page, first, "genre", "Polka");
    await press(page, "Control+Enter");
    await outcome(page, first).getByText("genre: No candidate has this text").waitFor();
    await says(page, "1 saved");
    await says(page, "1 change in 1 row");
    assert.is(await cell(page, first, "genre").inputValue(), "Polka");
    assert.equal([(await read(first)).price, (await read(second)).price], ["12.50", "2.00"]);
    await button(page, "Undo all").click();
  });

  browse("leaves the focus where somebody went on meanwhile", 2, async (page, ids) => {
    const [first = 0, second = 0] = ids;
    const letThrough = await hold(page, `**/things/${first}/`);
    await type(page, first, "price", "1.00");
    await press(page, "Control+Enter");
    await button(page, "Stop").waitFor();
    await cell(page, second, "price").click();
    await page.keyboard.type("2.");
    // What is being saved can neither be put back nor saved again
    assert.ok(await page.locator(".deck [inert]").getByText("Undo all").isVisible());
    letThrough();
    await says(page, "1 saved");
    await page.keyboard.type("50");
    assert.is(await cell(page, second, "price").inputValue(), "2.50");
    await button(page, "Undo all").click();
  });

  browse("stops where the server has too much to do", 2, async (page, ids) => {
    await page.route(
      "**/things/*/",
      (route) =>
        route.request().method() === "PATCH"
          ? route.fulfill({
            status: 429,
            headers: { "retry-after": "3600" },
            json: { detail: "Too many requests" },
          })
          : route.continue(),
    );
    await type(page, ids[0]!, "price", "1.00");
    await button(page, "Save").click();
    await outcome(page, ids[0]!).getByText("it is sent again in 3600 s").waitFor();
    await button(page, "Stop").click();
    await says(page, "1 not saved");
    await outcome(page, ids[0]!).getByText("Too many requests").waitFor();
    await says(page, "1 change in 1 row");
    await button(page, "Undo all").click();
  });

  browse("puts everything back at once", 2, async (page, ids) => {
    await type(page, ids[0]!, "price", "1.00");
    await type(page, ids[1]!, "name", "New");
    await button(page, "Undo all").click();
    assert.is(await page.locator(".cell.changed").count(), 0);
    assert.match(await cell(page, ids[0]!, "price").innerText(), /12\.50/);
    assert.not(await page.locator(".deck").isVisible());
  });

  browse("asks before changes are left, by whatever way", 2, async (page, ids) => {
    await type(page, ids[0]!, "price", "1.00");
    const ways = [
      () => button(page, "id").click(),
      () => page.evaluate(() => location.hash = "#/"),
      () => button(page, "Edit in the list").click(),
    ];
    for (const way of ways) {
      const asked = page.waitForEvent("dialog").then((dialog) => dialog.dismiss());
      await way();
      await asked;
      await says(page, "1 change in 1 row");
    }
    page.once("dialog", (dialog) => dialog.accept());
    await button(page, "Edit in the list").click();
    await page.locator(".deck").waitFor({ state: "hidden" });
    assert.is(await page.locator("tbody [data-label=price]").first().innerText(), "12.50");
  });

  browse(
    "keeps a text that is no candidate in its cell, and says so",
    1,
    async (page, [id = 0]) => {
      await type(page, id, "genre", "Polka");
      await press(page, "Tab");
      await outcome(page, id).getByText("genre: No candidate has this text").waitFor();
      assert.is(await cell(page, id, "genre").inputValue(), "Polka");
      // It is no change yet, and would be lost
      const asked = page.waitForEvent("dialog").then((dialog) => dialog.dismiss());
      await page.evaluate(() => location.hash = "#/");
      await asked;
      await cell(page, id, "genre").focus();
      await press(page, "Escape", "Escape");
      assert.is(await cell(page, id, "genre").inputValue(), "Rocksteady");
      await page.locator(`#told-${id}`).waitFor({ state: "detached" });
    },
  );

  browse("has what was typed again after somebody signed in", 2, async (page, ids) => {
    const [id = 0] = ids;
    const { price, ...before } = { ...THING };
    await page.evaluate((draft) => {
      history.replaceState({ draft }, "");
      dispatchEvent(new PopStateEvent("popstate"));
    }, { [id]: { etag: await tagOf(id), before: { ...before, price }, edits: { price: "1.00" } } });
    await says(page, "1 change in 1 row");
    await button(page, "Save").click();
    await says(page, "1 saved");
    assert.is((await read(id)).price, "1.00");
  });

  browse("has no barrier, on a phone and a screen", 2, async (page, ids) => {
    await type(page, ids[0]!, "price", "1.00");
    await assertOpen(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await type(page, ids[1]!, "price", "2.00");
    await says(page, "2 changes in 2 rows");
    await type(page, ids[1]!, "genre", "a");
    await page.getByRole("listbox").waitFor();
    const { left, right } = await page.getByRole("listbox").evaluate((list) => {
      const { left, right } = list.getBoundingClientRect();
      return { left, right };
    });
    assert.ok(left >= 0 && right <= 390, `${left} to ${right}`);
    await press(page, "Escape", "Escape");
    await button(page, "Review…").click();
    await assertOpen(page);
    await button(page, "Go on editing").click();
    await button(page, "Undo all").click();
  });

  test("empties what may be null, and leaves alone what has no room in a cell", async () => {
    const { id } = (await things.send("POST /spares/", { note: "Note", size: 3 })).body;
    const path = `/docs/#/prefix/spares/?id__in=${id}`;
    await visit(things.context, { root: things.root, path }, async (page) => {
      await page.locator("summary", { hasText: "Columns" }).click();
      for (const name of ["note", "size"]) await page.getByLabel(name, { exact: true }).check();
      await press(page, "Escape");
      await button(page, "Edit in the list").click();
      for (const name of ["note", "size"]) {
        await button(page, new RegExp(`^${name} of spare`)).click();
        await press(page, "Delete");
      }
      assert.is(await page.locator(".cell[data-label=moment]").count(), 0);
      const sent = writes(page);
      await button(page, "Save").click();
      await says(page, "1 saved");
      assert.equal(sent.map(told).map(({ body }) => body), [{ note: null, size: null }]);
      // An empty text is a value too: it becomes nothing by nobody's will
      await things.send(`PATCH /spares/${id}/`, { note: "" });
      await page.reload();
      await button(page, /^note of spare/).click();
      await press(page, "x", "Backspace", "Tab");
      assert.not(await page.locator(".deck").isVisible());
      await page.evaluate(() => localStorage.clear());
    });
  });
}

runInBrowser(test, async () => things = await startThings(), define);
