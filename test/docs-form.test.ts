// The form of a row with every kind of field: in a real browser, with the keyboard and a screen reader.
// Needs: a browser
/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  announced,
  assertOpen,
  heard,
  hold,
  press,
  runInBrowser,
  saved,
  startBrowser,
  visit,
} from "./browser.ts";
import {
  errorOf,
  field,
  given,
  made,
  optional,
  startThings,
  submitted,
  THING,
  told,
} from "./things.ts";
import { grant } from "./tokens.ts";

const test = suite("forms of every kind in a browser");
let things: Awaited<ReturnType<typeof startThings>>;

/** A test on the form at an address, with a page of its own. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, async () => {
    const { context, root } = things;
    await visit(context, { root, path: `/docs/#/prefix${at}` }, work);
  });
}

/** The row whose view is open now. */
async function opened(page: Page, path: RegExp) {
  await page.waitForURL((url) => path.test(url.hash));
  await saved(page);
  const { hash } = new URL(page.url());
  return (await things.send(`GET ${hash.slice("#/prefix".length)}`)).body;
}

/** A thing that is there. */
async function stored(but: Record<string, unknown> = {}): Promise<number> {
  return (await things.send("POST /things/", { ...THING, ...but })).body.id;
}

/** Fills in what a thing needs, as a person with a mouse might. */
async function fillThing(page: Page, but: Record<string, string> = {}) {
  const values: Record<string, string> = {
    name: "Thing",
    story: "Story",
    stock: "5",
    ratio: "0.5",
    price: "12.50",
    day: "2026-11-25",
    moment: "2026-11-25T09:30",
    genre: "rocksteady",
    ...but,
  };
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
  await field(page, "status").selectOption("final");
}

const create = (page: Page, name: string) => submitted(page, "POST", `Create the ${name}`);

/** The candidates that are listed. */
const candidates = (page: Page) =>
  page.getByRole("listbox").getByRole("option").filter({ visible: true, hasNotText: /^New/ });

/** Keeps the list of candidates for a text from opening: it would cover the buttons, sooner or later. */
const hideCandidates = (page: Page, text: string) =>
  page.route(`**/choices/tags/?q=${text}`, () => {});

const isFocused = (page: Page, name: string) =>
  field(page, name).evaluate((element) => element === document.activeElement);

/** What is going to be sent, as it stands beside the form. */
async function preview(page: Page) {
  const text = await page.getByRole("complementary", { name: "What is sent" }).locator("pre")
    .innerText();
  return JSON.parse(text);
}

/** The texts of the tokens. */
const tokens = (page: Page) =>
  page.getByRole("list", { name: "Picked for tags" }).locator("bdi").allInnerTexts();

/** Picks tags by their whole text, with the keyboard. */
async function pickTags(page: Page, ...names: string[]) {
  await field(page, "tags").focus();
  for (const name of names) {
    await page.keyboard.type(name);
    await press(page, "Enter");
    await page.getByText(`Added ${name}; sends`).waitFor();
  }
}

function define() {
  for (
    const [name, fields] of Object.entries({ thing: given, spare: optional, filled: made })
  ) {
    const title = `has a control for every field of a ${name} that is sent, and for no other`;
    browse(title, `/${name}s/!new`, async (page) => {
      const labels = await page.locator("form.form .label label").allInnerTexts();
      assert.equal(labels, Object.keys(fields));
    });
  }

  const roles: Record<string, Record<string, [role: string, description: string]>> = {
    thing: {
      name: ["textbox", "text, at most 20 characters"],
      story: ["textbox", "text"],
      stock: ["textbox", "integer, 1 to 10"],
      ratio: ["textbox", "number"],
      price: ["textbox", "decimal, a number with 2 decimals"],
      agreed: ["checkbox", "boolean"],
      day: ["Date", "date"],
      moment: ["DateTime", "timestamp, time in Asia/Katmandu"],
      status: ["combobox", "choice"],
      genre: ["combobox", "genre"],
      tags: ["combobox", "tags, in this order"],
    },
    spare: {
      stock: ["textbox", "integer"],
      note: ["textbox", "text, at most 10 characters, optional"],
      size: ["textbox", "integer, optional"],
      cost: ["textbox", "decimal, a number with 2 decimals, optional"],
      seen: ["combobox", "boolean, optional"],
      until: ["Date", "date, optional"],
      ended: ["DateTime", "timestamp, time in Asia/Katmandu, optional"],
      mood: ["combobox", "choice, optional"],
      genre: ["combobox", "null genre, optional"],
    },
    filled: {
      code: ["textbox", "text, at most 3 characters, optional"],
      active: ["combobox", "boolean, optional"],
      seen: ["combobox", "boolean, optional"],
    },
  };
  for (const [form, fields] of Object.entries(roles)) {
    browse(
      `tells a screen reader what each field of a ${form} takes`,
      `/${form}s/!new`,
      async (page) => {
        for (const [name, [role, description]] of Object.entries(fields)) {
          const told = await heard(page, `#field-${name}`);
          assert.equal([told["role"], told["name"], told["description"]], [
            role,
            name,
            description,
          ]);
        }
      },
    );
  }

  browse(
    "is filled with the keyboard alone, and saved by Ctrl and Enter",
    "/things/!new",
    async (page) => {
      const type = async (text: string) => {
        await page.keyboard.type(text);
        await press(page, "Tab");
      };
      await field(page, "name").focus();
      await type("Thing");
      await type("Once");
      await type("7");
      await type("-0.25");
      await type("12.5");
      await press(page, "Space", "Tab"); // agreed
      await page.keyboard.type("11252026");
      await field(page, "moment").focus();
      await page.keyboard.type("11252026093015250AM");
      await field(page, "status").focus();
      await press(page, "ArrowDown", "ArrowDown", "Tab");
      await type("rocksteady");
      await page.keyboard.type("old");
      await page.getByText("2 candidates").waitFor();
      await press(page, "ArrowDown", "Enter");
      await page.keyboard.type("LOUD");
      await press(page, "Enter");
      await page.getByText("Added loud; sends [4, 1]").waitFor();
      await press(page, "Control+Enter");
      const { id: _, at: __, ...thing } = await opened(page, /\/things\/\d+\/$/);
      assert.equal(thing, {
        name: "Thing",
        story: "Once",
        stock: 7,
        ratio: -0.25,
        agreed: true,
        day: "2026-11-25",
        moment: "2026-11-25T03:45:15.250Z",
        status: "final",
        price: "12.50",
        genre: { id: 2, name: "Rocksteady" },
        tags: [{ id: 4, name: "older" }, { id: 1, name: "loud" }],
        label: "Thing Thing",
      });
    },
  );

  browse(
    "sends the defaults, and nothing else where nothing was touched",
    "/spares/!new",
    async (page) => {
      const sent = {
        code: "abc",
        stock: 3,
        active: true,
        day: "2026-01-31",
        moment: "2026-01-01T00:00:30.250Z",
        status: "final",
        size: 7,
      };
      assert.equal(await preview(page), sent);
      const { path, body, key } = await create(page, "spare");
      assert.equal([path, body], ["/prefix/spares/", sent]);
      assert.match(key!, /^"[0-9a-f]{32}"$/);
      const { id: _, ...spare } = await opened(page, /\/spares\/\d+\/$/);
      const nulls = ["note", "cost", "seen", "until", "ended", "mood", "genre"];
      assert.equal(spare, { ...sent, ...Object.fromEntries(nulls.map((name) => [name, null])) });
    },
  );

  const FILLED = {
    code: "ABC",
    stock: 3,
    active: true,
    day: "2026-01-31",
    status: "final",
    genre: { id: 2, name: "Rocksteady" },
    note: "NOTE",
    seen: false,
    mood: "sad",
  };

  browse(
    "leaves out what the database makes, where nothing was touched or it was emptied",
    "/filleds/!new",
    async (page) => {
      assert.equal(await preview(page), {});
      for (const name of ["code", "stock", "day"]) {
        const value = name === "day" ? "2026-03-01" : "5";
        await field(page, name).fill(value);
        assert.ok(name in await preview(page), name);
        await field(page, name).fill("");
      }
      await field(page, "active").selectOption("no");
      await field(page, "active").selectOption("left out");
      const { body } = await create(page, "filled");
      assert.equal(body, {});
      const { id: _, ...filled } = await opened(page, /\/filleds\/\d+\/$/);
      assert.equal(filled, FILLED);
    },
  );

  browse(
    "sends what was put in the place of what the database makes, null too",
    "/filleds/!new",
    async (page) => {
      await field(page, "code").fill("x");
      await field(page, "active").selectOption("no");
      await page.getByRole("checkbox", { name: "note: no value" }).check();
      await field(page, "seen").selectOption("no value");
      await field(page, "mood").selectOption("no value");
      const { body } = await create(page, "filled");
      const sent = { code: "x", active: false, note: null, seen: null, mood: null };
      assert.equal(body, sent);
      const { id, ...filled } = await opened(page, /\/filleds\/\d+\/$/);
      assert.equal(filled, { ...FILLED, ...sent });
      await page.goto(page.url().replace(/\/$/, "/!edit"));
      await field(page, "code").fill("");
      await field(page, "active").check();
      const { body: changed } = await submitted(page, "PATCH", "Save");
      assert.equal(changed, { code: "", active: true });
      await saved(page);
      assert.is((await things.send(`GET /filleds/${id}/`)).body.active, true);
    },
  );

  browse("sends what was put in the place of defaults and nulls", "/spares/!new", async (page) => {
    const values = {
      code: "x",
      stock: "4",
      day: "2026-02-28",
      moment: "2026-02-28T12:00",
      note: "Note",
      size: "",
      cost: "-1.5",
      until: "2026-03-01",
      ended: "2026-03-01T00:00",
    };
    for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
    await field(page, "active").uncheck();
    for (
      const [name, value] of [["status", "draft"], ["seen", "no"], ["mood", "sad"]] as const
    ) {
      await field(page, name).selectOption(value);
    }
    const { body } = await create(page, "spare");
    assert.equal(body, {
      code: "x",
      stock: 4,
      active: false,
      day: "2026-02-28",
      moment: "2026-02-28T06:15:00.000Z",
      status: "draft",
      note: "Note",
      size: null,
      cost: "-1.5",
      seen: false,
      until: "2026-03-01",
      ended: "2026-02-28T18:15:00.000Z",
      mood: "sad",
    });
    assert.is((await opened(page, /\/spares\/\d+\/$/)).cost, "-1.50");
  });

  browse('tells an empty text from none by a tick for "no value"', "/spares/!new", async (page) => {
    const tick = page.getByRole("checkbox", { name: "note: no value" });
    assert.ok(await tick.isChecked());
    await field(page, "note").fill("x");
    assert.not(await tick.isChecked());
    assert.is((await preview(page)).note, "x");
    await field(page, "note").fill("");
    assert.is((await preview(page)).note, "");
    await tick.check();
    assert.not("note" in await preview(page));
    await tick.uncheck();
    const { body } = await create(page, "spare");
    assert.is(body.note, "");
  });

  browse(
    'gives a text back where the tick for "no value" is taken back',
    "/spares/!new",
    async (page) => {
      const tick = page.getByRole("checkbox", { name: "note: no value" });
      await field(page, "note").fill("Long");
      await tick.check();
      assert.is(await field(page, "note").inputValue(), "");
      await tick.uncheck();
      assert.is(await field(page, "note").inputValue(), "Long");
      assert.is((await preview(page)).note, "Long");
    },
  );

  browse(
    "says what is refused: in an alert that leads to each field, and beside it, with its code",
    "/things/!new",
    async (page) => {
      const { body } = await create(page, "thing");
      assert.equal(body, { name: "", story: "", agreed: false, tags: [] });
      const required = ["stock", "ratio", "price", "day", "moment", "status", "genre"];
      const alert = page.getByRole("alert").filter({ hasText: "Not saved: 7 fields were refused" });
      await alert.waitFor();
      assert.equal(await alert.getByRole("link").allInnerTexts(), required);
      assert.ok(await isFocused(page, "stock"));
      for (const name of required) {
        const told = await heard(page, `#field-${name}`);
        assert.is(told["invalid"], "true", name);
        assert.match(String(told["description"]), /required$/, name);
        assert.ok(await errorOf(page, name).locator("code").isVisible());
      }
      await alert.getByRole("link", { name: "price" }).click();
      assert.ok(await isFocused(page, "price"));
      assert.match(page.url(), /!new$/);
      await fillThing(page);
      await create(page, "thing");
      await opened(page, /\/things\/\d+\/$/);
    },
  );

  browse("shows what is refused of no field above the form", "/things/!new", async (page) => {
    await fillThing(page);
    await field(page, "status").selectOption("draft");
    await create(page, "thing");
    const alert = page.getByRole("alert").filter({ hasText: "Not saved: the row was refused" });
    await alert.getByText("A draft costs nothing").waitFor();
    assert.is(await alert.locator("code").innerText(), "rejected");
    assert.is(await field(page, "name").inputValue(), "Thing");
  });

  browse(
    "sends nothing while a date has no year, and says so at its field",
    "/things/!new",
    async (page) => {
      await fillThing(page);
      await field(page, "day").fill("");
      await field(page, "day").focus();
      await page.keyboard.type("1125");
      await press(page, "Control+Enter");
      await page.getByRole("alert").filter({ hasText: "Nothing was sent: 1 field was refused" })
        .waitFor();
      const told = await heard(page, "#field-day");
      assert.is(told["invalid"], "true");
      assert.ok(await isFocused(page, "day"));
      assert.match(String(told["description"]), /incomplete/);
    },
  );

  test("takes a decimal as a person writes it who has a comma for it", async () => {
    const german = await startBrowser({ locale: "de-DE" });
    try {
      const at = { root: things.root, path: "/docs/#/prefix/spares/!new" };
      await visit(german.context, at, async (page) => {
        await field(page, "cost").fill("1,5");
        assert.is((await create(page, "spare")).body.cost, "1.5");
      });
    } finally {
      await german.close();
    }
  });

  browse(
    "takes identifiers as they are where no candidates are listed",
    "/bares/!new",
    async (page) => {
      await field(page, "tags").fill("3, 1");
      assert.equal((await create(page, "bare")).body.tags, [3, 1]);
    },
  );

  // What the person types, how the field is left, and the identifier that is sent
  for (
    const [typed, way, leave] of [
      ["ROCK", "the next field", (page: Page) => press(page, "Tab")],
      ["rock", "Enter", (page: Page) => press(page, "Enter")],
      ["Rock", "the button", () => Promise.resolve()],
    ] as const
  ) {
    const title = `takes "${typed}", typed in full, without being picked, left by ${way}`;
    browse(title, "/things/!new", async (page) => {
      await fillThing(page, { genre: "" });
      const sent = page.waitForRequest((request) => request.method() === "POST");
      await field(page, "genre").focus();
      await page.keyboard.type(typed);
      await leave(page);
      if (way !== "the button") {
        await page.locator("#field-genre-sends", { hasText: "1" }).waitFor();
      }
      await page.getByRole("button", { name: "Create the thing" }).click();
      assert.is(told(await sent).body.genre, 1);
    });
  }

  for (
    const [typed, why] of [
      ["JAZZ", "2 candidates have this text: pick one"],
      ["Roc", "No candidate has this text: pick one, or empty the field"],
    ] as const
  ) {
    browse(`does not guess what "${typed}" is, and sends nothing`, "/things/!new", async (page) => {
      await fillThing(page, { genre: typed });
      await press(page, "Tab");
      await errorOf(page, "genre").getByText(why).waitFor();
      await page.getByRole("button", { name: "Create the thing" }).click();
      await page.getByText("Nothing was sent: 1 field was refused").waitFor();
      const told = await heard(page, "#field-genre");
      assert.equal([told["invalid"], told["focused"]], ["true", true]);
      assert.ok(String(told["description"]).endsWith(why));
    });
  }

  browse(
    "does not guess where more candidates contain a text than it reads",
    "/things/!new",
    async (page) => {
      const next = "/prefix/things/choices/genre/?cursor=x";
      await page.route(
        "**/choices/genre/**",
        (route) => route.fulfill({ json: { choices: { 1: "Rock" }, next } }),
      );
      await fillThing(page, { genre: "rock" });
      await press(page, "Tab");
      const why = errorOf(page, "genre").getByText("Many candidates contain this text: pick one");
      await why.waitFor();
    },
  );

  /** What a proxy before the server says while that is away: no JSON. */
  const away = { status: 503, contentType: "text/html", body: "<h1>Unavailable</h1>" };

  browse("says at the field why candidates cannot be read", "/things/!new", async (page) => {
    await page.route("**/choices/genre/**", (route) => route.fulfill(away));
    await field(page, "genre").fill("Rock");
    const why = "The candidates cannot be read: The server answered 503";
    await errorOf(page, "genre").getByText(why).waitFor();
  });

  test("opens a form by identifiers where their texts cannot be read", async () => {
    const { id } = (await things.send("POST /spares/", { genre: 3 })).body;
    const at = { root: things.root, path: "/docs/#/prefix/" };
    await visit(things.context, at, async (page) => {
      await page.route("**/choices/genre/**", (route) => route.fulfill(away));
      await page.evaluate((hash) => location.hash = hash, `#/prefix/spares/${id}/!edit`);
      await field(page, "genre").waitFor();
      assert.is(await field(page, "genre").inputValue(), "genre 3");
    });
  });

  browse(
    'has "none" among the candidates of a relation that may be null',
    "/spares/!new",
    async (page) => {
      const input = field(page, "genre");
      await input.fill("jaz");
      await candidates(page).first().click();
      assert.is((await preview(page)).genre, 3);
      await input.fill("");
      await page.getByText("6 candidates").waitFor();
      await press(page, "ArrowDown");
      const { activedescendant } = await heard(page, "#field-genre");
      assert.match(String((await heard(page, `#${activedescendant}`))["name"]), /^none/);
      await press(page, "Enter");
      assert.not("genre" in await preview(page));
      await input.fill("NONE");
      await press(page, "Tab");
      await page.locator("#field-genre-sends").getByText("null").waitFor();
      assert.is(await input.inputValue(), "");
    },
  );

  browse(
    "has no such candidate where the relation may not be null",
    "/things/!new",
    async (page) => {
      await field(page, "genre").click();
      await page.getByText("5 candidates").waitFor();
      const options = await candidates(page).allInnerTexts();
      assert.not(options.some((text) => text.startsWith("none")));
    },
  );

  browse("takes no candidate of a text that is typed on", "/things/!new", async (page) => {
    await field(page, "genre").fill("Rock");
    await page.getByText("2 candidates").waitFor();
    await press(page, "ArrowDown");
    await page.keyboard.type("steady");
    await press(page, "Enter");
    assert.is(await field(page, "genre").inputValue(), "Rocksteady");
  });

  browse("takes no input while a text settles", "/things/!new", async (page) => {
    const arrive = await hold(page, "**/choices/genre/?*limit=200");
    await field(page, "genre").fill("Rock");
    const settles = page.waitForRequest("**/choices/genre/?*limit=200");
    await page.getByRole("button", { name: "Create the thing" }).click();
    await settles;
    const isInert = () =>
      field(page, "tags").evaluate((element) => element.closest("[inert]") !== null);
    assert.ok(await isInert());
    arrive();
    await page.getByRole("alert").waitFor();
    assert.not(await isInert());
  });

  browse("says that no candidate contains a text", "/things/!new", async (page) => {
    await field(page, "genre").fill("polka");
    await candidates(page).getByText("No candidate contains this text").waitFor();
    await candidates(page).getByText("No candidate contains this text").click({ force: true });
    assert.not("genre" in await preview(page));
    await field(page, "tags").fill("polka");
    await candidates(page).getByText("No candidate contains this text").click({ force: true });
    const { genre, tags = [] } = await preview(page);
    assert.equal({ genre, tags }, { genre: undefined, tags: [] });
  });

  browse(
    "adds tokens and removes them with the keyboard, and keeps their order",
    "/things/!new",
    async (page) => {
      await pickTags(page, "old", "slow", "loud", "older");
      assert.equal(await tokens(page), ["old", "slow", "loud", "older"]);
      assert.ok((await announced(page)).some((said) => said.startsWith("Added older; sends [3")));
      await press(page, "Backspace");
      assert.equal(await tokens(page), ["old", "slow", "loud"]);
      assert.ok(await isFocused(page, "tags"));
      await page.getByRole("button", { name: "old 3", exact: true }).focus();
      await press(page, "Delete");
      assert.equal((await preview(page)).tags, [2, 1]);
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      assert.is(await focused(), "slow2");
      await press(page, "Backspace");
      assert.equal(await tokens(page), ["loud"]);
    },
  );

  browse("moves a token by keys and by pointer", "/things/!new", async (page) => {
    await pickTags(page, "old", "slow", "loud");
    await page.getByRole("button", { name: "loud 1", exact: true }).focus();
    await press(page, "ArrowLeft", "ArrowRight"); // moves nothing, as it is not pressed
    await press(page, "Enter", "ArrowLeft", "ArrowLeft", "ArrowLeft");
    assert.equal((await preview(page)).tags, [1, 3, 2]);
    await page.getByText("loud is number 1 of 3; sends [1, 3, 2]").waitFor();
    await page.getByRole("button", { name: "Later" }).click();
    assert.equal((await preview(page)).tags, [3, 1, 2]);
    await page.getByRole("button", { name: "Earlier" }).click();
    assert.equal((await preview(page)).tags, [1, 3, 2]);
    const pressed = page.getByRole("button", { name: "loud 1", exact: true, pressed: true });
    await pressed.press("Escape");
    await page.getByText("Press one to move it").waitFor();
    assert.match(page.url(), /!new$/);
  });

  browse(
    "removes a token with the mouse, and takes a text left in the field",
    "/things/!new",
    async (page) => {
      await fillThing(page);
      await pickTags(page, "old", "slow");
      await page.getByRole("button", { name: "Remove old", exact: true }).click();
      await hideCandidates(page, "Loud");
      await field(page, "tags").fill("Loud");
      assert.equal((await create(page, "thing")).body.tags, [2, 1]);
    },
  );

  browse(
    "takes no text while a button is pressed, which would move away",
    "/things/!new",
    async (page) => {
      await fillThing(page);
      await hideCandidates(page, "Loud");
      await field(page, "tags").fill("Loud");
      await page.getByRole("button", { name: "Create the thing" }).hover();
      await page.mouse.down();
      // As long as a candidate takes to be read
      await page.evaluate(() => fetch("/prefix/things/choices/tags/?q=Loud&limit=200"));
      assert.equal(await tokens(page), []);
      const [request] = await Promise.all([
        page.waitForRequest((request) => request.method() === "POST"),
        page.mouse.up(),
      ]);
      assert.equal(told(request).body.tags, [1]);
    },
  );

  browse("keeps a token while a text in the field is deleted", "/things/!new", async (page) => {
    await pickTags(page, "old");
    await page.keyboard.type("lo");
    await press(page, "Backspace");
    assert.is(await field(page, "tags").inputValue(), "l");
    assert.equal(await tokens(page), ["old"]);
  });

  browse(
    "offers no candidate twice, and says that one was picked before",
    "/things/!new",
    async (page) => {
      await pickTags(page, "old");
      await page.keyboard.type("old");
      await page.getByText("1 candidate", { exact: true }).waitFor();
      assert.equal(await candidates(page).allInnerTexts(), ["older\n4"]);
      await press(page, "Enter");
      await page.getByText("old was picked before; sends [3]").waitFor();
      assert.equal(await tokens(page), ["old"]);
      assert.is(await field(page, "tags").inputValue(), "");
    },
  );

  browse("goes on to candidates behind a page of picked ones", "/things/!new", async (page) => {
    await pickTags(page, "old");
    const next = "/prefix/things/choices/tags/?cursor=x";
    await page.route(
      "**/choices/tags/?q=",
      (route) => route.fulfill({ json: { choices: { 3: "old" }, next } }),
    );
    await page.route(
      "**/choices/tags/?cursor=x",
      (route) => route.fulfill({ json: { choices: { 2: "slow" }, next: null } }),
    );
    await field(page, "tags").click();
    await candidates(page).filter({ hasText: "slow" }).waitFor();
    assert.equal(await candidates(page).allInnerTexts(), ["slow\n2"]);
  });

  browse(
    "shows what is refused of an element at its field, with its text",
    "/things/!new",
    async (page) => {
      const { sql } = things;
      await sql`insert into tag (id, name) values (98, 'gone'), (99, 'lost')`;
      await fillThing(page);
      await pickTags(page, "gone", "old", "lost");
      await sql`delete from tag where id > 90`;
      await create(page, "thing");
      await page.getByText("Not saved: 1 field was refused").waitFor();
      await errorOf(page, "tags").getByText(
        "gone: This tag is not there any more No tag has the identifier 98",
      ).waitFor();
      const told = await heard(page, "#field-tags");
      assert.equal([told["invalid"], told["focused"]], ["true", true]);
      assert.match(
        String(told["description"]),
        /98.*lost ?: This tag is not there any more No tag has the identifier 99/s,
      );
    },
  );

  test("changes a row by what was changed alone, under its tag, and says what it was", async () => {
    const id = await stored({ story: "One\r\nTwo" });
    const { headers } = await things.send(`GET /things/${id}/`);
    const at = { root: things.root, path: `/docs/#/prefix/things/${id}/!edit` };
    await visit(things.context, at, async (page) => {
      assert.equal(await preview(page), {});
      await page.getByText("Nothing is changed yet").waitFor();
      assert.is(await field(page, "genre").inputValue(), "Rocksteady");
      await field(page, "price").fill("1.29");
      await field(page, "genre").fill("Rock");
      await press(page, "Tab");
      await page.getByText("was 12.50").waitFor();
      await page.getByText("was Rocksteady").waitFor();
      await page.getByText("2 fields are changed; the others stay as they are").waitFor();
      const sent = { price: "1.29", genre: 1 };
      assert.equal(await preview(page), sent);
      const { path, body, tag } = await submitted(page, "PATCH", "Save");
      assert.equal([path, body, tag], [`/prefix/things/${id}/`, sent, headers.get("etag")]);
      const { moment, story } = await opened(page, /\/things\/\d+\/$/);
      assert.equal([moment, story], [THING.moment, "One\r\nTwo"]);
      await page.getByText("Marked below: price, genre").waitFor();
    });
  });

  test("keeps the line breaks of a text that is changed elsewhere, and no part of an integer", async () => {
    for (const [story, changed] of [["One\r\nTwo", "One\r\nTwo!"], ["One\rTwo", "One\rTwo!"]]) {
      const id = await stored({ story });
      const at = { root: things.root, path: `/docs/#/prefix/things/${id}/!edit` };
      await visit(things.context, at, async (page) => {
        await field(page, "story").press("ControlOrMeta+End");
        await field(page, "story").pressSequentially("!");
        assert.equal(await preview(page), { story: changed });
        await field(page, "stock").fill("9007199254740991.4");
        await submitted(page, "PATCH", "Save");
        await errorOf(page, "stock").getByText("Send an integer, not a string").waitFor();
      });
    }
  });

  test("reads the texts of what a row has as identifiers, and has no value for what is emptied", async () => {
    const { id } = (await things.send("POST /spares/", { genre: 3, note: "Note" })).body;
    const at = { root: things.root, path: `/docs/#/prefix/spares/${id}/!edit` };
    await visit(things.context, at, async (page) => {
      assert.is(await field(page, "genre").inputValue(), "Jazz");
      await field(page, "genre").fill("");
      await field(page, "stock").fill("");
      await page.getByRole("checkbox", { name: "note: no value" }).check();
      await page.getByText("was Note").waitFor();
      const { body } = await submitted(page, "PATCH", "Save");
      assert.equal(body, { stock: null, note: null, genre: null });
      await errorOf(page, "stock").waitFor();
    });
  });

  test("replaces a row that cannot be changed by a part", async () => {
    const { id } = (await things.send("POST /bares/", { name: "Bare", tags: [2, 1] })).body;
    const at = { root: things.root, path: `/docs/#/prefix/bares/${id}/!edit` };
    await visit(things.context, at, async (page) => {
      await field(page, "name").fill("Barer");
      await page.getByText("1 field is changed; all are sent").waitFor();
      assert.equal(await preview(page), { name: "Barer", tags: [1, 2] });
      const { body } = await submitted(page, "PUT", "Save");
      assert.equal(body, { name: "Barer", tags: [1, 2] });
      assert.is((await opened(page, /\/bares\/\d+\/$/)).name, "Barer");
    });
  });

  browse(
    "sends a create that got no answer again, under the same key, and says so",
    "/genres/!new",
    async (page) => {
      const keys: (string | undefined)[] = [];
      await page.route("**/genres/", async (route) => {
        keys.push(told(route.request()).key);
        await route.fetch();
        if (keys.length === 1) await route.abort();
        else await route.continue();
      });
      await field(page, "name").fill("Lost once");
      await create(page, "genre");
      await page.getByText("No answer came: it is being sent again").first().waitFor();
      const { id } = await opened(page, /\/genres\/\d+\/$/);
      assert.is(keys.length, 2);
      assert.is(keys[0], keys[1]);
      const rows = await things.sql`select id from genre where name = 'Lost once'`;
      assert.equal(rows.map((row) => Number(row["id"])), [id]);
    },
  );

  browse(
    "asks before what was typed into the form of a related row is lost",
    "/things/!new",
    async (page) => {
      await field(page, "genre").fill("Polka");
      await page.getByRole("option", { name: /^New genre/ }).click();
      const dialog = page.getByRole("dialog", { name: "New genre" });
      await page.locator("#related-name").fill("Polka and more");
      page.once("dialog", (question) => question.dismiss());
      await page.keyboard.press("Escape");
      assert.is(await page.locator("#related-name").inputValue(), "Polka and more");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
    },
  );

  browse("sends one create for a double click", "/genres/!new", async (page) => {
    let count = 0;
    await page.route("**/genres/", async (route) => {
      if (route.request().method() === "POST") count++;
      await route.continue();
    });
    await field(page, "name").fill("Double");
    await page.getByRole("button", { name: "Create the genre" }).dblclick();
    await opened(page, /\/genres\/\d+\/$/);
    assert.is(count, 1);
  });

  browse("keeps what was typed where no answer comes at all", "/genres/!new", async (page) => {
    await page.clock.install();
    const keys = new Set();
    await page.route("**/genres/", (route) => {
      keys.add(told(route.request()).key);
      return route.abort();
    });
    await field(page, "name").fill("Never");
    await create(page, "genre");
    for (let sent = 2; sent <= 6; sent++) {
      const next = page.waitForRequest((request) => request.method() === "POST");
      await page.clock.runFor(15_000);
      await next;
    }
    await page.getByRole("alert").filter({ hasText: "What you typed is kept" }).waitFor();
    assert.is(await field(page, "name").inputValue(), "Never");
    await page.unroute("**/genres/");
    const { key } = await create(page, "genre");
    assert.equal([...keys], [key]);
    await opened(page, /\/genres\/\d+\/$/);
  });

  browse("sends nothing again once the form was left", "/genres/!new", async (page) => {
    await page.clock.install();
    let sent = 0;
    await page.route("**/genres/", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      sent++;
      return route.abort();
    });
    page.on("dialog", (dialog) => dialog.accept());
    await field(page, "name").fill("Left");
    await create(page, "genre");
    await page.getByText("No answer came: it is being sent again").first().waitFor();
    await page.getByRole("link", { name: "things" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
    await page.clock.runFor(60_000);
    await page.evaluate(() => fetch(location.pathname)); // what was sent before it has arrived, too
    assert.is(sent, 1);
  });

  test("asks before what was typed is left, by Escape, by Back and by a link", async () => {
    const id = await stored();
    const at = { root: things.root, path: `/docs/#/prefix/things/!new` };
    await visit(things.context, at, async (page) => {
      const asked: string[] = [];
      let stays = true;
      page.on("dialog", async (dialog) => {
        asked.push(dialog.type());
        await (stays ? dialog.dismiss() : dialog.accept());
      });
      await page.evaluate((hash) => location.hash = hash, `#/prefix/things/${id}/!edit`);
      await page.getByRole("heading", { name: `Edit thing ${id}` }).waitFor();
      await field(page, "name").fill("Changed");
      await press(page, "Escape");
      await page.goBack();
      await page.getByRole("link", { name: "genres" }).click();
      assert.equal(asked, ["confirm", "confirm", "confirm"]);
      assert.is(await field(page, "name").inputValue(), "Changed");
      assert.match(page.url(), new RegExp(`/things/${id}/!edit$`));
      stays = false;
      await field(page, "name").press("Escape");
      await page.waitForURL((url) => url.hash.endsWith(`/things/${id}/`));
    });
  });

  test("Escape closes the candidates, then asks, then leaves for where the form came from", async () => {
    const id = await stored();
    const at = { root: things.root, path: `/docs/#/prefix/things/${id}/!edit` };
    await visit(things.context, at, async (page) => {
      let asked = 0;
      page.on("dialog", async (dialog) => {
        await (asked++ === 0 ? dialog.dismiss() : dialog.accept());
      });
      await field(page, "genre").fill("roc");
      await candidates(page).first().waitFor();
      await press(page, "Escape");
      assert.is(await candidates(page).count(), 0);
      assert.equal([asked, await field(page, "genre").inputValue()], [0, "roc"]);
      await press(page, "Escape");
      assert.equal([asked, await field(page, "genre").inputValue()], [1, "roc"]);
      assert.match(page.url(), /!edit$/);
      // The same where the focus is in no field
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await press(page, "Escape");
      await page.waitForURL((url) => url.hash.endsWith(`/things/${id}/`));
      assert.is(asked, 2);
    });
  });

  browse("asks before the tab with what was typed is closed", "/things/!new", async (page) => {
    await field(page, "name").fill("Changed");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.is(dialog.type(), "beforeunload");
    await dialog.dismiss();
    assert.is(await field(page, "name").inputValue(), "Changed");
    page.once("dialog", (dialog) => dialog.accept());
  });

  browse("leaves an untouched form at once", "/things/!new", async (page) => {
    await field(page, "name").press("Escape");
    await page.waitForURL((url) => url.hash.endsWith("/things/"));
  });

  test("keeps what was typed while a token is asked for", async () => {
    const secured = await startThings({ authRequired: true });
    try {
      const at = { root: secured.root, path: "/docs/#/prefix/genres/!new" };
      await visit(secured.context, at, async (page) => {
        await field(page, "name").fill("Of a token");
        await create(page, "genre");
        for (const scope of ["read", "write"] as const) {
          await page.getByRole("textbox", { name: "Token" }).fill(
            await grant(secured.sql, { scope }),
          );
          assert.is(await field(page, "name").inputValue(), "Of a token");
          await page.getByRole("button", { name: "Use this token" }).click();
          if (scope === "read") await page.getByText("403 · Insufficient scope").waitFor();
        }
        await page.getByRole("heading", { name: "Of a token" }).waitFor();
      });
    } finally {
      await secured.stop();
    }
  });

  browse("shows what people wrote in the direction of its script", "/things/!new", async (page) => {
    const directions = (selector: string) =>
      page.locator(selector).evaluateAll((all) =>
        all.map((element) => getComputedStyle(element).direction)
      );
    await field(page, "name").fill("שלום");
    await field(page, "story").fill("שלום");
    await field(page, "tags").fill("ישן");
    await candidates(page).waitFor();
    for (
      const selector of [
        "#field-name",
        "#field-story",
        "#field-tags",
        "#field-tags-list [dir]",
        "pre bdi:has-text('שלום')",
      ]
    ) {
      assert.is((await directions(selector))[0], "rtl", selector);
    }
    await press(page, "Enter");
    await page.getByText("sends [5]").waitFor();
    assert.equal(await directions(".held bdi"), ["rtl"]);
    assert.equal(await directions("pre"), ["ltr"]);
  });

  browse(
    "has no barrier that axe-core knows, and fits in 320 pixels, light and dark",
    "/things/!new",
    async (page) => {
      await fillThing(page, { name: "x".repeat(210), genre: "Jazz" });
      await pickTags(page, "old", "slow", "loud", "older");
      await page.getByRole("button", { name: "old 3", exact: true }).click();
      await field(page, "genre").fill("Rock");
      await create(page, "thing");
      await page.getByText("Not saved: 1 field was refused").waitFor();
      await field(page, "genre").click();
      await candidates(page).first().waitFor();
      await press(page, "ArrowDown");
      await assertOpen(page);
    },
  );
}

runInBrowser(test, async () => things = await startThings(), define);
