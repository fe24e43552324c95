// A form while it is filled in: where its parts stand, what a number takes, what is required, how long an error
// stays, and how one sees that it is saved. In a real browser.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  barriers,
  heard,
  hold,
  press,
  runInBrowser,
  saved,
  type Site,
  startSite,
  visit,
} from "./browser.ts";
import { errorOf, field, submitted, told } from "./things.ts";
import { fill } from "./store/rows.ts";
import { actions, resources, up } from "./store/store.ts";

const test = suite("forms that are filled in");
let site: Site;
let service: Site["services"][number];

async function start() {
  site = await startSite([{ resources, actions }], { tables: up });
  [service] = site.services as [typeof service];
  await fill(service);
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
}

runInBrowser(test, start, define);
