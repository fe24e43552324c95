// A report on the page, in a real browser: what it needs, its order, its totals. And the sums themselves.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  announced,
  assertFits,
  barriers,
  runInBrowser,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import {
  compareFigures,
  date,
  decimal,
  integer,
  nullable,
  number,
  optional,
  report,
  sumOf,
  text,
} from "./house.ts";

const test = suite("reports in a browser");
let site: Site;

const takings = report("takings", {
  path: "/takings/",
  summary: "What each shop took",
  parameters: {
    from: date({ description: "The first day" }),
    to: optional(date({ description: "The last day" })),
  },
  fields: {
    shop: nullable(text()),
    day: date(),
    sales: integer(),
    taken: decimal({ digits: 30, places: 2 }),
    share: nullable(number()),
  },
  rows: (sql, { from, to }) =>
    sql`
      select *
      from (
        values
          ('Bodø', date '2026-01-09', 9, 90071992547409931.10, 0.1::float8),
          ('Ålesund', date '2026-01-10', 100, 0.20, 0.2),
          (null, date '2026-01-08', 20, -5.00, null)
      ) as taking (shop, day, sales, taken, share)
      where day >= ${from}
        and day <= coalesce(${to}, day)`,
});
const alone = report("alone", {
  path: "/alone/",
  summary: "One row",
  parameters: {},
  fields: { name: text(), sales: integer() },
  rows: (sql) => sql`select 'One' as name, 1 as sales`,
});

async function start() {
  site = await startSite([{ resources: [], reports: [takings, alone] }]);
  return site;
}

function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(
    title,
    () => visit(site.context, { root: site.services[0]!.root, path: `/docs/#${at}` }, work),
  );
}

/** What stands in a column, from above. */
const column = async (page: Page, label: string) => {
  const cells = page.locator("tbody:not(.total)").locator(`[data-label="${label}"]`);
  return await cells.allInnerTexts();
};

/** Figures, and their sum. */
const sums: [figures: (string | number)[], sum: string][] = [
  [[], "0"],
  [["0.10", "0.20"], "0.30"],
  [[0.1, 0.2], "0.3"],
  [["-0.05", "0.01"], "-0.04"],
  [["90071992547409931.10", "0.05"], "90071992547409931.15"],
  [[1e21, 1], "1000000000000000000001"],
  [[1e-7, 1.5], "1.5000001"],
  [[5, -5], "0"],
];

function define() {
  for (const [figures, sum] of sums) {
    test(`the sum of [${figures.join(", ")}] is ${sum}`, () => assert.is(sumOf(figures), sum));
  }

  browse("stands below a title of its own in the side", "/alone/", async (page) => {
    const side = (title: string) =>
      page.getByRole("navigation", { name: title }).getByRole("link").allInnerTexts();
    assert.equal(await side("Reports"), ["takings", "alone"]);
    assert.equal(await side("Resources"), []);
  });

  test("figures are compared by all of their digits", () => {
    const figures = ["90071992547409931.10", "9.5", "90071992547409931.2", "-3", "10"];
    assert.equal(figures.sort(compareFigures), [
      "-3",
      "9.5",
      "10",
      "90071992547409931.10",
      "90071992547409931.2",
    ]);
  });

  browse("says which parameter it needs, and what each is", "/takings/", async (page) => {
    await page.getByText("Fill in from: the report needs it.").waitFor();
    const from = page.getByLabel("from · required");
    assert.is(await from.getAttribute("required"), "");
    await page.getByText("The first day").waitFor();
    assert.is(await from.getAttribute("aria-describedby"), "about-from");
    assert.is(await page.getByLabel("to", { exact: true }).getAttribute("required"), null);
    await from.fill("2026-01-01");
    await page.getByRole("button", { name: "Read it" }).click();
    await page.getByText("3 rows").waitFor();
    for (const width of [1440, 390]) {
      await assertFits(page, width);
      assert.equal(await barriers(page), []);
    }
  });

  browse(
    "is as wide as what it holds, with exact totals",
    "/takings/?from=2026-01-01",
    async (page) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      const table = page.getByRole("table", { name: "Takings" });
      await table.waitFor();
      const width = await table.evaluate((one) => one.getBoundingClientRect().width);
      assert.ok(width < 700, `${width} wide`);
      const total = await table.locator(".total").getByRole("row").innerText();
      assert.equal(total.split(/\s+/), ["Total", "129", "90071992547409926.30", "0.3"]);
      await page.getByText("3 rows. Each total is the sum of the rows shown.").waitFor();
    },
  );

  browse(
    "is ordered by its heads, without another request",
    "/takings/?from=2026-01-01",
    async (page) => {
      const head = page.getByRole("columnheader", { name: "sales" });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await head.getByRole("button").click();
      assert.equal(await column(page, "sales"), ["9", "20", "100"]);
      assert.is(await head.getAttribute("aria-sort"), "ascending");
      assert.equal(await announced(page), ["Ordered by sales, ascending"]);
      await head.getByRole("button").click();
      assert.equal(await column(page, "sales"), ["100", "20", "9"]);
      // Without a value is last, either way
      const shop = page.getByRole("columnheader", { name: "shop" });
      for (const expected of [["Ålesund", "Bodø"], ["Bodø", "Ålesund"]]) {
        await shop.getByRole("button").click();
        assert.equal((await column(page, "shop")).slice(0, 2), expected);
      }
      assert.is(await head.getAttribute("aria-sort"), null);
      assert.is(await page.locator(".total").count(), 1);
      assert.equal(asked, []);
    },
  );

  browse("of one row has no total", "/alone/", async (page) => {
    await page.getByText("1 row", { exact: true }).waitFor();
    assert.is(await page.locator(".total").count(), 0);
  });
}

runInBrowser(test, start, define);
