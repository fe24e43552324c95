// A relation to many rows in a form, where there are many: one stop of Tab, moved by keys, by dragging with a mouse
// or a finger, and by typing a place. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { CDPSession, Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  assertOpen,
  barriers,
  press,
  runInBrowser,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { field } from "./things.ts";
import { fill } from "./store/rows.ts";
import { resources, up } from "./store/store.ts";

const test = suite("tokens in a form");
let site: Site;
let service: Site["services"][number];
/** Playlists with 5 tracks and with 200. */
let few = 0;
let many = 0;

async function start() {
  site = await startSite([{ resources }], { tables: up });
  [service] = site.services as [typeof service];
  await fill(service);
  const tracks = Array.from({ length: 200 }, (_, index) => ({
    name: `T${index + 1}`,
    album: 1,
    milliseconds: 1000,
  }));
  const { body } = await service.send("POST /api/tracks/batch/", tracks);
  const ids = body.map(({ id }: { id: number }) => id);
  const playlist = async (name: string, count: number) =>
    (await service.send("POST /api/playlists/", { name, owner: 1, tracks: ids.slice(0, count) }))
      .body.id;
  few = await playlist("Few", 5);
  many = await playlist("Many", 200);
  return site;
}

/** A test on the form of a playlist. */
function browse(title: string, of: () => number, work: (page: Page) => Promise<void>) {
  test(title, () => {
    const at = { root: service.root, path: `/docs/#/api/playlists/${of()}/!edit` };
    return visit(site.context, at, async (page) => {
      await picked(page).first().waitFor();
      await work(page);
    });
  });
}

const picked = (page: Page) =>
  page.getByRole("list", { name: "Picked for tracks" }).getByRole("listitem");
const names = (page: Page, count = 5) =>
  picked(page).locator("bdi").allInnerTexts().then((all) => all.slice(0, count).join(" "));
const handle = (page: Page, name: string) =>
  page.getByRole("button", { name: new RegExp(`^${name} \\d+$`) });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.querySelector("bdi")?.textContent);

/** The middle of a token, or its start or end. */
async function at(page: Page, name: string, where = 0.5) {
  const { x, y, width, height } = (await handle(page, name).boundingBox())!;
  return { x: x + width * where, y: y + height / 2 };
}

function define() {
  browse(
    "all tokens are one stop of Tab, and arrows go from one to the next",
    () => few,
    async (page) => {
      await field(page, "name").focus();
      await page.getByRole("button", { name: "Save" }).evaluate(() => {});
      await field(page, "tracks").focus();
      await press(page, "Shift+Tab");
      assert.is(await focused(page), "T1");
      await press(page, "ArrowRight", "ArrowDown");
      assert.is(await focused(page), "T3");
      await press(page, "End");
      assert.is(await focused(page), "T5");
      await press(page, "ArrowRight", "ArrowLeft");
      assert.is(await focused(page), "T4");
      // Tab leaves them, and comes back to where it was
      await press(page, "Tab");
      assert.is(await focused(page), undefined);
      await press(page, "Shift+Tab");
      assert.is(await focused(page), "T4");
      await press(page, "Delete");
      assert.is(await focused(page), "T5");
      await press(page, "Home", "Backspace");
      assert.is(await names(page), "T2 T3 T5");
      await press(page, "Delete", "Delete", "Delete");
      assert.is(
        await field(page, "tracks").evaluate((input) => input === document.activeElement),
        true,
      );
    },
  );

  browse("Enter lifts a token, arrows move it, and Escape gives up", () => few, async (page) => {
    await handle(page, "T2").focus();
    await press(page, "Enter", "ArrowRight", "ArrowDown");
    assert.is(await names(page), "T1 T3 T4 T2 T5");
    await press(page, "Escape");
    assert.is(await names(page), "T1 T2 T3 T4 T5");
    assert.is(await focused(page), "T2");
    assert.match(page.url(), /!edit$/);
    await press(page, "Space", "End", "Space", "ArrowLeft");
    assert.is(await names(page), "T1 T3 T4 T5 T2");
    assert.is(await focused(page), "T5");
  });

  browse("a place can be typed, far away too", () => many, async (page) => {
    await handle(page, "T150").click();
    const place = page.getByLabel("place");
    assert.is(await place.inputValue(), "150");
    await page.getByText("of 200").waitFor();
    const { y } = (await place.boundingBox())!;
    assert.ok(y > 0 && y < page.viewportSize()!.height, "It is in sight");
    await place.fill("3");
    await press(page, "Enter");
    assert.is(await names(page), "T1 T2 T150 T3 T4");
    assert.is(await focused(page), "T150");
    await page.getByText("T150 is number 3 of 200").waitFor({ state: "attached" });
    for (const typed of ["x", "0", "1.5"]) {
      await place.fill(typed);
      await press(page, "Tab");
      assert.is(await place.inputValue(), "3");
    }
    await place.fill("999");
    await press(page, "Enter");
    assert.is(await picked(page).last().locator("bdi").innerText(), "T150");
    assert.match(page.url(), /!edit$/);
  });

  browse("moving one of 200 makes no other anew", () => many, async (page) => {
    await picked(page).first().evaluate((first) => {
      const { parentNode } = first;
      const changed = new Set<Node>();
      Object.assign(globalThis, { changed });
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records) {
          for (const node of [...addedNodes, ...removedNodes]) changed.add(node);
        }
      }).observe(parentNode!, { childList: true, subtree: true });
    });
    await handle(page, "T100").focus();
    await press(page, "Enter", "ArrowLeft", "ArrowLeft", "Enter");
    const moved = await page.evaluate(() =>
      [...(globalThis as unknown as { changed: Set<Node> }).changed].map(({ textContent }) =>
        textContent
      )
    );
    assert.is(moved.length, 1, String(moved));
    assert.match(String(moved[0]), /^T100/);
  });

  browse(
    "a mouse drags a token, a line shows where it will stand, and Escape gives up",
    () => few,
    async (page) => {
      const drag = async (name: string, to: string, where: number) => {
        const [from, end] = [await at(page, name), await at(page, to, where)];
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x + 10, from.y);
        await page.mouse.move(end.x, end.y, { steps: 3 });
      };
      const line = page.locator(".line-before, .line-after");
      const cursor = (name: string) =>
        handle(page, name).evaluate((element) => getComputedStyle(element).cursor);
      assert.is(await cursor("T1"), "grab");
      await drag("T1", "T4", 0.9);
      assert.match(await line.innerText(), /^T4/);
      assert.equal(await barriers(page), []);
      assert.is(await names(page), "T1 T2 T3 T4 T5", "Nothing moves under the hand");
      await press(page, "Escape");
      await page.mouse.up();
      assert.is(await line.count(), 0);
      assert.is(await names(page), "T1 T2 T3 T4 T5");
      assert.match(page.url(), /!edit$/);
      await drag("T1", "T4", 0.9);
      await page.mouse.up();
      assert.is(await names(page), "T2 T3 T4 T1 T5");
      assert.is(await page.getByLabel("place").count(), 0, "The click at its end lifts nothing");
      await drag("T5", "T3", 0.1);
      await page.mouse.up();
      assert.is(await names(page), "T2 T5 T3 T4 T1");
      await handle(page, "T5").click();
      assert.is(await page.getByLabel("place").inputValue(), "2");
    },
  );

  browse(
    "a finger that rests on a token drags it, and one that does not scrolls",
    () => few,
    async (page) => {
      const session: CDPSession = await page.context().newCDPSession(page);
      const touch = (
        type: "touchStart" | "touchMove" | "touchEnd",
        point?: { x: number; y: number },
      ) => session.send("Input.dispatchTouchEvent", { type, touchPoints: point ? [point] : [] });
      const [from, to] = [await at(page, "T1"), await at(page, "T3", 0.9)];
      await touch("touchStart", from);
      await touch("touchMove", to);
      await touch("touchEnd");
      assert.is(await names(page), "T1 T2 T3 T4 T5");
      const isDragged = async () => {
        await touch("touchStart", await at(page, "T1"));
        await page.locator(".dragged").waitFor();
        await touch("touchMove", await at(page, "T3", 0.9));
        await page.waitForFunction(() =>
          document.querySelector(".line-after") ?? !document.querySelector(".dragged")
        );
        return await page.locator(".line-after").count() === 1;
      };
      // A browser that is too busy to ask the page scrolls instead
      for (let turn = 1; !await isDragged(); turn++) {
        assert.ok(turn < 5);
        await touch("touchEnd");
      }
      await touch("touchEnd");
      assert.is(await names(page), "T2 T3 T1 T4 T5");
    },
  );

  browse("the window follows what is dragged to its edge", () => many, async (page) => {
    await page.setViewportSize({ width: 1280, height: 500 });
    const from = await at(page, "T1");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y);
    await page.mouse.move(from.x + 10, 480);
    await page.waitForFunction(() => scrollY > 100);
    await page.mouse.up();
    assert.match(await names(page, 2), /^T2 T3$/);
  });

  test("the cursor is no hand where there is no order, or one alone", async () => {
    const path = "/docs/#/api/tracks/1/!edit";
    await visit(site.context, { root: service.root, path }, async (page) => {
      const [tag] = [page.getByRole("button", { name: "loud 1", exact: true })];
      await tag.waitFor();
      assert.is(await tag.evaluate((element) => getComputedStyle(element).cursor), "default");
      assert.is(await page.getByText("Press one to move it").count(), 0);
    });
  });

  browse(
    "has no barrier with one that is moved, and fits in 320 pixels",
    () => many,
    async (page) => {
      await handle(page, "T4").click();
      await page.getByLabel("place").waitFor();
      await assertOpen(page);
    },
  );
}

runInBrowser(test, start, define);
