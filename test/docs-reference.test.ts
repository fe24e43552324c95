// The reference of a resource or a report on the page, in a real browser, over a socket.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  assertFits,
  barriers,
  copied,
  runInBrowser,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { openapiDocument, pages } from "./house.ts";
import { tenRowsOf } from "./projects.ts";
import { reports, resources as store, store as project, up } from "./store/store.ts";

const test = suite("the reference in a browser");
// deno-lint-ignore no-explicit-any
type Json = any;
const document: Json = openapiDocument({ baseUrl: undefined, resources: store, reports, pages });
const tags: Json[] = document.tags.filter((tag: Json) => tag["x-relata"]);
let site: Site;
let root = "";

/** The operations of a resource or a report: method, path, and what the document says. */
const operationsOf = (name: string): [method: string, path: string, described: Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([, { tags }]) => tags.includes(name))
      .map(([method, described]): [string, string, Json] => [method.toUpperCase(), path, described])
  );

async function start() {
  site = await startSite([{ resources: store, reports }], {
    tables: up + tenRowsOf(project),
    permissions: ["clipboard-read", "clipboard-write"],
  });
  root = site.services[0]!.root;
  return site;
}

/** A test of the reference of one resource or report. */
function browse(title: string, name: string, work: (page: Page) => Promise<void>) {
  const [[, path] = []] = operationsOf(name);
  test(
    title,
    () =>
      visit(site.context, { root, path: `/docs/#${path}!reference` }, async (page) => {
        await page.getByRole("heading", { level: 2, name: "The object" }).waitFor();
        await work(page);
      }),
  );
}

const texts = (page: Page, selector: string) => page.locator(selector).allInnerTexts();
const section = (page: Page, { summary }: Json) =>
  page.getByRole("region", { name: summary, exact: true });

/** Runs what was copied. */
const run = (script: string): Promise<Response> =>
  new Function(`return (async () => { ${script} return response; })()`)();

function define() {
  for (const { name, "x-relata": { title = "Sales" } } of tags) {
    browse(
      `tells all of ${name}, without a barrier, also 320 pixels wide`,
      name,
      async (page) => {
        const fields = Object.keys(document.components.schemas[title].properties);
        assert.equal(await page.getByRole("rowheader").allInnerTexts(), fields);
        const operations = operationsOf(name);
        const headings = await texts(page, "article h2");
        assert.equal(
          headings.slice(1, operations.length + 1),
          operations.map(([, , { summary }]) => summary),
        );
        for (const [method, path, described] of operations) {
          const text = await section(page, described).innerText();
          assert.match(text.replaceAll("\n", ""), `${method} ${path}`);
          for (const { name } of described.parameters) assert.match(text, name);
        }
        const statuses = new Set(
          operations.flatMap(([, , { responses }]) => Object.keys(responses)),
        );
        const told = await texts(page, ".answers dt");
        assert.equal([...new Set(told)].sort(), [...statuses].sort());
        assert.equal(await barriers(page), []);
        await assertFits(page, 320);
      },
    );
  }

  browse("tells a field in both shapes, and its rules", "track", async (page) => {
    const cells = async (name: string) =>
      (await page.getByRole("row").filter({
        has: page.getByRole("rowheader", { name, exact: true }),
      })
        .getByRole("cell").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    assert.equal(await cells("id"), ["integer", "not written", "identifier"]);
    assert.equal(await cells("album"), ["album", "identifier", "album; required"]);
    assert.equal(await cells("tags"), ["array of tags", "array of identifiers", "tags"]);
    assert.equal(await cells("price"), ["string", "the same", "decimal, 2 places; default 0.99"]);
    assert.equal(await cells("gain"), [
      "number or null",
      "the same",
      "Decibels to be played louder number, or null",
    ]);
    await page.getByRole("cell", { name: "album", exact: true }).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Albums" }).waitFor();
    assert.match(page.url(), /#\/api\/albums\/!reference$/);
  });

  browse("tells the filters by one field together, and what sort takes", "track", async (page) => {
    const list = section(page, { summary: "List the tracks" });
    const entry = (name: string) =>
      list.locator("dl > div").filter({ has: page.locator(`dt code:text-is("${name}")`) })
        .innerText();
    assert.match(
      await entry("album__released"),
      "date, also album__released__in, album__released__gte",
    );
    assert.match(await entry("sort"), "one of id, -id, name, -name");
    assert.match(await entry("limit"), "1 to 200; default 50");
  });

  browse("leads to each part, which has an address", "track", async (page) => {
    await page.getByRole("navigation", { name: "On this page" })
      .getByRole("link", { name: "Patch" }).click();
    assert.is(await page.evaluate(() => document.activeElement?.id), "patchTrack");
    assert.match(page.url(), /#\/api\/tracks\/!reference\.patchTrack$/);
  });

  // A row that an example made before has its unique values
  for (const { name } of tags) {
    browse(`the examples of ${name} succeed as they are copied`, name, async (page) => {
      for (const [method, path, described] of operationsOf(name)) {
        if (method === "DELETE") continue;
        const response = await run(await copied(section(page, described), "fetch"));
        const { errors = [] } = await response.json();
        const isTaken = errors.length > 0 && errors.every(({ code }: Json) => code === "taken");
        const isRepeated = described["x-relata"]?.verb !== "create" && method !== "GET";
        assert.ok(response.ok || (isRepeated && isTaken), `${method} ${path}`);
      }
    });
  }

  browse("the example of a delete deletes, once nothing refers to the row", "tag", async (page) => {
    await site.sql`delete from playlist_tag`;
    await site.sql`delete from track_tag`;
    const response = await run(await copied(section(page, { summary: "Delete a tag" }), "fetch"));
    assert.is(response.status, 204);
    assert.is((await fetch(response.url)).status, 404);
  });

  browse("an example is copied for a shell, too", "tag", async (page) => {
    const create = section(page, { summary: "Create a tag" });
    assert.is(
      await copied(create, "curl"),
      `curl -X POST '${root}/api/tags/' \\\n  -H 'content-type: application/json' \\\n` +
        `  -d '{\n  "name": "slow"\n}'`,
    );
  });
}

runInBrowser(test, start, define);
