// A form while it is filled in: where its parts stand, what a number takes, what is required, how long an error
// stays, and how one sees that it is saved. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { barriers, heard, press, runInBrowser, saved, startBrowser, visit } from "./browser.ts";
import { errorOf, field, submitted, told } from "./things.ts";
import { startStoreSite, type StoreSite } from "./store/site.ts";
import { actions } from "./store/store.ts";

const test = suite("forms that are filled in");
let site: StoreSite;
let service: StoreSite["service"];

async function start() {
  site = await startStoreSite({ actions });
  service = site.service;
  return site;
}

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: service.root, path: `/docs/#${at}` }, work));
}

function define() {
  browse(
    "a tick stands beside its label, and over what describes it",
    "/api/artists/!new",
    async (page) => {
      const tick = field(page, "active");
      await tick.waitFor();
      const box = async (one: ReturnType<Page["locator"]>) => (await one.boundingBox())!;
      const [its, label, hint] = [
        await box(tick),
        await box(page.locator("#field-active-label")),
        await box(page.locator("#field-active-hint")),
      ];
      assert.ok(
        its.x + its.width <= label.x && label.y < its.y + its.height &&
          its.y < label.y + label.height,
      );
      assert.ok(hint.y >= label.y + label.height, "the description is below");
      assert.is(hint.x, label.x);
    },
  );

  browse(
    "a day of an address that is none is seen, and can be emptied",
    "/api/albums/?title=Days&artist=1&released=2026-02-31!new",
    async (page) => {
      const day = field(page, "released");
      assert.is(await day.inputValue(), "2026-02-31");
      await day.fill("");
      const { body } = await submitted(page, "POST", /^Create the album/);
      assert.not(Object.hasOwn(body, "released"));
    },
  );

  browse(
    "the wheel and the arrow keys leave a number as it is",
    "/api/tracks/1/!edit",
    async (page) => {
      const length = field(page, "milliseconds");
      await length.focus();
      const { x, y } = (await length.boundingBox())!;
      await page.mouse.move(x + 5, y + 5);
      await page.mouse.wheel(0, 200);
      await press(page, "ArrowUp", "ArrowDown", "ArrowDown");
      await page.waitForFunction(() => scrollY > 0);
      assert.is(await length.inputValue(), "1000");
      await page.getByText("Nothing is changed yet").waitFor();
    },
  );

  browse(
    "what is no number is told before it is sent, and one out of its range by the server",
    "/api/tracks/1/!edit",
    async (page) => {
      for (const typed of ["-", "1e999", "0x10", "12 3"]) {
        await field(page, "milliseconds").fill(typed);
        await press(page, "Control+Enter");
        await errorOf(page, "milliseconds").getByText("Enter a number").waitFor();
      }
      for (const [typed, why] of [["0", "at least 1"], ["1.5", "integer"]] as const) {
        await field(page, "milliseconds").fill(typed);
        const { body } = await submitted(page, "PATCH", "Save");
        assert.equal(body, { milliseconds: Number(typed) });
        await errorOf(page, "milliseconds").getByText(why).waitFor();
      }
      await field(page, "milliseconds").fill(" 2e3 ");
      await field(page, "gain").fill("-.5");
      const { body } = await submitted(page, "PATCH", "Save");
      assert.equal(body, { milliseconds: 2000, gain: -0.5 });
      await saved(page);
    },
  );

  browse(
    "an error goes when its field is changed, from the summary too",
    "/api/tracks/!new",
    async (page) => {
      const alert = page.locator(".note.bad");
      await submitted(page, "POST", "Create the track");
      await alert.getByText("Not saved: 3 fields were refused").waitFor();
      await field(page, "name").fill("Four");
      await alert.getByText("Not saved: 2 fields were refused").waitFor();
      assert.equal(await alert.getByRole("link").allInnerTexts(), ["album", "milliseconds"]);
      assert.is(await errorOf(page, "name").isVisible(), false);
      assert.is((await heard(page, "#field-name"))["invalid"], "false");
      assert.is((await heard(page, "#field-album"))["invalid"], "true");
      assert.is(await page.getByRole("alert").count(), 0, "What goes is not told again");
      await field(page, "album").fill("F");
      await field(page, "milliseconds").fill("5");
      await alert.waitFor({ state: "detached" });
    },
  );

  browse("what is refused of the whole row stays", "/api/reviews/!new", async (page) => {
    await page.route("**/api/reviews/", (route) =>
      route.fulfill({
        status: 422,
        contentType: "application/problem+json",
        json: {
          status: 422,
          errors: [
            { pointer: "", code: "rejected", detail: "Not today" },
            { pointer: "/stars", code: "required", detail: "The field is required" },
          ],
        },
      }));
    await submitted(page, "POST", "Create the review");
    const alert = page.locator(".note.bad");
    await alert.getByText("Not saved: 1 field was refused").waitFor();
    await field(page, "stars").fill("5");
    await alert.getByText("Not saved: the row was refused").waitFor();
    await alert.getByText("Not today").waitFor();
    assert.is(await alert.getByRole("link").count(), 0);
  });

  browse(
    "one sees that it is saved where that takes long, and that it is over",
    "/api/tracks/1/!edit",
    async (page) => {
      const { promise, resolve: arrive } = Promise.withResolvers<void>();
      await page.route("**/api/tracks/1/", async (route) => {
        if (route.request().method() !== "PATCH") return route.continue();
        await promise;
        await route.fulfill({ status: 403, json: { status: 403, title: "Not today" } });
      });
      const save = page.locator(".form [type=submit]");
      const label = await save.innerText();
      const { width } = (await save.boundingBox())!;
      const background = () =>
        field(page, "name").evaluate((input) => getComputedStyle(input).backgroundColor);
      const before = await background();
      await field(page, "name").fill("One");
      await field(page, "composer").fill("Bach");
      await save.click();
      await save.getByText("Saving…").waitFor();
      assert.ok(Math.abs((await save.boundingBox())!.width - width) < 1, "Nothing moves");
      assert.is.not(await background(), before);
      assert.equal(await barriers(page), []);
      arrive();
      await page.getByText("403 · Not today").waitFor();
      assert.is(await save.innerText(), label);
      assert.is(await background(), before);
    },
  );

  for (const at of ["the title", "blank ground"]) {
    browse(`Ctrl and Enter save with the focus on ${at}`, "/api/tags/1/!edit", async (page) => {
      await field(page, "name").fill(`Saved from ${at}`);
      const title = page.getByRole("heading", { level: 1 });
      if (at === "the title") await title.focus();
      else await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      const sent = page.waitForRequest((request) => request.method() === "PATCH");
      await press(page, "Control+Enter");
      assert.equal(told(await sent).body, { name: `Saved from ${at}` });
      await saved(page);
    });
  }

  browse("Ctrl and Enter search nothing beside a list", "/api/tracks/", async (page) => {
    await page.getByRole("searchbox").fill("Tw");
    await page.getByRole("heading", { level: 1 }).focus();
    await press(page, "Control+Enter");
    assert.is(new URL(page.url()).hash, "#/api/tracks/");
  });

  for (
    const [system, keys] of [["Macintosh; Intel Mac OS X 10_15_7", "⌘ ↵"], ["X11; Linux", "Ctrl ↵"]]
  ) {
    test(`shows ${keys} where the browser says "${system}"`, async () => {
      const browser = await startBrowser({ userAgent: `Mozilla/5.0 (${system})` });
      try {
        const at = { root: service.root, path: "/docs/#/api/tags/!new" };
        await visit(browser.context, at, async (page) => {
          await page.getByText(`Create the tag${keys}`).waitFor();
          await page.getByRole("button", { name: "Keys" }).click();
          const told = page.locator("dialog dl div").filter({ hasText: /save$/ });
          assert.is(await told.locator("dt").innerText(), keys!.replace(" ", ""));
        });
      } finally {
        await browser.close();
      }
    });
  }

  browse(
    "what has to be filled in says so, to eyes and to a screen reader, and nothing else does",
    "/api/tracks/!new",
    async (page) => {
      await field(page, "name").waitFor();
      const marked = page.locator(".label", { hasText: "required" }).locator("label");
      assert.equal(await marked.allInnerTexts(), ["name", "album", "milliseconds"]);
      const fields = ["name", "album", "milliseconds", "composer", "price", "explicit", "tags"];
      const needed = await Promise.all(
        fields.map(async (name) => [name, (await heard(page, `#field-${name}`))["required"]]),
      );
      assert.equal(
        needed.filter(([, isRequired]) => isRequired).map(([name]) => name),
        ["name", "album", "milliseconds"],
      );
      assert.equal(await barriers(page), []);
    },
  );

  browse(
    "an example stands beside a field that takes a pattern, and where it was refused",
    "/api/tracks/!new",
    async (page) => {
      const hint = "The International Standard Recording Code. For example NOBLA0100010";
      await page.getByText(hint).waitFor();
      await field(page, "isrc").fill("nobla");
      await submitted(page, "POST", "Create the track");
      await errorOf(page, "isrc").getByText("Write it such as NOBLA0100010").waitFor();
      assert.is(await page.locator("form .hint").getByText("[A-Z]").count(), 0);
    },
  );

  browse("a text without a value says so in words", "/api/tracks/1/!edit", async (page) => {
    const tick = page.getByRole("checkbox", { name: "composer: no value" });
    assert.is(await tick.isChecked(), true);
    assert.is(await field(page, "composer").getAttribute("placeholder"), "no value");
    assert.is(await page.locator("form").getByText("null", { exact: true }).count(), 0);
  });
}

runInBrowser(test, start, define);
