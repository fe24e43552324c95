// Ticks before the rows of a list, and what is done with all that are ticked: they are changed or deleted, each under the
// tag of what somebody saw. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page, Request } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { announced, assertOpen, barriers, hold, press, runInBrowser, visit } from "./browser.ts";
import { startThings, THING, told } from "./things.ts";

const test = suite("many rows in a browser");
let things: Awaited<ReturnType<typeof startThings>>;

/** A test on a list of new things, the newest first. */
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
      await ticks(page).nth(count - 1).waitFor({ state: "attached" });
      await work(page, ids);
    });
  });
}

const ticks = (page: Page) => page.locator("tbody .tick input");
const all = (page: Page) => page.getByLabel("Select all on this page");
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const bar = (page: Page) => page.locator(".deck");
const says = (page: Page, text: string) => bar(page).getByText(text, { exact: true }).waitFor();
/** What is told below a row. */
const outcome = (page: Page, id: number) => page.locator(`#told-${id}`);
const change = (id: number, body: unknown) => things.send(`PATCH /things/${id}/`, body);
const read = async (id: number) => (await things.send(`GET /things/${id}/`)).body;
const tagOf = async (id: number) => (await things.send(`GET /things/${id}/`)).headers.get("etag");
const checked = (page: Page) =>
  ticks(page).evaluateAll((all) => all.map((tick) => (tick as HTMLInputElement).checked));

/** The writes that a page sends from now on. */
function writes(page: Page): Request[] {
  const sent: Request[] = [];
  page.on("request", (request) => request.method() !== "GET" && sent.push(request));
  return sent;
}

/** Opens the form that changes those that are ticked, and gives a field its value. */
async function fill(page: Page, name: string, value: string) {
  await button(page, "Change…").click();
  await page.locator(`#pick-${name}`).click();
  await page.locator(`#many-${name}`).fill(value);
}

async function changeAll(page: Page, name: string, value: string) {
  await all(page).check();
  await fill(page, name, value);
  await button(page, /^Change \d+ thing/).click();
}

function define() {
  browse("asks for the tags with the rows, and for nothing else", 2, async (page, ids) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    await ticks(page).nth(1).waitFor();
    await ticks(page).first().check();
    await button(page, "Change…").click();
    await page.getByRole("dialog").waitFor();
    const api = asked.filter((url) => !/\/docs\/|openapi/.test(url)).map((url) =>
      url.slice(things.root.length)
    );
    assert.equal(api, [
      `/things/?id__in=${ids.join("%2C")}&sort=-id&etags=true`,
    ]);
    await page.keyboard.press("Escape");
  });

  test("has no ticks, and asks for no tags, where nothing can be changed", async () => {
    await things.send("POST /bares/", { name: "Bare" });
    const path = "/docs/#/prefix/bares/";
    await visit(things.context, { root: things.root, path }, async (page) => {
      await page.locator("tbody tr").first().waitFor();
      assert.is(await page.locator(".request code").innerText(), "GET /prefix/bares/?sort=-id");
      assert.equal([await ticks(page).count(), await all(page).count()], [0, 0]);
      assert.is(await button(page, "Edit in the list").count(), 0);
    });
  });

  browse("the pages that follow have addresses without tags", 3, async (page, ids) => {
    await page.goto(`${things.root}/docs/#/prefix/things/?id__in=${ids}&limit=2`);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.waitForURL(/cursor=/);
    assert.not.match(page.url(), /etags/);
    await page.waitForFunction(() => document.querySelectorAll("tbody .tick").length === 1);
  });

  browse("ticks one, some and all, and says how many", 4, async (page) => {
    assert.not(await bar(page).isVisible());
    const place = () => page.locator("tbody tr").nth(1).boundingBox();
    const before = await place();
    await ticks(page).nth(1).check();
    await says(page, "1 row selected");
    assert.equal(await place(), before, "nothing moves");
    assert.ok(await all(page).evaluate((tick) => (tick as HTMLInputElement).indeterminate));
    assert.ok((await announced(page)).includes("1 row selected"));
    await ticks(page).nth(3).click({ modifiers: ["Shift"] });
    assert.equal(await checked(page), [false, true, true, true]);
    await ticks(page).nth(2).click({ modifiers: ["Shift"] });
    assert.equal(await checked(page), [false, true, false, false]);
    await button(page, "Select all").click();
    await says(page, "4 rows selected");
    assert.not(await button(page, "Select all").isVisible());
    await button(page, "Clear").click();
    assert.not(await bar(page).isVisible());
    assert.equal(await checked(page), [false, false, false, false]);
  });

  browse("changes each row under its own tag, but for those that have it", 3, async (page, ids) => {
    const tags = await Promise.all(ids.map(tagOf));
    const sent = writes(page);
    await all(page).check();
    await fill(page, "price", "9.90");
    const dialog = page.getByRole("dialog", { name: "Change 3 things" });
    await dialog.getByText("1 thing has this already.").waitFor();
    await dialog.getByText(`/prefix/things/${ids[0]}/`).waitFor();
    await button(page, "Change 2 things").click();
    await says(page, "2 saved · 1 row selected");
    assert.equal(
      sent.map(told).map(({ path, body, tag }) => ({ path, body, tag })),
      [0, 1].map((index) => ({
        path: `/prefix/things/${ids[index]}/`,
        body: { price: "9.90" },
        tag: tags[index],
      })),
    );
    await outcome(page, ids[2]!).getByText("It has this already.").waitFor();
    assert.is(await page.locator("tbody tr.saved").count(), 2);
    assert.equal(
      await page.locator("tbody [data-label=price]").allInnerTexts(),
      ["9.90", "9.90", "9.90"],
    );
  }, (index) => index === 0 ? { price: "9.90" } : {});

  browse("tells how to write what is refused", 1, async (page, [id = 0]) => {
    await all(page).check();
    await fill(page, "price", "free");
    await button(page, "Change 1 thing").click();
    await outcome(page, id).getByText("price: Write a number such as", { exact: false }).waitFor();
  });

  browse("adds to the tags that each has, or replaces them", 2, async (page, ids) => {
    const sent = writes(page);
    const tags = () =>
      Promise.all(ids.map(async (id) => {
        return (await read(id)).tags.map((tag: { id: number }) => tag.id);
      }));
    await all(page).check();
    await fill(page, "tags", "loud");
    await button(page, /^Change$/).waitFor();
    await page.keyboard.press("Enter");
    await button(page, "Change 2 things").click();
    await says(page, "2 saved");
    assert.equal(await tags(), [[3, 2, 1], [2, 1]]);
    await all(page).check();
    await button(page, "Change…").click();
    await page.getByText("2 things have this already.").waitFor();
    await page.getByLabel("In the place of what each has").check();
    await assertOpen(page);
    await button(page, "Change 2 things").click();
    await says(page, "2 saved");
    assert.equal(await tags(), [[1], [1]]);
    assert.is(sent.length, 4);
  }, (index) => index === 0 ? { tags: [2] } : {});

  browse("a row that is refused stays ticked among those that are saved", 3, async (page, ids) => {
    await changeAll(page, "price", "5.00");
    await says(page, "2 saved, 1 not saved · 1 row selected");
    await outcome(page, ids[1]!).getByText("A draft costs nothing").waitFor();
    assert.equal(await checked(page), [false, true, false]);
    await button(page, "Change…").click();
    assert.is(await page.locator("#many-price").inputValue(), "5.00");
    await page.locator("#pick-status").click();
    await page.locator("#many-status").selectOption("final");
    await button(page, "Change 1 thing").click();
    await says(page, "1 saved");
    const { price, status } = await read(ids[1]!);
    assert.equal([price, status], ["5.00", "final"]);
  }, (index) => index === 1 ? { status: "draft", price: "0.00" } : {});

  browse(
    "asks where another was faster, and applies it to what is there now",
    2,
    async (page, ids) => {
      const [first = 0] = ids;
      await change(first, { stock: 7 });
      await changeAll(page, "price", "5.00");
      await says(page, "1 saved, 1 not saved · 1 row selected");
      await outcome(page, first).getByText("stock is now 7, was 5").waitFor();
      assert.is((await read(first)).price, "12.50");
      assert.is(await page.locator("tbody [data-label=stock]").first().innerText(), "7");
      const tag = await tagOf(first);
      const sent = writes(page);
      await button(page, "Apply anyway").click();
      await says(page, "1 saved");
      assert.equal(sent.map(told).map(({ tag }) => tag), [tag]);
      const { price, stock } = await read(first);
      assert.equal([price, stock], ["5.00", 7]);
    },
  );

  browse("sends again what got no answer, and does it once", 2, async (page, ids) => {
    let count = 0;
    await page.route(`**/things/${ids[0]}/`, async (route) => {
      if (count++ > 0) return await route.continue();
      await route.fetch();
      await route.abort();
    });
    await changeAll(page, "price", "5.00");
    await outcome(page, ids[0]!).getByText("it is being sent again").waitFor();
    await says(page, "2 saved");
    assert.is(count, 2);
    assert.is((await read(ids[0]!)).price, "5.00");
  });

  browse("says which rows are gone", 2, async (page, ids) => {
    await things.send(`DELETE /things/${ids[1]}/`);
    await changeAll(page, "price", "5.00");
    await outcome(page, ids[1]!).getByText("somebody has deleted it").waitFor();
    await says(page, "1 saved, 1 not saved · 1 row selected");
  });

  browse("shows how far it is, and stops", 6, async (page, ids) => {
    const arrive = await hold(page, "**/things/*/");
    await changeAll(page, "price", "5.00");
    await says(page, "0 of 6 · 6 rows selected");
    assert.is(await page.evaluate(() => document.activeElement?.textContent), "Stop");
    await button(page, "Stop").click();
    arrive();
    await says(page, "3 saved, 3 not sent · 3 rows selected");
    const prices = await Promise.all(ids.map(async (id) => (await read(id)).price));
    assert.is(prices.filter((price) => price === "5.00").length, 3);
  });

  browse("lets somebody in where the token has run out, and goes on", 2, async (page) => {
    let isShut = true;
    await page.route(
      "**/things/*/",
      (route) =>
        isShut ? route.fulfill({ status: 401, json: { title: "Unauthorized" } }) : route.continue(),
    );
    await changeAll(page, "price", "5.00");
    const dialog = page.getByRole("dialog", { name: "The rest is not sent yet" });
    await dialog.waitFor();
    isShut = false;
    await dialog.getByLabel("Token", { exact: true }).fill("token");
    await button(page, "Use this token").click();
    await says(page, "2 saved");
    await page.evaluate(() => sessionStorage.clear());
  });

  browse("sends nothing without a value, and asks before it is left", 2, async (page) => {
    const sent = writes(page);
    await all(page).check();
    await button(page, "Change…").click();
    assert.ok(await button(page, /^Change$/).isDisabled());
    for (const name of ["name", "genre", "tags", "stock"]) {
      await page.locator(`#pick-${name}`).click();
    }
    await page.locator("#pick-stock").click();
    await button(page, /^Change( \d things)?$/).click();
    await page.getByText("Give the new value").nth(2).waitFor();
    assert.equal(sent, []);
    let asked = 0;
    page.once("dialog", (dialog) => {
      asked++;
      return dialog.dismiss();
    });
    await page.evaluate(() => location.hash = "#/");
    await page.getByRole("dialog").getByText("Give the new value").first().waitFor();
    assert.is(asked, 1);
    await button(page, "Cancel").click();
  });

  browse("deletes each under its tag, after a question that names them", 12, async (page, ids) => {
    const tags = await Promise.all(ids.map(tagOf));
    const sent = writes(page);
    await all(page).check();
    await button(page, "Delete…").click();
    const dialog = page.getByRole("dialog", { name: "Delete 12 things?" });
    assert.equal(
      await dialog.getByRole("listitem").allInnerTexts(),
      [...ids.slice(0, 10).map((id) => `thing ${id}`), "and 2 more"],
    );
    assert.is(await page.evaluate(() => document.activeElement?.textContent), "Keep them");
    await button(page, "Delete 12 things").click();
    await says(page, "12 deleted");
    assert.equal(sent.map(told).map(({ tag }) => tag).sort(), tags.sort());
    assert.is((await things.send(`GET /things/${ids[5]}/`)).status, 404);
    assert.is(await page.locator("tbody tr.gone").count(), 12);
    assert.ok(await ticks(page).first().isDisabled());
  });

  browse("brings back one of those that it deleted, or all, as new rows", 3, async (page, ids) => {
    const newest = Math.max(...ids);
    const shown = async () => {
      const links = await page.locator("tbody a.open").evaluateAll((all) =>
        all.map((link) => (link as HTMLAnchorElement).href)
      );
      return links.map((href) => Number(href.match(/(\d+)\/$/)?.[1]));
    };
    const before = await read(newest);
    await all(page).check();
    await button(page, "Delete…").click();
    await page.getByText("They can be brought back until you leave the list").waitFor();
    await button(page, "Delete 3 things").click();
    await says(page, "3 deleted");
    await outcome(page, newest).getByRole("button", { name: "Bring it back" }).click();
    await says(page, "1 brought back");
    const [first = 0, ...others] = await shown();
    assert.ok(first > newest);
    assert.equal(others, ids.slice(1));
    assert.equal({ ...await read(first), id: newest, at: before.at }, before);
    // They are alike, and two all the same
    await button(page, "Bring all back").click();
    await says(page, "2 brought back");
    const now = await shown();
    assert.is(new Set(now.filter((id) => id > newest)).size, 3);
    assert.equal(await barriers(page), []);
    await changeAll(page, "price", "5.00");
    await says(page, "3 saved");
    for (const id of now) assert.is((await read(id)).price, "5.00");
  });

  browse("offers what it deleted also after others were selected", 3, async (page) => {
    await ticks(page).nth(0).check();
    await ticks(page).nth(1).check();
    await button(page, "Delete…").click();
    await button(page, "Delete 2 things").click();
    await says(page, "2 deleted");
    await ticks(page).nth(2).check();
    await says(page, "2 deleted · 1 row selected");
    await ticks(page).nth(2).uncheck();
    await says(page, "2 deleted");
    await bar(page).getByRole("button", { name: "Bring all back" }).click();
    await says(page, "2 brought back");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr.gone").length === 0);
  });

  browse("offers a deleted row again where it could not be brought back", 2, async (page) => {
    await all(page).check();
    await button(page, "Delete…").click();
    await button(page, "Delete 2 things").click();
    await says(page, "2 deleted");
    const keys: (string | undefined)[] = [];
    await page.route("**/things/", (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      return keys.length > 1 ? route.continue() : route.fulfill({ status: 403, json: {} });
    });
    await bar(page).getByRole("button", { name: "Bring all back" }).click();
    await says(page, "1 brought back, 1 not brought back");
    await button(page, "Bring it back").click();
    await says(page, "1 brought back");
    assert.is(keys[2], keys[0]);
    assert.is(await page.locator("tbody tr.gone").count(), 0);
  });

  test("keeps what others refer to, and leads to them", async () => {
    const names = ["Ska", "Dub"];
    const genres: number[] = [];
    for (const name of names) genres.push((await things.send("POST /genres/", { name })).body.id);
    const [ska = 0, dub = 0] = genres;
    await things.send("POST /things/", { ...THING, genre: ska });
    const path = `/docs/#/prefix/genres/?id__in=${genres}`;
    await visit(things.context, { root: things.root, path }, async (page) => {
      await ticks(page).first().waitFor();
      await all(page).check();
      await button(page, "Delete…").click();
      await button(page, "Delete 2 genres").click();
      await says(page, "1 deleted, 1 not deleted · 1 row selected");
      await outcome(page, dub).getByText("Deleted").waitFor();
      await outcome(page, ska).getByText("still refer").waitFor();
      const link = outcome(page, ska).getByRole("link", { name: "things" });
      assert.is(await link.getAttribute("href"), `#/prefix/things/?genre=${ska}`);
      assert.equal(await barriers(page), []);
    });
  });

  browse("deletes nothing that was changed meanwhile, unless asked again", 2, async (page, ids) => {
    await change(ids[0]!, { stock: 7 });
    await all(page).check();
    await button(page, "Delete…").click();
    await button(page, "Delete 2 things").click();
    await says(page, "1 deleted, 1 not deleted · 1 row selected");
    assert.is((await read(ids[0]!)).stock, 7);
    await button(page, "Delete it anyway").click();
    await says(page, "1 deleted");
    assert.is((await things.send(`GET /things/${ids[0]}/`)).status, 404);
  });

  browse("works with the keyboard alone", 2, async (page, ids) => {
    await press(page, "j", "x");
    assert.equal(await checked(page), [true, false]);
    await press(page, "j", "x");
    await says(page, "2 rows selected");
    await press(page, "e");
    await page.getByRole("dialog").waitFor();
    await press(page, "Tab", "Enter");
    await page.keyboard.type("Told");
    await press(page, "Control+Enter");
    await says(page, "2 saved");
    assert.is((await read(ids[1]!)).story, "Told");
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.is(focused, "2 saved");
  });

  browse("has no barrier, on a phone and a screen", 3, async (page, ids) => {
    await change(ids[0]!, { stock: 7 });
    await changeAll(page, "price", "5.00");
    await says(page, "2 saved, 1 not saved · 1 row selected");
    await assertOpen(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await ticks(page).nth(1).check();
    const places = await page.locator("tbody tr:has(.tick)").nth(1).evaluate((line) => {
      const { right, top } = line.getBoundingClientRect();
      const tick = line.querySelector(".tick label")!.getBoundingClientRect();
      return [right - tick.right, tick.top - top, tick.width, tick.height];
    });
    const [right = 99, top = 99, width = 0, height = 0] = places;
    assert.ok(right < 24 && top < 24 && width >= 24 && height >= 24, String(places));
    await button(page, "Change…").click();
    await page.locator("#pick-tags").click();
    await assertOpen(page);
    await button(page, "Cancel").click();
    await button(page, "Delete…").click();
    await assertOpen(page);
    await button(page, "Keep them").click();
  });
}

runInBrowser(test, async () => things = await startThings(), define);
