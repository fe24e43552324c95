// A list of records that is followed: the page reads a stream of the kind that the server will give. Here the
// test gives it, and a document that says that records can be followed.
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Browser, EXECUTABLE, hasBrowser, startBrowser, visit } from "./browser.ts";
import type { Listener } from "./house.ts";
import { freshPostgres, type Service, serviceOn } from "./service.ts";

const test = suite("docs that follow records");
let database: Awaited<ReturnType<typeof freshPostgres>>;
let service: Pick<Service, "app" | "send">;
let listener: Listener;
let browser: Browser;
let root = "";

async function start() {
  database = await freshPostgres();
  service = serviceOn(database);
  listener = await service.app.listen();
  root = `http://127.0.0.1:${listener.port}`;
  browser = await startBrowser();
}

test.after(async () => {
  await browser?.close();
  await listener?.close();
  await database?.stop();
});

const say = async (cul: string) =>
  (await service.send("POST /bottage/", { cul, colere: 1 })).body as { bottage: number };

/** The page of the records, and how to let the stream give one; with the positions that it was asked for. */
function browse(
  title: string,
  work: (page: Page, give: (record: object) => void, asked: string[]) => Promise<void>,
) {
  test(title, () =>
    visit(browser.context, { root, path: "/docs/" }, async (page) => {
      const asked: string[] = [];
      let give = (_: object) => {};
      await page.route("**/openapi.json", async (route) => {
        const contract = await (await route.fetch()).json();
        contract.paths["/bottage/"].get["x-relata"].follows = true;
        await route.fulfill({ json: contract });
      });
      await page.route("**/bottage/", async (route) => {
        const headers = route.request().headers();
        if (headers["accept"] !== "text/event-stream") return await route.continue();
        asked.push(headers["last-event-id"] ?? "");
        const record = await new Promise<object>((resolve) => give = resolve);
        // Each connection gives one and ends, so that the page has to go on
        const body = `: hello\n\nretry: 50\n\nid: p${asked.length}\nevent: bottage\ndata: ${
          JSON.stringify(record)
        }\n\n`;
        await route.fulfill({ contentType: "text/event-stream", body });
      });
      await page.goto(`${root}/docs/#/bottage/`);
      await page.reload();
      await page.getByRole("button", { name: "Live" }).waitFor();
      await until(() => asked.length > 0);
      await work(page, (record) => give(record), asked);
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }));
}

async function until(holds: () => boolean) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const heads = (page: Page) => page.locator("tbody th").allInnerTexts();

function define() {
  test.before(start);
  test.before(async () => {
    await say("The first");
  });

  browse(
    "new records appear above, and the stream goes on after the last",
    async (page, give, asked) => {
      const shown = await heads(page);
      const second = await say("The second");
      give(second);
      await page.getByRole("rowheader", { name: String(second.bottage) }).waitFor();
      await until(() => asked.length > 1);
      assert.is(asked[1], "p1");
      const third = await say("The third");
      give(third);
      await page.getByRole("rowheader", { name: String(third.bottage) }).waitFor();
      assert.equal(await heads(page), [String(third.bottage), String(second.bottage), ...shown]);
    },
  );

  browse("what came between the list and the stream is not left out", async (page, give) => {
    const shown = await heads(page);
    const between = await say("Between");
    const newest = await say("The newest");
    give(newest);
    await page.getByRole("rowheader", { name: String(newest.bottage) }).waitFor();
    assert.equal(await heads(page), [String(newest.bottage), String(between.bottage), ...shown]);
  });

  browse("new records wait while the hand is in the list", async (page, give) => {
    const shown = await heads(page);
    await page.getByRole("table").hover();
    const record = await say("It waits");
    give(record);
    const more = page.getByRole("button", { name: "Show 1 new" });
    await more.waitFor();
    assert.equal(await heads(page), shown);
    await more.click();
    assert.equal(await heads(page), [String(record.bottage), ...shown]);
  });

  browse("a paused list asks for nothing", async (page, give, asked) => {
    const before = asked.length;
    await page.getByRole("button", { name: "Paused" }).click();
    give(await say("Unseen"));
    await page.getByRole("button", { name: "Live" }).click();
    await until(() => asked.length > before);
    assert.is(
      await page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed"),
      "true",
    );
  });

  test("where records cannot be followed, nothing is offered", () =>
    visit(browser.context, { root, path: "/docs/#/bottage/" }, async (page) => {
      await page.getByRole("rowheader").first().waitFor();
      assert.is(await page.getByRole("button", { name: "Live" }).count(), 0);
    }));
}

if (hasBrowser) define();
else test.skip(`skipped: no browser at ${EXECUTABLE}`, () => {});

test.run();
