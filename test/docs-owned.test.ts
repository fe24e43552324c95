// Owned rows on the page, in a real browser: how they are shown, and their form, which has them as JSON.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { invoices, up } from "./invoices.ts";
import { errorOf, field, submitted } from "./things.ts";

const test = suite("owned rows in a browser");
let site: Site;

function browse(title: string, at: () => Promise<string>, work: (page: Page) => Promise<void>) {
  test(title, async () => {
    const [{ root }] = site.services as [Site["services"][number]];
    await visit(site.context, { root, path: `/docs/#${await at()}` }, work);
  });
}

const parts = [{ name: "bolt" }, { name: "nut" }];
const sold = {
  title: "First",
  lines: [{ product: 2, quantity: 3, tags: [2], parts }, { product: 1 }],
};

async function stored() {
  const { body } = await site.services[0]!.send("POST /invoices/", sold);
  return body;
}

function define() {
  browse("are counted in a list", async () => {
    await stored();
    return "/invoices/?title=First";
  }, async (page) => {
    await page.getByRole("row").filter({ hasText: "First" }).first().getByText("2", { exact: true })
      .waitFor();
  });

  browse(
    "are shown in the row that owns them, with what they refer to and own",
    async () => `/invoices/${(await stored()).id}/`,
    async (page) => {
      const lines = page.locator("dl.fields .owned").first().locator("> li");
      await lines.first().waitFor();
      assert.is(await lines.count(), 2);
      await lines.first().getByRole("link", { name: "Two" }).waitFor();
      await lines.first().getByText("bolt").waitFor();
    },
  );

  browse(
    "are found by a filter of the list",
    async () => `/invoices/?lines=${(await stored()).lines[0].id}`,
    async (page) => {
      await page.getByRole("row").filter({ hasText: "First" }).waitFor();
    },
  );

  browse(
    "are created as JSON, of which the document has an example",
    () => Promise.resolve("/invoices/!new"),
    async (page) => {
      await field(page, "title").fill("New");
      const example = JSON.parse(await field(page, "lines").getAttribute("placeholder") ?? "");
      assert.equal(Object.keys(example[0]), ["product", "quantity", "note", "tags", "parts"]);
      await field(page, "lines").fill('[{ "product": 1, "parts": [{ "name": "bolt" }] }]');
      const { body } = await submitted(page, "POST", "Create the invoice");
      assert.equal(body, { title: "New", lines: [{ product: 1, parts: [{ name: "bolt" }] }] });
    },
  );

  browse(
    "are changed as they are written, and keep their identifiers",
    async () => `/invoices/${(await stored()).id}/!edit`,
    async (page) => {
      const lines = JSON.parse(await field(page, "lines").inputValue());
      assert.equal(
        lines.map(({ product, tags }: { product: number; tags: number[] }) => [product, tags]),
        [[2, [2]], [1, []]],
      );
      await field(page, "lines").fill(JSON.stringify([{ ...lines[1], quantity: 5 }]));
      const { body } = await submitted(page, "PATCH", /Save/);
      assert.equal(body, { lines: [{ ...lines[1], quantity: 5 }] });
      await page.getByText("Saved", { exact: true }).first().waitFor();
    },
  );

  browse(
    "tell which field of which row was refused",
    async () => `/invoices/${(await stored()).id}/!edit`,
    async (page) => {
      await field(page, "lines").fill('[{ "product": 1 }, { "product": 1, "quantity": 0 }]');
      await page.getByRole("button", { name: /Save/ }).click();
      await errorOf(page, "lines").filter({
        hasText: "lines 2: quantity: Send an integer of at least 1",
      }).waitFor();
    },
  );

  browse("are in the reference", () => Promise.resolve("/invoices/!reference"), async (page) => {
    await page.getByText("rows of its own, as JSON").first().waitFor();
  });
}

runInBrowser(
  test,
  async () =>
    site = await startSite([{ baseUrl: "http://relata.example", resources: invoices }], {
      tables: up,
    }),
  define,
);
