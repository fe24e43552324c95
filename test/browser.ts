// The browser of the tests: a page at a time, what a screen reader hears of it, and what axe-core finds.
/// <reference lib="dom" />
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axeCore from "axe-core";
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import * as assert from "uvu/assert";

/** Where Debian's package puts it. */
export const EXECUTABLE = "/usr/bin/chromium";

export const hasBrowser = existsSync(EXECUTABLE);

export interface Browser {
  context: BrowserContext;
  close(): Promise<void>;
}

export async function startBrowser(options: BrowserContextOptions = {}): Promise<Browser> {
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
  return { context, close: () => browser.close() };
}

/** Opens a view of the page, where nothing may go wrong: no error, no violation of the policy, no request to
 * anywhere but below the root. */
export async function visit(
  context: BrowserContext,
  { root, path = "/docs/" }: { root: string; path?: string },
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
    if (!url.startsWith(`${root}/`) && !url.startsWith("data:")) wrong.push(url);
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
  await page.evaluate(readFileSync(AXE, "utf8"));
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore };
    const { violations } = await axe.run({ resultTypes: ["violations"], preload: false });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`)
    );
  });
}

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
