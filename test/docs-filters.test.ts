// Filters of lists as a tool, in a real browser whose person is in New York: chips that are changed, spans, days and
// times, several values, filters from a head, and views with names.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertFits, barriers, runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { fill } from "./store/rows.ts";
import { resources, up } from "./store/store.ts";

const test = suite("filters in a browser");
let site: Site;
let root = "";

async function start() {
  site = await startSite([{ resources }], { tables: up, timezoneId: "America/New_York" });
  const [service] = site.services;
  await fill(service!);
  root = service!.root;
  return site;
}

function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () =>
    visit(site.context, { root, path: `/docs/#${at}` }, async (page) => {
      await page.locator("tbody th").first().waitFor();
      await work(page);
    }));
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const chips = (page: Page) => page.getByRole("list", { name: "Filters" }).getByRole("listitem");
/** Waits until the view is drawn anew, and the focus is where it was. */
const staysAt = (page: Page, id: string) =>
  page.waitForFunction((id) => document.activeElement?.id === id, id);
const query = (page: Page) =>
  decodeURIComponent(new URL(page.url()).hash.split("?")[1] ?? "").replaceAll("+", " ");
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

/** Waits until the query of the list is this one, and its rows are there. */
async function asks(page: Page, expected: string) {
  await page.waitForFunction(
    (expected) => decodeURIComponent(location.hash.split("?")[1] ?? "") === expected,
    expected,
  );
}

/** Opens the panel at a field and a condition. */
async function open(page: Page, field: string, condition: string) {
  await page.locator("#filter").click();
  await page.getByLabel("Field").selectOption(field);
  await page.getByLabel("Condition").selectOption(condition);
}

/** Asserts that a state has no barrier, on a screen and a phone. */
async function assertOpen(page: Page) {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    // A panel finds its place as it opens
    await page.evaluate(() => {
      const panel = document.querySelector<HTMLDetailsElement>("details.pop[open]");
      panel?.removeAttribute("open");
      panel?.setAttribute("open", "");
    });
    await assertFits(page, width);
    assert.equal(await barriers(page), []);
  }
}

function define() {
  browse("a chip opens to be changed", "/api/tracks/?price__gte=1&sort=id", async (page) => {
    await page.getByText("price ≥ 1").click();
    assert.is(await focused(page), "filter-value");
    assert.is(await page.getByLabel("Field").inputValue(), "price");
    assert.is(await page.getByLabel("Value").inputValue(), "1");
    await page.getByLabel("Value").fill("2");
    await button(page, "Change the filter").click();
    await asks(page, "sort=id&price__gte=2");
    await page.getByText("price ≥ 2").click();
    await page.getByLabel("Condition").selectOption("less than");
    await page.getByLabel("Value").fill("3");
    await button(page, "Change the filter").click();
    await asks(page, "sort=id&price__lt=3");
    // The button adds another
    await page.locator("#filter").click();
    await button(page, "Add the filter").waitFor();
  });

  browse("between is two filters, and one chip", "/api/tracks/", async (page) => {
    await open(page, "price", "between");
    await page.getByLabel("From", { exact: true }).fill("0.5");
    await page.getByLabel("To", { exact: true }).fill("5");
    await page.getByText("Asks for price__gte=0.5&price__lte=5").waitFor();
    await page.keyboard.press("Enter");
    await asks(page, "price__gte=0.5&price__lte=5");
    await page.getByText("price 0.5 to 5").waitFor();
    await staysAt(page, "filter");
    await page.getByText("price 0.5 to 5").click();
    assert.is(await page.getByLabel("To", { exact: true }).inputValue(), "5");
    await assertOpen(page);
    await page.getByLabel("To", { exact: true }).fill("");
    await button(page, "Change the filter").click();
    await asks(page, "price__gte=0.5");
    await page.getByText("price ≥ 0.5").waitFor();
    await staysAt(page, "filter");
    assert.is(await chips(page).count(), 1);
    await page.goBack();
    await page.getByText("price 0.5 to 5").waitFor();
    await button(page, "Remove the filter price 0.5 to 5").click();
    await asks(page, "");
  });

  browse("a span of nothing is not asked for", "/api/tracks/", async (page) => {
    await open(page, "milliseconds", "between");
    await button(page, "Add the filter").click();
    assert.is(await focused(page), "filter-value-0");
    assert.is(query(page), "");
  });

  browse("days are picked, or a span of them that ends today", "/api/tracks/", async (page) => {
    await page.clock.setFixedTime(new Date("2026-03-01T02:00:00Z")); // the evening before, there
    await open(page, "album → released", "between");
    /** A button, and the days that it fills in. */
    const spans: [words: string, first: string, last: string][] = [
      ["Today", "2026-02-28", "2026-02-28"],
      ["Last 30 days", "2026-01-30", "2026-02-28"],
      ["This month", "2026-02-01", "2026-02-28"],
      ["Last 7 days", "2026-02-22", "2026-02-28"],
    ];
    for (const [words, first, last] of spans) {
      await button(page, words).click();
      await page.getByText(`=${first}&album__released__lte=${last}`).waitFor();
    }
    await page.getByText("they do not move on", { exact: false }).waitFor();
    await assertOpen(page);
    await button(page, "Add the filter").click();
    await asks(page, "album__released__gte=2026-02-22&album__released__lte=2026-02-28");
    await page.getByText("album → released 2026-02-22 to 2026-02-28").waitFor();
  });

  browse(
    "times are local where they are filled in, and asked in UTC",
    "/api/reviews/",
    async (page) => {
      await open(page, "written", "at least");
      await page.getByLabel("Value").fill("2026-01-31T12:30");
      await button(page, "Add the filter").click();
      await asks(page, "written__gte=2026-01-31T17:30:00Z");
      await page.getByText("written ≥ 2026-01-31 12:30").click();
      assert.is(await page.getByLabel("Value").inputValue(), "2026-01-31T12:30");
      await page.clock.setFixedTime(new Date("2026-07-01T12:00:00Z"));
      await page.getByLabel("Condition").selectOption("between");
      await button(page, "Today").click();
      await button(page, "Change the filter").click();
      await asks(
        page,
        "written__gte=2026-07-01T04:00:00Z&written__lte=2026-07-02T03:59:59.999999Z",
      );
    },
  );

  browse("a moment of creation is asked by the second", "/api/invoices/", async (page) => {
    await open(page, "created", "at most");
    await page.getByLabel("Value").fill("2026-01-31T12:30:05");
    await button(page, "Add the filter").click();
    await asks(page, "created__lte=2026-01-31+17:30:05");
    await page.getByText("created ≤ 2026-01-31 12:30:05").click();
    assert.is(await page.getByLabel("Value").inputValue(), "2026-01-31T12:30:05");
  });

  browse("several rows are picked by their names", "/api/tracks/", async (page) => {
    await open(page, "album", "one of");
    const box = page.getByRole("combobox", { name: "Value" });
    for (const name of ["First", "Second"]) {
      await box.fill(name.slice(0, 3));
      await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
    }
    await assertOpen(page);
    await button(page, "Add the filter").click();
    await asks(page, "album__in=1,2");
    await page.getByText("album one of First, Second").click();
    await button(page, "Remove First").click();
    await button(page, "Change the filter").click();
    await asks(page, "album__in=2");
    await page.getByText("album one of Second").click();
    await button(page, "Remove Second").click();
    await button(page, "Change the filter").click();
    await page.getByRole("alert").getByText("Pick one or more").waitFor();
  });

  browse("a row that was picked can be changed", "/api/tracks/?album=1", async (page) => {
    await page.getByText("album is First").click();
    const box = page.getByRole("combobox", { name: "Value" });
    await page.waitForFunction(() =>
      (document.querySelector("#filter-value") as HTMLInputElement).value === "First"
    );
    await box.fill("Sec");
    await page.getByRole("option", { name: /^Second/ }).click();
    await button(page, "Change the filter").click();
    await asks(page, "album=2");
  });

  browse("several of a few values are ticked", "/api/albums/", async (page) => {
    await open(page, "format", "one of");
    await page.getByLabel("LP", { exact: true }).check();
    await page.getByLabel("EP", { exact: true }).check();
    await assertOpen(page);
    await button(page, "Add the filter").click();
    await asks(page, "format__in=LP,EP");
    await page.getByText("format one of LP, EP").click();
    assert.ok(await page.getByRole("checkbox", { name: "EP" }).isChecked());
    await page.getByRole("checkbox", { name: "LP" }).uncheck();
    await button(page, "Change the filter").click();
    await asks(page, "format__in=EP");
  });

  browse("what an array contains is asked for", "/api/profiles/", async (page) => {
    await open(page, "interests", "contains");
    await page.getByLabel("Value").fill("jazz");
    await button(page, "Add the filter").click();
    await asks(page, "interests__contains=jazz");
  });

  browse("the head of a column opens the panel at its field", "/api/tracks/", async (page) => {
    const head = page.getByRole("columnheader", { name: "milliseconds" });
    await head.getByRole("button", { name: "milliseconds", exact: true }).focus();
    await page.keyboard.press("f");
    assert.is(await page.getByLabel("Field").inputValue(), "milliseconds");
    assert.is(await focused(page), "filter-value");
    await page.keyboard.press("Escape");
    // It gives way to the column before, where the name is not under the pointer
    const own = page.getByTitle("Filter by price");
    assert.not(await own.isVisible());
    await button(page, "price").hover();
    await own.click();
    assert.is(await page.getByLabel("Field").inputValue(), "price");
    assert.is(await page.getByTitle("Filter by isrc").count(), 0);
  });

  test("a finger opens the panel from the head of a column, too", async () => {
    const touch = { hasTouch: true, isMobile: true, viewport: { width: 1024, height: 768 } };
    const context = await site.context.browser()!.newContext(touch);
    try {
      await visit(context, { root, path: "/docs/#/api/tracks/" }, async (page) => {
        await page.getByTitle("Filter by price").tap();
        assert.is(await page.getByLabel("Field").inputValue(), "price");
      });
    } finally {
      await context.close();
    }
  });

  browse("a view is called something", "/api/tracks/?price__gte=1", async (page) => {
    await button(page, "Save this view…").click();
    await page.getByLabel("Name", { exact: true }).fill(" ");
    await page.keyboard.press("Enter");
    assert.ok(await page.getByRole("dialog").isVisible());
    assert.is(await page.evaluate(() => localStorage.length), 0);
  });

  browse("a view has a name in the side", "/api/tracks/?price__gte=1", async (page) => {
    const side = page.getByRole("navigation", { name: "Resources" });
    const view = (name: string) => side.getByRole("link", { name, exact: true });
    await button(page, "Save this view…").click();
    await page.getByLabel("Name", { exact: true }).fill("Dear ones");
    await assertOpen(page);
    await page.keyboard.press("Enter");
    await page.goto(`${root}/docs/#/api/albums/`);
    await page.reload();
    await view("Dear ones").click();
    await asks(page, "price__gte=1");
    await page.getByRole("rowheader", { name: "Two" }).waitFor();
    assert.is(await page.getByRole("button", { name: "Save this view…" }).count(), 0);
    const change = (name: string) => button(page, `Rename or remove the view ${name}`);
    await change("Dear ones").click();
    await page.getByLabel("Name", { exact: true }).fill("Dear");
    await page.getByRole("button", { name: "Save" }).click();
    await view("Dear").waitFor();
    assert.is(await view("Dear ones").count(), 0);
    await change("Dear").click();
    await button(page, "Remove it").click();
    await view("Dear").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => Object.values(localStorage)), ["[]"]);
  });
}

runInBrowser(test, start, define);
