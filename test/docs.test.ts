// The documentation as a person has it: in a real browser, against a server that is a process.
/// <reference lib="dom" />
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { resources } from "../src/resources/index.ts";
import { pages } from "../src/server/pages.ts";
import { ask, embeddedFolder, endAll, serve } from "./program.ts";

/** Where Debian's package puts it. */
const EXECUTABLE = "/usr/bin/chromium";
const PREFIX = "/relata";
/** More than the largest page of candidates. */
const BARS = 203;
/** Milliseconds for a server that many pages are loaded from, one after the other. */
const LIFETIME = 110_000;

const test = suite("docs in a browser");
const folder = embeddedFolder();
let browser: Browser;
let origin = "";

/** A page, and all that went wrong on it: errors, violations, requests to anywhere else. */
interface Visit {
  page: Page;
  wrong: string[];
}

test.before(async () => {
  const baseUrl = `https://relata.example${PREFIX}`;
  const server = await serve({ DATA_DIR: folder.path, BASE_URL: baseUrl }, { lifetime: LIFETIME });
  origin = /http:\S+/.exec(server.stdout())![0];
  for (let number = 1; number <= BARS; number++) {
    await ask(origin, `POST ${PREFIX}/api/bars/`, { name: `Bar ${number}` });
  }
  browser = await chromium.launch({
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
});
test.after(async () => {
  await browser?.close();
  await endAll();
  folder.remove();
});

async function visit(path = "/docs/", options: BrowserContextOptions = {}): Promise<Visit> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(15_000);
  const wrong: string[] = [];
  page.on("console", (message) => {
    // A refused request is what some tests are about.
    const refused = /status of 4\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !refused) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}${PREFIX}/`) && !url.startsWith("data:")) wrong.push(url);
  });
  await page.goto(origin + PREFIX + path);
  await page.getByRole("button", { name: "Create a foo", exact: true }).waitFor();
  return { page, wrong };
}

const formOf = (page: Page, name: string) => page.getByRole("form", { name, exact: true });
const cardOf = (page: Page, name: string) =>
  page.getByRole("article").filter({ has: page.getByRole("heading", { name, exact: true }) });

/** A test on a page of its own, where nothing may go wrong. */
function browse(title: string, work: (page: Page) => Promise<void>, path?: string) {
  test(title, async () => {
    const { page, wrong } = await visit(path);
    try {
      await work(page);
      assert.equal(wrong, []);
    } finally {
      await page.close();
    }
  });
}

/** Presses keys, one after the other. */
async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key);
}

function define() {
  browse("lists every operation, from this server alone, without an error", async (page) => {
    await page.locator(".opblock").first().waitFor();
    const shown = await page.locator(".opblock").evaluateAll((blocks) =>
      blocks.map((block) => {
        const text = (name: string) =>
          block.querySelector(name)?.textContent?.replace(/\u200b/g, "");
        return `${text(".opblock-summary-method")} ${text(".opblock-summary-path")}`;
      })
    );
    const routes = resources.flatMap(({ routes }) =>
      Object.entries(routes).flatMap(([path, verbs]) =>
        verbs.map(({ method }) => `${method} ${path}`)
      )
    );
    const expected = [...routes, ...Object.keys(pages).map((path) => `GET ${path}`)];
    assert.equal(shown.sort(), expected.sort());
  });

  browse("opens an operation of the reference and tries it on this server", async (page) => {
    await page.getByRole("button", { name: /^GET \/colere\/ / }).click();
    const block = page.locator(".opblock.is-open");
    await block.getByRole("button", { name: "Try it out" }).click();
    await block.getByRole("button", { name: "Execute" }).click();
    await block.locator(".live-responses-table").waitFor();
    assert.match(await block.locator(".live-responses-table").innerText(), /200/);
  });

  browse("creates a foo with the keyboard alone, its bar picked by its text", async (page) => {
    const form = formOf(page, "foo");
    await form.getByLabel("name").focus();
    await page.keyboard.type("Foo one");
    await press(page, "Tab");
    await page.keyboard.type("aR 20"); // whatever its case
    await form.getByRole("option").first().waitFor();
    assert.equal(await form.getByRole("option").allInnerTexts(), [
      "Bar 20\n20",
      "Bar 200\n200",
      "Bar 201\n201",
      "Bar 202\n202",
      "Bar 203\n203",
    ]);
    await press(page, "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter");
    assert.is(await form.getByLabel("bar").inputValue(), "Bar 200");
    assert.is(await form.getByRole("listbox").isVisible(), false);
    await press(page, "Enter");
    const card = cardOf(page, "foo");
    await card.getByText(/^Created at/).waitFor();
    const [sent, received] = await card.locator("pre").allInnerTexts();
    const body = (text = "") => JSON.parse(text.slice(text.indexOf("{")));
    assert.equal(body(sent), { name: "Foo one", bar: 200 });
    const { id, ...foo } = body(received);
    assert.equal(foo, { name: "Foo one", bar: { id: 200, name: "Bar 200" } });
    assert.equal((await ask(origin, `GET ${PREFIX}/api/foos/${id}/`)).body, { id, ...foo });
  });

  browse("reads the candidates page by page, to the last one", async (page) => {
    const form = formOf(page, "foo");
    await form.getByLabel("bar").focus();
    await press(page, "ArrowDown");
    const options = form.getByRole("option");
    await options.first().waitFor();
    assert.is(await options.count(), 50);
    await form.getByText("50 candidates, and more below").waitFor();
    for (let page = 2; page <= 5; page++) {
      const count = await options.count();
      await options.last().scrollIntoViewIfNeeded();
      await options.nth(count).waitFor({ state: "attached" });
    }
    await form.getByText(`${BARS} candidates`).waitFor();
    await options.last().click();
    assert.is(await form.getByLabel("bar").inputValue(), `Bar ${BARS}`);
  });

  browse("goes on to the next page of candidates with the keyboard", async (page) => {
    const form = formOf(page, "foo");
    await form.getByLabel("bar").focus();
    await press(page, "ArrowDown");
    await form.getByRole("option").nth(49).waitFor();
    await form.getByRole("option", { selected: true }).waitFor();
    for (let step = 1; step <= 49; step++) await press(page, "ArrowDown");
    await form.getByRole("option").nth(50).waitFor({ state: "attached" });
    await press(page, "ArrowDown");
    const chosen = form.getByRole("option", { selected: true });
    await form.getByRole("option", { name: "Bar 51", selected: true }).waitFor();
    const id = await chosen.getAttribute("id");
    assert.is(await form.getByLabel("bar").getAttribute("aria-activedescendant"), id);
  });

  browse("forgets what was picked as soon as the text is another", async (page) => {
    const form = formOf(page, "foo");
    const bar = form.getByRole("combobox");
    await bar.fill("bar 7");
    await form.getByRole("option").first().click();
    await form.getByText("Sends the identifier 7").waitFor();
    await bar.fill("nothing like it");
    await form.getByText("No candidate contains this text").waitFor();
    await form.getByRole("button", { name: "Create a foo" }).click();
    await form.getByText('The field "bar" is required').waitFor();
  });

  browse("shows what is refused beside its field", async (page) => {
    const form = formOf(page, "foo");
    const name = form.getByLabel("name");
    await name.fill("😀".repeat(65));
    await form.getByText("65 of 64 characters").waitFor();
    await form.getByRole("button", { name: "Create a foo" }).click();
    await cardOf(page, "foo").getByText("422 Invalid: 2 fields fail").waitFor();
    assert.is(await name.getAttribute("aria-invalid"), "true");
    assert.match(await descriptionOf(name), /Send at most 64 characters/);
    assert.match(await descriptionOf(form.getByLabel("bar")), /The field "bar" is required/);
    assert.ok(await name.evaluate((element) => element === document.activeElement));
  });

  browse("sends a bottage and shows it as the last", async (page) => {
    const form = formOf(page, "bottage");
    const card = cardOf(page, "bottage");
    await form.getByRole("button", { name: "Read the last bottage" }).click();
    await card.getByText("404 Not found: There is no bottage yet").waitFor();
    await form.getByLabel("cul").fill("Hello\nthere");
    await form.getByLabel("colere").click();
    await form.getByRole("option", { name: "colere 1" }).click();
    await form.getByRole("button", { name: "Create a bottage" }).click();
    await card.getByText(`Created at ${PREFIX}/bottage/1`).waitFor();
    const [, created, asked, last] = await card.locator("pre").allInnerTexts();
    assert.match(created!, /"cul": "Hello\\nthere"/);
    assert.is(asked, `GET ${PREFIX}/bottage/last`);
    assert.is(last!.replace(/^200/, ""), created!.replace(/^201/, ""));
  });

  browse("gives every control of every form a name", async (page) => {
    const forms = page.getByRole("form");
    const names = await forms.evaluateAll((all) =>
      all.map((form) => document.getElementById(form.getAttribute("aria-labelledby")!)!.textContent)
    );
    assert.equal(names, ["bar", "foo", "colere", "bottage"]);
    for (const name of names) {
      const form = formOf(page, name);
      const fields = Object.keys(resources.find((each) => each.name === name)!.sent);
      for (const field of fields) {
        assert.is(await form.getByLabel(field, { exact: true }).count(), 1, field);
      }
      const controls = await form.locator("input, textarea, select").count();
      assert.is(controls, fields.length);
      assert.ok(await form.getByRole("button", { name: `Create a ${name}` }).isVisible());
    }
    assert.is(await page.getByRole("heading", { level: 1 }).count(), 1);
  });

  browse("shows what a person typed as text, never as markup", async (page) => {
    const name = "<img src=x onerror=alert(1)>";
    await formOf(page, "bar").getByLabel("name").fill(name);
    await formOf(page, "bar").getByRole("button").click();
    await cardOf(page, "bar").getByText(/^Created at/).waitFor();
    await formOf(page, "foo").getByLabel("bar").fill("<img");
    await formOf(page, "foo").getByRole("option", { name }).waitFor();
    assert.is(await page.locator("main article img").count(), 0);
  });

  browse("is where the first address leads a browser", async (page) => {
    await page.waitForURL(`${origin}${PREFIX}/docs/`);
  }, "/");

  browse("works in the other spelling of the slash", async (page) => {
    await page.locator(".opblock").first().waitFor();
  }, "/docs");

  test("is light or dark as the person has it, and easy to read in both", async () => {
    const seen = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, wrong } = await visit("/docs/", { colorScheme });
      await page.locator(".opblock").first().waitFor();
      for (const selector of TEXTS) {
        const [text, ground] = await page.locator(selector).first().evaluate(coloursOf);
        const ratio = contrast(text!, ground!);
        assert.ok(ratio >= 4.5, `${selector} has ${ratio.toFixed(2)} in ${colorScheme}`);
      }
      seen.push(await page.locator("body").evaluate(coloursOf));
      assert.equal(wrong, []);
      await page.close();
    }
    assert.not.equal(seen[0], seen[1]);
  });

  test("fits a narrow window", async () => {
    const { page } = await visit("/docs/", { viewport: { width: 360, height: 700 } });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `It is ${width} wide`);
    await page.close();
  });
}

/** Texts whose contrast is computed: our own, and what the reference is read by. */
const TEXTS = [
  "body",
  ".lead",
  "nav a",
  ".hint:not(:empty)",
  "article header code",
  "article button",
  ".opblock-summary-path",
  ".opblock-summary-description",
  ".opblock-get .opblock-summary-method",
  ".opblock-delete .opblock-summary-method",
];

/** What the elements that describe a field say. */
async function descriptionOf(field: ReturnType<Page["locator"]>): Promise<string> {
  return await field.evaluate((element) =>
    element.getAttribute("aria-describedby")!.split(" ")
      .map((id) => document.getElementById(id)!.textContent).join(" ")
  );
}

/** The colours of an element's text and of what lies behind it, in the browser. */
function coloursOf(element: Element): string[] {
  let behind: Element | null = element;
  const ground = (of: Element) => getComputedStyle(of).backgroundColor;
  while (behind && /, 0\)$|0\.\d+\)$/.test(ground(behind))) behind = behind.parentElement;
  return [getComputedStyle(element).color, behind ? ground(behind) : "rgb(255, 255, 255)"];
}

/** The contrast of two colours (WCAG 2.2, "contrast ratio"). */
function contrast(...colours: [string, string]): number {
  const [dark, light] = colours.map(luminance).sort((one, other) => one - other);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = colour.match(/[\d.]+/g)!.map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

if ("Deno" in globalThis) {
  test.skip("skipped under Deno: a browser sees what `api/docs.test.ts` holds both to", () => {});
} else if (!existsSync(EXECUTABLE)) {
  test.skip(`skipped: no browser at ${EXECUTABLE}`, () => {});
} else {
  define();
}

test.run();
