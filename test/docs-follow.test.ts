// A list of records that is followed: new ones appear in it as they are created.
// Needs: a browser
/// <reference lib="dom" />
import type { Page, Route } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { following } from "./follow.ts";
import { freshPostgres, serviceOn } from "./service.ts";

const test = suite("docs that follow records");
let site: Site;
let service: Site["services"][number];
let root = "";

async function start() {
  site = await startSite([{}]);
  [service] = site.services as [typeof service];
  root = service.root;
  await say("The first");
  return site;
}

const say = async (cul: string) =>
  (await service.send("POST /bottage/", { cul, colere: 1 })).body as { bottage: number };

/** The list of the records, and what was asked of the stream so far: the positions. A test may answer the
 * requests of the stream otherwise than the server. */
function browse(
  title: string,
  work: (page: Page, asked: string[]) => Promise<void>,
  answer: (route: Route, asked: string[]) => Promise<void> = (route) => route.continue(),
) {
  test(title, () =>
    visit(site.context, { root, path: "/docs/" }, async (page) => {
      const asked: string[] = [];
      await page.route("**/bottage/", async (route) => {
        const headers = route.request().headers();
        if (headers["accept"] !== "text/event-stream") return await route.continue();
        asked.push(headers["last-event-id"] ?? "");
        await answer(route, asked);
      });
      // A page of its own: the one that is there would ask for the stream before it is left
      await page.goto("about:blank");
      await page.goto(`${root}/docs/#/bottage/`);
      await page.getByRole("button", { name: "Live" }).waitFor();
      await until(() => asked.length > 0);
      await work(page, asked);
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }));
}

async function until(holds: () => boolean | Promise<boolean>) {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const heads = (page: Page) => page.locator("tbody th").allInnerTexts();

/** How many rows the list says that it has. */
const counted = (page: Page) => page.getByRole("navigation", { name: "Pages" }).innerText();

/** How many follow the records. */
async function followers(): Promise<number> {
  const metrics = await (await fetch(`${root}/metrics`)).text();
  return Number(/^relata_followers{.*} (.*)$/m.exec(metrics)![1]);
}

/** The events of the newest records, as the server sends them. */
async function newest(): Promise<{ id: string; text: string }> {
  const stream = following(
    await fetch(`${root}/bottage/`, { headers: { accept: "text/event-stream" } }),
  );
  const [event] = await stream.take(1);
  await stream.close();
  return { id: event!.id, text: stream.text() };
}

function define() {
  browse("new records appear above", async (page) => {
    const shown = await heads(page);
    const [second, third] = [await say("The second"), await say("The third")];
    await page.getByRole("rowheader", { name: String(third.bottage) }).waitFor();
    assert.equal(await heads(page), [String(third.bottage), String(second.bottage), ...shown]);
    assert.is(await counted(page), `${shown.length + 2} rows`);
  });

  browse(
    "where the stream is cut off, it goes on after the last record",
    async (page, asked) => {
      const shown = await heads(page);
      await until(() => asked.length > 1);
      assert.is(asked[1], (await newest()).id);
      const made = await say("After it");
      await page.getByRole("rowheader", { name: String(made.bottage) }).waitFor();
      assert.equal(await heads(page), [String(made.bottage), ...shown]);
    },
    async (route, asked) => {
      if (asked.length > 1) return await route.continue();
      const { text } = await newest();
      await route.fulfill({ contentType: "text/event-stream", body: text.replace("1000", "50") });
    },
  );

  let half = { bottage: 0 };
  browse(
    "where the stream is cut off within a record, that comes again",
    async (page, asked) => {
      await until(() => asked.length > 1);
      await page.getByRole("rowheader", { name: String(half.bottage), exact: true }).waitFor();
    },
    async (route) => {
      if (half.bottage > 0) return await route.continue();
      const { id, text } = await newest();
      half = await say("Cut off within");
      await until(async () => (await newest()).id !== id);
      const [, event = ""] = (await newest()).text.split("\n\n");
      const body = text.replace("1000", "50") + event.slice(0, -10);
      await route.fulfill({ contentType: "text/event-stream", body });
    },
  );

  const { promise: isMade, resolve: make } = Promise.withResolvers<void>();
  browse(
    "what came between the list and the stream is not left out, if the first try to read it fails, too",
    async (page) => {
      const shown = await heads(page);
      const { id } = await newest();
      const [between, last] = [await say("Between"), await say("The newest")];
      await until(async () => (await newest()).id !== id);
      await page.route("**/bottage/*limit=200", (route) => route.fulfill({ status: 503 }), {
        times: 1,
      });
      make();
      await page.getByRole("rowheader", { name: String(last.bottage) }).waitFor();
      assert.equal(await heads(page), [String(last.bottage), String(between.bottage), ...shown]);
    },
    async (route) => {
      await isMade;
      await route.continue();
    },
  );

  const { promise: isMissed, resolve: miss } = Promise.withResolvers<void>();
  browse(
    "a stream that is not read on is closed",
    async (page, asked) => {
      const { id } = await newest();
      const { bottage } = await say("Not caught up with");
      await until(async () => (await newest()).id !== id);
      await page.route("**/bottage/*limit=200", (route) => route.fulfill({ status: 503 }), {
        times: 2,
      });
      miss();
      await page.getByRole("rowheader", { name: String(bottage), exact: true }).waitFor();
      assert.is(asked.length, 3);
      await until(async () => await followers() === 1);
    },
    async (route) => {
      await isMissed;
      await route.continue();
    },
  );

  browse("new records wait while the hand is in the list", async (page) => {
    const shown = await heads(page);
    await page.getByRole("table").hover();
    const record = await say("It waits");
    const more = page.getByRole("button", { name: "Show 1 new" });
    await more.waitFor();
    assert.equal(await heads(page), shown);
    await more.click();
    assert.equal(await heads(page), [String(record.bottage), ...shown]);
  });

  browse(
    "a paused list follows nothing, and goes on when it is live again",
    async (page, asked) => {
      const before = asked.length;
      await until(async () => await followers() === 1);
      await page.getByRole("button", { name: "Paused" }).click();
      await until(async () => await followers() === 0);
      const missed = await say("Unseen");
      const rows = Array.from({ length: 60 }, () => ({ cul: "A line\u2028break", colere: 1 }));
      await service.send("POST /bottage/batch/", rows);
      await page.getByRole("button", { name: "Live" }).click();
      await until(() => asked.length > before);
      assert.is(
        await page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed"),
        "true",
      );
      await page.getByRole("rowheader", { name: String(missed.bottage), exact: true }).waitFor();
      const all = (await service.send("GET /bottage/?limit=200")).body.items;
      assert.is(await page.getByRole("rowheader").count(), all.length);
      for (const turned of ["Paused", "Live"]) {
        await page.keyboard.press("p");
        await page.getByRole("button", { name: turned, pressed: true }).waitFor();
      }
    },
  );

  browse("a list that nobody sees holds no connection", async (page) => {
    const see = (isSeen: boolean) =>
      page.evaluate((isHidden) => {
        Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, !isSeen);
    await until(async () => await followers() === 1);
    await see(false);
    await until(async () => await followers() === 0);
    const missed = await say("Unseen");
    await see(true);
    await page.getByRole("rowheader", { name: String(missed.bottage), exact: true }).waitFor();
  });

  test("the first record appears in a list that has none", async () => {
    const fresh = await freshPostgres();
    const { app, send } = serviceOn(fresh);
    const served = await app.listen();
    const own = `http://127.0.0.1:${served.port}`;
    await visit(site.context, { root: own, path: "/docs/#/bottage/" }, async (page) => {
      const none = page.getByRole("heading", { name: "There are no" });
      await none.waitFor();
      const { body } = await send("POST /bottage/", { cul: "The first", colere: 1 });
      await page.getByRole("rowheader", { name: String(body.bottage) }).waitFor();
      assert.is(await none.count(), 0);
      assert.is(await counted(page), "1 row");
    });
    await served.close();
    await fresh.stop();
  });

  test("where rows cannot be followed, nothing is offered", () =>
    visit(site.context, { root, path: "/docs/#/api/bars/" }, async (page) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.is(await page.getByRole("button", { name: "Live" }).count(), 0);
    }));
}

runInBrowser(test, start, define);
