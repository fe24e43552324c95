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

export const formOf = (page: Page, name: string) => page.getByRole("form", { name, exact: true });
export const cardOf = (page: Page, name: string) =>
  page.getByRole("article").filter({ has: page.getByRole("heading", { name, exact: true }) });

/** Opens a page, where nothing may go wrong: no error, no violation of the policy, no request to anywhere
 * but below the root. Without the reference, its renderer never arrives; the forms have to work then. */
export async function visit(
  context: BrowserContext,
  { root, path = "/docs/", reference = false }: {
    root: string;
    path?: string;
    reference?: boolean;
  },
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage();
  if (!reference) await page.route("**/swagger-ui-bundle.js", () => {});
  const wrong: string[] = [];
  page.on("console", (message) => {
    // A refused request is what some tests are about.
    const refused = /status of (4\d\d|503)/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !refused) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${root}/`) && !url.startsWith("data:")) wrong.push(url);
  });
  try {
    await page.goto(root + path, { waitUntil: "commit" });
    await page.getByRole("form").first().waitFor();
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

/** The object that an exchange shows, below its first line. */
// deno-lint-ignore no-explicit-any -- of whatever shape the test expects
export function body(shown = ""): any {
  return JSON.parse(shown.slice(shown.indexOf("{")));
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

/** What axe-core finds wrong, but for what the renderer does and the page cannot mend. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  return await page.evaluate(async (borne) => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore };
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      elementRef: true,
      preload: false,
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ element }) => !borne.some(({ rule, at }) => rule === id && element?.matches(at)))
        .map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`)
    );
  }, BORNE);
}

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/** Rules of axe-core that the renderer breaks, where, and why that stays. */
const BORNE = [
  {
    rule: "landmark-unique",
    at: ".responses-table",
    why: "Swagger UI makes a region of every table of responses, and names none of them",
  },
];
