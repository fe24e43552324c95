// The list of a resource, and the way back to it and on along it: in a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  announced,
  barriers,
  press,
  runInBrowser,
  saved,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { fill } from "./store/rows.ts";
import { resources, up } from "./store/store.ts";
import { field } from "./things.ts";

/** Tracks in the list that the tests begin with: two pages of 25, and one of 10. */
const MANY = 60;
const LIST = "/api/tracks/?composer=Many&sort=name&limit=25";

const test = suite("docs of lists");
let site: Site;
let service: Site["services"][number];

async function start() {
  site = await startSite([{ resources, title: "Music store" }], { tables: up });
  [service] = site.services as [typeof service];
  await fill(service);
  const tracks = Array.from({ length: MANY }, (_, index) => ({
    name: nameOf(index + 1),
    album: 1,
    milliseconds: 1000,
    price: "5",
    composer: "Many",
    tags: [],
    genres: [],
  }));
  assert.is((await service.send("POST /api/tracks/batch/", tracks)).status, 201);
  return site;
}

const nameOf = (number: number) => `Many ${String(number).padStart(2, "0")}`;

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: service.root, path: `/docs/#${at}` }, work));
}

const hash = (page: Page) => new URL(page.url()).hash;
const named = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, name: string) => page.getByRole("row").filter({ has: link(page, name) });
const foot = (page: Page) => page.getByRole("navigation", { name: "Pages" }).locator("p");
const priceOf = async (id: string) =>
  (await service.send(`GET ${id.replace(/^#/, "")}`)).body.price;

/** Waits until the row or the list that is open begins with a name, and has the focus on it. */
const focused = (page: Page, text: string) =>
  page.waitForFunction((text) => document.activeElement?.textContent === text, text);

/** Opens a row of a list, and its form. */
async function edit(page: Page, name: string) {
  await link(page, name).click();
  await named(page, name);
  await press(page, "e");
  await named(page, `Edit ${name}`);
}

/** Whether the text of the field that has the focus is selected, and which field that is. */
const selected = (page: Page) =>
  page.evaluate(() => {
    const { id, value, selectionStart, selectionEnd } = document.activeElement as HTMLInputElement;
    return [id, value.slice(selectionStart ?? 0, selectionEnd ?? 0)];
  });

function define() {
  browse("a price is changed row after row with two actions each", LIST, async (page) => {
    await edit(page, nameOf(1));
    await field(page, "price").fill("6");
    for (const number of [2, 3, 4]) {
      await press(page, "Control+Shift+Enter");
      await named(page, `Edit ${nameOf(number)}`);
      await page.getByText(`Saved: ${nameOf(number - 1)}`).first().waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "field-price");
      assert.equal(await selected(page), ["field-price", "5.00"]);
      assert.ok((await announced(page)).includes(`Saved: ${nameOf(number - 1)}`));
      await page.keyboard.type("6");
    }
    await press(page, "Control+Enter");
    await named(page, nameOf(4));
    await saved(page);
    for (const number of [1, 4]) assert.is(await priceOf(`/api/tracks/${number + 3}/`), "6.00");
    assert.is(await priceOf(`/api/tracks/${5 + 3}/`), "5.00");
    await page.getByText("Marked below: price").waitFor();
    await link(page, "Back to the tracks").click();
    await named(page, "Tracks");
    assert.is(hash(page), `#${LIST}`);
    await focused(page, nameOf(4));
  });

  browse("a row that is not changed is passed over", LIST, async (page) => {
    await edit(page, nameOf(5));
    await button(page, "Save and next").click();
    await named(page, `Edit ${nameOf(6)}`);
    await page.getByText(`Not changed: ${nameOf(5)}`).first().waitFor();
  });

  browse("a refused row stays, and goes on once it is right", LIST, async (page) => {
    await edit(page, nameOf(5));
    await field(page, "milliseconds").fill("0");
    await press(page, "Control+Shift+Enter");
    await page.getByRole("alert").getByText("Not saved").waitFor();
    await named(page, `Edit ${nameOf(5)}`);
    await field(page, "milliseconds").fill("1001");
    await press(page, "Control+Shift+Enter");
    await named(page, `Edit ${nameOf(6)}`);
    await page.waitForFunction(() => document.activeElement?.id === "field-milliseconds");
  });

  browse("Back from a row that was saved leads to the list", LIST, async (page) => {
    await edit(page, nameOf(7));
    await field(page, "price").fill("7");
    await press(page, "Control+Enter");
    await named(page, nameOf(7));
    await saved(page);
    await page.goBack();
    await named(page, "Tracks");
    await focused(page, nameOf(7));
  });

  browse(
    "Back from a row whose form was opened by its address does not lead to that",
    LIST,
    async (page) => {
      await link(page, nameOf(8)).waitFor();
      const to = (await link(page, nameOf(8)).getAttribute("href"))!;
      await page.evaluate((to) => location.hash = `${to}!edit`, to);
      await named(page, `Edit ${nameOf(8)}`);
      await field(page, "price").fill("8");
      await press(page, "Control+Enter");
      await saved(page);
      assert.is(hash(page), to);
      await page.goBack();
      await named(page, "Tracks");
    },
  );

  browse("every way up from a row leads to the list as it was", LIST, async (page) => {
    /** The ways from the list to something of it, and back. */
    const ways: [title: string, there: () => Promise<void>, back: () => Promise<void>][] = [
      [nameOf(9), () => link(page, nameOf(9)).click(), () => press(page, "Escape")],
      [nameOf(9), () => link(page, nameOf(9)).click(), () => link(page, "Tracks").click()],
      ["New track", () => press(page, "n"), () => press(page, "Escape")],
      ["New track", () => press(page, "n"), () => link(page, "Cancel").click()],
    ];
    for (const [title, there, back] of ways) {
      await link(page, nameOf(9)).waitFor();
      await there();
      await named(page, title);
      await page.reload();
      await named(page, title);
      await back();
      await named(page, "Tracks");
      assert.is(hash(page), `#${LIST}`);
    }
  });

  browse("after a delete the list is as it was, and says so", LIST, async (page) => {
    const track = { name: "Many 00", album: 1, milliseconds: 1, composer: "Many" };
    await service.send("POST /api/tracks/", { ...track, tags: [], genres: [] });
    await page.reload();
    await link(page, "Many 00").click();
    await link(page, "Delete").click();
    await button(page, "Keep it").click();
    await named(page, "Many 00");
    await link(page, "Delete").click();
    await button(page, "Delete the track").click();
    await page.locator("main").getByText("Deleted: Many 00").waitFor();
    await link(page, nameOf(1)).waitFor();
    assert.is(hash(page), `#${LIST}`);
    assert.ok((await announced(page)).includes("Deleted: Many 00"));
  });

  browse("a list that is come back to is scrolled as it was", LIST, async (page) => {
    await link(page, nameOf(20)).scrollIntoViewIfNeeded();
    const y = await page.evaluate(() => scrollY);
    assert.ok(y > 0);
    await link(page, nameOf(20)).click();
    await named(page, nameOf(20));
    await press(page, "e");
    await named(page, `Edit ${nameOf(20)}`);
    await link(page, "Tracks").click();
    await focused(page, nameOf(20));
    assert.is(await page.evaluate(() => scrollY), y);
    // By the side one does not come back, but anew
    await page.getByRole("navigation", { name: "Resources" }).getByRole("link", {
      name: "albums",
      exact: true,
    }).click();
    await named(page, "Albums");
    await page.evaluate((list) => location.hash = list, LIST);
    await named(page, "Tracks");
    await link(page, nameOf(20)).waitFor();
    assert.is(await page.evaluate(() => scrollY), 0);
  });

  browse("from row to row of a list, across its pages", LIST, async (page) => {
    const previous = page.locator("#previous-row");
    await link(page, nameOf(1)).click();
    await named(page, nameOf(1));
    assert.ok(await previous.isDisabled());
    await link(page, "Next track").click();
    await named(page, nameOf(2));
    await press(page, "k");
    await named(page, nameOf(1));
    await page.goto(`${service.root}/docs/#${LIST}`);
    await link(page, nameOf(25)).click();
    await named(page, nameOf(25));
    await press(page, "j");
    await named(page, nameOf(26));
    await link(page, "Next track").click();
    await named(page, nameOf(27));
    await press(page, "k");
    await named(page, nameOf(26));
    await link(page, "Previous track").click();
    await named(page, nameOf(25));
    await link(page, "Next track").click();
    await named(page, nameOf(26));
    await press(page, "Escape");
    await focused(page, nameOf(26));
    assert.match(await foot(page).innerText(), /^26 to 50 /);
    await page.getByRole("link", { name: "Next page" }).click();
    await link(page, nameOf(MANY)).click();
    await named(page, nameOf(MANY));
    assert.ok(await page.locator("#next-row").isDisabled());
    await press(page, "e");
    await named(page, `Edit ${nameOf(MANY)}`);
    await button(page, "Save").waitFor();
    assert.is(await button(page, "Save and next").count(), 0);
    await link(page, "Previous track").click();
    await named(page, `Edit ${nameOf(MANY - 1)}`);
    assert.match(hash(page), /!edit$/);
    await button(page, "Save and next").waitFor();
  });

  browse("a page that cannot be read says so, and what was saved is", LIST, async (page) => {
    await edit(page, nameOf(25));
    await page.route("**/api/tracks/?*", (route) => route.abort());
    await field(page, "price").fill("9");
    await press(page, "Control+Shift+Enter");
    await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
    await page.unrouteAll();
    await button(page, "Try again").click();
    await link(page, nameOf(26)).waitFor();
  });

  browse("a row that was not in the list has none beside it", "/api/tracks/1/", async (page) => {
    await named(page, "One");
    assert.is(await page.locator(".besides").count(), 0);
    assert.is(await link(page, "Tracks").getAttribute("href"), "#/api/tracks/");
  });

  browse("one new row after another", "/api/tags/!new", async (page) => {
    for (const name of ["first of two", "second of two"]) {
      await page.waitForFunction(() => document.querySelector("form.form") !== null);
      await field(page, "name").fill(name);
      await press(page, "Control+Shift+Enter");
      await link(page, name).waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "field-name");
      assert.is(await field(page, "name").inputValue(), "");
      assert.ok((await announced(page)).includes(`Created: ${name}`));
    }
    assert.equal(await barriers(page), []);
    await link(page, "second of two").click();
    await named(page, "second of two");
  });

  browse("each new row after another has what the address gives", LIST, async (page) => {
    await page.goto(page.url().replace(/#.*/, "#/api/tracks/?album=1!new"));
    for (const name of ["one there", "two there"]) {
      await page.waitForFunction(() => document.querySelector("form.form") !== null);
      assert.is(await field(page, "album").inputValue(), "First");
      await field(page, "name").fill(name);
      await field(page, "milliseconds").fill("1000");
      await press(page, "Control+Shift+Enter");
      await link(page, name).waitFor();
    }
  });

  for (const [width, how] of [[1440, "fits"], [800, "is too wide"]] as const) {
    browse(`the head of a table that ${how} stays in sight`, LIST, async (page) => {
      await page.setViewportSize({ width, height: 700 });
      await link(page, nameOf(25)).waitFor();
      await page.waitForFunction(
        (isWide) => document.querySelector(".scroll")?.classList.contains("wide") === isWide,
        width < 1000,
      );
      for (const name of [nameOf(25), nameOf(1)]) {
        await link(page, name).focus();
        const isSeen = await page.evaluate(() => {
          const shows = (one: Element) => {
            const { x, y, height } = one.getBoundingClientRect();
            const top = document.elementFromPoint(x + 4, y + height / 2);
            return top !== null && (one.contains(top) || top.contains(one));
          };
          const head = document.querySelector("thead th.main")!;
          return [shows(head), shows(document.activeElement!)];
        });
        assert.equal(isSeen, [true, true], name);
      }
    });
  }

  browse("a table fades where its columns go on", LIST, async (page) => {
    await page.setViewportSize({ width: 800, height: 700 });
    const fades = (isOn: boolean) =>
      page.waitForFunction((isOn) => {
        const scroll = document.querySelector(".scroll");
        return scroll !== null && (getComputedStyle(scroll).maskImage !== "none") === isOn;
      }, isOn);
    await fades(true);
    await page.locator(".scroll").evaluate((scroll) => scroll.scrollLeft = 9999);
    await fades(false);
    assert.ok(await link(page, nameOf(1)).isVisible(), "What a row is called stays");
    await page.setViewportSize({ width: 2000, height: 700 });
    await fades(false);
  });

  browse("a row opens where it is pressed, on a phone, too", LIST, async (page) => {
    const cell = (name: string, label: string) =>
      row(page, name).locator(`[data-label="${label}"]`);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await cell(nameOf(10), "price").click();
      await named(page, nameOf(10));
      await page.goBack();
      await focused(page, nameOf(10));
    }
    await cell(nameOf(10), "album").getByRole("link").click();
    await named(page, "First");
    await page.goBack();
    await link(page, nameOf(10)).waitFor();
    // Neither to take a text, nor to close what is open
    await cell(nameOf(10), "price").evaluate((cell) => getSelection()!.selectAllChildren(cell));
    await cell(nameOf(10), "price").dispatchEvent("click");
    await page.evaluate(() => getSelection()!.empty());
    await page.locator("#filter").click();
    await cell(nameOf(20), "price").click();
    assert.is(await page.locator("details[open]").count(), 0);
    assert.is(hash(page), `#${LIST}`);
    const [tab] = await Promise.all([
      site.context.waitForEvent("page"),
      cell(nameOf(10), "price").click({ modifiers: ["Control"] }),
    ]);
    await named(tab, nameOf(10));
    await tab.close();
    assert.is(hash(page), `#${LIST}`);
  });

  browse("the name of a row is louder than what it refers to", LIST, async (page) => {
    const colours = await row(page, nameOf(1)).evaluate((row) =>
      ["a.open", "[data-label=album] a", "[data-label=price]"].map((selector) =>
        getComputedStyle(row.querySelector(selector)!).color
      )
    );
    assert.is.not(colours[0], colours[1]);
    assert.is(colours[1], colours[2]);
  });

  browse("heads that sort are told from others", LIST, async (page) => {
    assert.is(await button(page, "price").getAttribute("title"), "Sort by price");
    assert.is(await button(page, "name").getAttribute("title"), "Sort by name, descending");
    const lines = (selector: string) =>
      page.locator(selector).first().evaluate((head) => getComputedStyle(head).textDecorationStyle);
    assert.is(await lines("th[data-name=price] .sort span"), "dotted");
    assert.is(await lines("th[data-name=tags] span"), "solid");
    assert.is(await button(page, "tags").count(), 0);
  });

  browse("what opens below a button closes by a press elsewhere", LIST, async (page) => {
    const open = page.locator("details[open]");
    await page.locator("#filter").click();
    await page.locator("#columns-button").click();
    assert.is(await open.count(), 1);
    await page.getByRole("checkbox", { name: "isrc" }).check();
    assert.is(await open.count(), 1);
    await page.setViewportSize({ width: 1000, height: 420 });
    const bottom = await page.locator("details[open] .panel").evaluate((panel) =>
      panel.getBoundingClientRect().bottom
    );
    assert.ok(bottom <= 420, `${bottom}`);
    await page.getByRole("heading", { level: 1 }).click();
    assert.is(await open.count(), 0);
    await page.evaluate(() => localStorage.clear());
  });

  browse("what is not shown is not there, and comes without a request", LIST, async (page) => {
    const cells = page.locator("[data-name=isrc]");
    await link(page, nameOf(25)).waitFor();
    assert.is(await cells.count(), 0);
    let requests = 0;
    page.on("request", () => requests++);
    await page.locator("#columns-button").click();
    await page.getByRole("checkbox", { name: "isrc" }).check();
    assert.is(await cells.count(), 26);
    await page.getByRole("checkbox", { name: "isrc" }).uncheck();
    assert.is(await cells.count(), 0);
    assert.is(requests, 0);
    await page.evaluate(() => localStorage.clear());
  });

  browse("an empty list has its columns and its order", "/api/tracks/?q=nothing", async (page) => {
    await page.getByText("No track matches").first().waitFor();
    await page.locator("#columns-button").click();
    await page.getByLabel("Order").selectOption("price");
    await page.waitForURL(/q=nothing&sort=price/);
  });

  browse("the foot says which rows these are, and how many a page has", LIST, async (page) => {
    await link(page, nameOf(25)).waitFor();
    assert.match(await foot(page).innerText(), /^1 to 25 · count all/);
    await press(page, "J");
    await link(page, nameOf(26)).waitFor();
    assert.match(await foot(page).innerText(), /^26 to 50 ·/);
    await focused(page, "Tracks");
    assert.is(await page.evaluate(() => scrollY), 0);
    assert.equal(await announced(page), ["25 rows, and more"]);
    await page.reload();
    await link(page, nameOf(26)).waitFor();
    await press(page, "J");
    await link(page, nameOf(MANY)).waitFor();
    assert.is(await foot(page).innerText(), "51 to 60 of 60");
    await press(page, "K");
    await link(page, nameOf(26)).waitFor();
    const other = await site.context.newPage();
    await other.goto(page.url());
    await link(other, nameOf(26)).waitFor();
    assert.match(await foot(other).innerText(), /^25 rows · count all/);
    await other.close();
    await page.getByLabel("Rows on a page").focus();
    await page.getByLabel("Rows on a page").selectOption("100 rows a page");
    await page.waitForURL(/limit=100/);
    await link(page, nameOf(MANY)).waitFor();
    assert.is(await foot(page).innerText(), "60 rows");
    await page.waitForFunction(() => document.activeElement?.id === "limit");
    await page.getByLabel("Rows on a page").selectOption("50 rows a page");
    await page.waitForURL((url) => !url.hash.includes("limit"));
  });

  browse(
    "only what was refused is left out",
    "/api/tracks/?composer=Many&price__gte=abc&sort=name",
    async (page) => {
      await link(page, "Go on without price__gte").click();
      await link(page, nameOf(1)).waitFor();
      assert.is(hash(page), "#/api/tracks/?composer=Many&sort=name");
    },
  );

  browse("a list that lost its connection says so, once", "/", async (page) => {
    let isAway = false;
    let tries = 0;
    await page.route("**/api/reviews/", async (route) => {
      if (route.request().headers()["accept"] !== "text/event-stream") return route.continue();
      tries++;
      if (isAway) return await route.abort();
      isAway = true;
      await route.fulfill({ contentType: "text/event-stream", body: "retry: 20\n\n" });
    });
    await page.evaluate(() => location.hash = "/api/reviews/");
    const away = page.getByRole("button", { name: "Connecting again…", pressed: true });
    await away.waitFor();
    assert.equal(await announced(page), ["Connecting again"]);
    const colour = () =>
      page.locator(".follow .dot").evaluate((dot) => getComputedStyle(dot).backgroundColor);
    const grey = await colour();
    await page.evaluate(() => document.getElementById("status")!.textContent = "");
    const before = tries;
    while (tries < before + 3) await page.waitForTimeout(20);
    assert.equal(await announced(page), [], "not at each try");
    assert.equal(await barriers(page), []);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Live", exact: true, pressed: true }).waitFor();
    assert.is.not(await colour(), grey);
  });

  for (const at of [LIST, "/api/tracks/1/"]) {
    browse(`${at} is printed without what is pressed, and whole`, at, async (page) => {
      await page.getByText(/Many 25|Referred to by/).first().waitFor();
      await page.setViewportSize({ width: 718, height: 1000 });
      await page.emulateMedia({ media: "print" });
      const printed = await page.evaluate(() => ({
        pressed: [...document.querySelectorAll(".side, main button:not(.sort), .button, select")]
          .filter((one) => one.checkVisibility()).length,
        width: Math.max(
          ...[...document.querySelectorAll("main *")].map((one) =>
            one.getBoundingClientRect().right
          ),
        ),
      }));
      assert.equal([printed.pressed, printed.width <= 718], [0, true], `${printed.width} wide`);
    });
  }

  const states: [title: string, at: string, reach: (page: Page) => Promise<void>][] = [
    ["a page of a list", LIST, async (page) => {
      await link(page, nameOf(25)).waitFor();
      await press(page, "J");
      await link(page, nameOf(26)).waitFor();
    }],
    ["the columns", LIST, (page) => page.locator("#columns-button").click()],
    ["a row of a list", LIST, async (page) => {
      await link(page, nameOf(1)).click();
      await named(page, nameOf(1));
    }],
    ["the next form", LIST, async (page) => {
      await edit(page, nameOf(11));
      await field(page, "price").fill("11");
      await press(page, "Control+Shift+Enter");
      await named(page, `Edit ${nameOf(12)}`);
    }],
  ];
  for (const [title, at, reach] of states) {
    browse(`${title} has no barrier, and stays within the window`, at, async (page) => {
      await reach(page);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await barriers(page), [], `${width} wide`);
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(needed <= width, `${needed} of ${width}`);
      }
    });
  }
}

runInBrowser(test, start, define);
