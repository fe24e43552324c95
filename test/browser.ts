// The browser of the tests, and the services that it visits: a page at a time, what a screen reader hears of
// it, and what axe-core finds.
/// <reference lib="dom" />
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axeCore from "axe-core";
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import type postgres from "postgres";
import type { Test } from "uvu";
import * as assert from "uvu/assert";
import { prefixOf } from "./house.ts";
import { freshPostgres, type Options, type Service, serviceOn } from "./service.ts";

/** Where Debian's package puts it. */
const EXECUTABLE = "/usr/bin/chromium-headless-shell";

/** Runs a suite on what `start` starts, and stops that; where there is no browser, the suite is skipped. */
export function runInBrowser(
  test: Test,
  start: () => Promise<{ stop(): Promise<void> }>,
  define: () => void,
): void {
  let started: Awaited<ReturnType<typeof start>> | undefined;
  if (existsSync(EXECUTABLE)) {
    test.before(async () => {
      started = await start();
    });
    define();
  } else test.skip(`skipped: no browser at ${EXECUTABLE}`, () => {});
  test.after(async () => await started?.stop());
  test.run();
}

/** Services on one fresh database, and a browser that visits them. */
export interface Site {
  sql: postgres.Sql;
  services: (Pick<Service, "send"> & { root: string })[];
  context: BrowserContext;
  stop(): Promise<void>;
}

/** Starts a service for each of some options, on a port of its own. */
export async function startSite(
  options: Options[],
  { tables = "", ...browserOptions }: BrowserContextOptions & { tables?: string } = {},
): Promise<Site> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const { client, sql, stop: drop } = await freshPostgres();
    stops.push(drop);
    await sql.unsafe(tables);
    const services: Site["services"] = [];
    for (const one of options) {
      const { app, send } = serviceOn({ client }, one);
      const { port, close } = await app.listen();
      stops.push(close);
      services.push({ send, root: `http://127.0.0.1:${port}${prefixOf(one.baseUrl)}` });
    }
    const { context, close } = await startBrowser(browserOptions);
    stops.push(close);
    return { sql, services, context, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function startBrowser(options: BrowserContextOptions = {}) {
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(60_000);
  // While one page is open another is a tab, which takes half as long as a window of its own
  await context.newPage();
  return { context, close: () => browser.close() };
}

/** Opens a view of the page, where nothing may go wrong: no error, no violation of the policy, no request to
 * anywhere but below the root, and to the issuer where people sign in. */
export async function visit(
  context: BrowserContext,
  { root, path = "/docs/", issuer = root }: { root: string; path?: string; issuer?: string },
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("console", (message) => {
    // A refused or a broken request is what some tests are about
    const refused = /status of (4\d\d|503)|net::ERR_/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !refused) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    const isExpected = [`${root}/`, `${issuer}/`, "data:"].some((start) => url.startsWith(start));
    if (!isExpected) wrong.push(url);
  });
  try {
    await page.goto(root + path, { waitUntil: "commit" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await work(page);
    assert.equal(wrong, []);
  } finally {
    await page.close();
  }
}

/** Holds the requests of a page back until what it gives is called. */
export async function hold(page: Page, requests: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(requests, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Waits until the page shows that a row is saved. */
export async function saved(page: Page): Promise<void> {
  await page.locator("main").getByText("Saved", { exact: true }).waitFor();
}

/** What the button beside a request or an example gives. */
export async function copied(part: Page | Locator, as: string): Promise<string> {
  const button = part.getByRole("button", { name: `Copy as ${as}` });
  await button.click();
  return await button.page().evaluate(() => navigator.clipboard.readText());
}

/** Presses keys, one after the other. */
export async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key);
}

/** What the accessibility tree has of an element; an element that another refers to, by its id. */
export async function heard(page: Page, selector: string): Promise<Record<string, unknown>> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument");
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector });
  const { nodes } = await session.send("Accessibility.getPartialAXTree", {
    nodeId,
    fetchRelatives: false,
  });
  await session.detach();
  const [{ role, name, description, properties = [] }] = nodes as [typeof nodes[number]];
  return {
    role: role?.value,
    name: name?.value,
    description: description?.value,
    ...Object.fromEntries(
      properties.map(({ name, value }) => [name, value.value ?? value.relatedNodes?.[0]?.idref]),
    ),
  };
}

/** What the live regions of the accessibility tree say. */
export async function announced(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const names = new Map(nodes.map(({ nodeId, name }) => [nodeId, name?.value]));
  return nodes
    .filter(({ role }) => role?.value === "status" || role?.value === "alert")
    .filter(({ properties }) => properties?.some(({ name }) => name === "live"))
    .map(({ childIds = [] }) => childIds.map((id) => names.get(id)).join(" "))
    .filter((text) => text !== "");
}

/** What axe-core finds wrong. */
export async function barriers(page: Page): Promise<string[]> {
  if (!await page.evaluate(() => "axe" in globalThis)) {
    await page.evaluate(readFileSync(AXE, "utf8"));
  }
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore };
    const { violations } = await axe.run({ resultTypes: ["violations"], preload: false });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`)
    );
  });
}

/** Asserts that a page stays within a window of some width. */
export async function assertFits(page: Page, width: number) {
  await page.setViewportSize({ width, height: 800 });
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(needed <= width, `${needed} wide in a window of ${width}`);
}

/** Asserts that a page has no barrier and stays within the window, on a phone and a screen, light and dark. */
export async function assertOpen(page: Page) {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [320, 1280]) {
      await assertFits(page, width);
      assert.equal(await barriers(page), [], `${colorScheme}, ${width} wide`);
    }
  }
}

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
