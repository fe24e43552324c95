// Rows as a file and rows from a file, on the page: in a real browser, with files that are saved and chosen.
// Needs: a browser
/// <reference lib="dom" />
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertOpen, hold, runInBrowser, type Site, startSite, visit } from "./browser.ts";
import { fill } from "./store/rows.ts";
import { reports, resources, up } from "./store/store.ts";

const test = suite("docs with CSV");
let site: Site;
let service: Site["services"][number];

async function start() {
  site = await startSite([{ resources, reports }], { tables: up, acceptDownloads: true });
  service = site.services[0]!;
  await fill(service);
  const { body } = await service.send("GET /api/tags/?count=true");
  const odd = [
    "=1+1",
    "+2",
    "-3",
    "@sum",
    "\tx",
    "'=1",
    'a "b", c',
    "two\nlines",
    "إنت عمري",
    " x",
  ];
  const names = Array.from({ length: 450 - body.count }, (_, n) => odd[n] ?? `tag ${n}`);
  await service.send("POST /api/tags/batch/", names.map((name) => ({ name })));
  return site;
}

/** A test on a page of its own, at an address in the page. */
function browse(title: string, at: string, work: (page: Page) => Promise<void>) {
  test(title, () => visit(site.context, { root: service.root, path: `/docs/#${at}` }, work));
}

/** The file that a button gives: its name and its text. */
async function saved(
  page: Page,
  press: () => Promise<void>,
): Promise<[name: string, text: string]> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).click();

const choose = (page: Page, text: string | Uint8Array) =>
  page.getByLabel("A CSV file").setInputFiles({
    name: "rows.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(text as string),
  });

const counted = async (path: string): Promise<number> =>
  (await service.send(`GET ${path}${path.includes("?") ? "&" : "?"}count=true&limit=1`)).body.count;

function define() {
  browse("a list becomes a file through all its pages", "/api/tags/?sort=id", async (page) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).search));
    const [name, text] = await saved(page, () => press(page, "Export"));
    assert.is(name, "tags.csv");
    assert.equal(asked.filter((query) => query.includes("limit=200")).length, 3);
    assert.ok(text.startsWith("\ufeffid,name\r\n"));
    assert.ok(text.endsWith("\r\n"));
    // One name has a line break
    assert.is(text.split("\r\n").length, 452);
    for (
      const cell of [
        ",'=1+1\r\n",
        ",'+2\r\n",
        ",'-3\r\n",
        ",'@sum\r\n",
        ',"\'\tx"\r\n',
        ",''=1\r\n",
        ',"a ""b"", c"\r\n',
        ',"two\nlines"\r\n',
        ",إنت عمري\r\n",
        '," x"\r\n',
      ]
    ) assert.ok(text.includes(cell), cell);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.is(await page.evaluate(() => document.activeElement?.id), "export");
  });

  browse(
    "a list becomes a file as it is narrowed and sorted, with all fields, relations by identifier and name",
    "/api/tracks/?gain__lt=0&sort=-id",
    async (page) => {
      const track = { name: "Low", album: 1, milliseconds: 1, gain: -6.5, tags: [1, 2] };
      const { body } = await service.send("POST /api/tracks/", track);
      await page.reload();
      const [, text] = await saved(page, () => press(page, "Export"));
      const [head, first] = text.split("\r\n");
      assert.is(
        head,
        "\ufeffid,name,album,album name,composer,isrc,milliseconds,price,rating,gain,explicit,tags,genres",
      );
      const { title } = body.album;
      assert.is(first, `${body.id},Low,1,${title},,,1,0.99,0,-6.5,false,"1,2",`);
      assert.is(text.split("\r\n").length - 2, await counted("/api/tracks/?gain__lt=0"));
    },
  );

  browse("a file that is being made can be stopped", "/api/tags/", async (page) => {
    const arrive = await hold(page, "**/api/tags/?*cursor*");
    let isSaved = false;
    page.on("download", () => isSaved = true);
    await press(page, "Export");
    await page.getByText("200 rows so far").waitFor();
    await assertOpen(page);
    await press(page, "Stop");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    arrive();
    const [, text] = await saved(page, () => press(page, "Export"));
    assert.is(text.split("\r\n").length, 452);
    assert.ok(isSaved);
  });

  browse("a page that cannot be read makes no file until it can", "/api/tags/", async (page) => {
    let count = 0;
    await page.route("**/api/tags/?*cursor*", async (route) => {
      count++;
      if (count === 1) await route.fulfill({ status: 503, headers: { "retry-after": "1" } });
      else if (count === 2) {
        await route.fulfill({ status: 400, json: { detail: "The cursor is lost" } });
      } else await route.continue();
    });
    let isSaved = false;
    page.on("download", () => isSaved = true);
    await press(page, "Export");
    await page.getByText("The cursor is lost").waitFor();
    assert.is(isSaved, false);
    const [, text] = await saved(page, () => press(page, "Go on"));
    assert.is(text.split("\r\n").length, 452);
  });

  browse(
    "the rows of a report become a file",
    "/api/reports/sales/?from=2000-01-01",
    async (page) => {
      const { body } = await service.send("GET /api/reports/sales/?from=2000-01-01");
      assert.ok(body.items.length > 0);
      const [name, text] = await saved(page, () => press(page, "Export"));
      assert.is(name, "sales.csv");
      assert.is(text.split("\r\n").length, body.items.length + 2);
      assert.ok(text.startsWith(`\ufeff${Object.keys(body.items[0]).join(",")}\r\n`));
    },
  );

  browse(
    "a file of a spreadsheet becomes rows: semicolons, commas in numbers, quotes, characters of Windows",
    "/api/tracks/",
    async (page) => {
      await page.getByRole("link", { name: "Import", exact: true }).click();
      const text = "Name;ALBUM;milliseconds;price;gain;explicit;tags;remark\r\n" +
        '"Straße; ""neu""\nzwei";1;1000;1.234,50;-1,5;WAHR;;x\r\n\'=B;1;2000;2,5;;yes;1,2;\r\n';
      const windows = Uint8Array.from(text, (character) => character.charCodeAt(0));
      await choose(page, windows);
      await page.getByRole("combobox", { name: "remark becomes" }).waitFor();
      assert.is(await page.getByRole("combobox", { name: "ALBUM becomes" }).inputValue(), "album");
      assert.is(await page.getByRole("combobox", { name: "remark becomes" }).inputValue(), "");
      await page.getByRole("combobox", { name: "explicit becomes" }).selectOption("left out");
      await assertOpen(page);
      await press(page, "Create 2 tracks");
      await page.locator("main").getByText("2 tracks created").waitFor();
      const { items } = (await service.send("GET /api/tracks/?sort=-id&limit=2")).body;
      assert.equal(
        items.map((
          { name, price, gain, tags }: Record<string, unknown>,
        ) => [name, price, gain, tags]),
        [
          ["=B", "2.50", null, (await service.send("GET /api/tags/?sort=id&limit=2")).body.items],
          ['Straße; "neu"\nzwei', "1234.50", -1.5, []],
        ],
      );
    },
  );

  browse(
    "a bad line is told by its number and creates none; mended, each line is created once",
    "/api/tracks/!import",
    async (page) => {
      const head = "name,album,price,milliseconds\r\n";
      const lines = [
        '"Mended\none",1,1.50,1000\r\n',
        "Mended two,999999,1.50,1000\r\n",
        "Mended three,1,x,1000\r\n",
      ];
      await choose(page, head + lines.join(""));
      await press(page, "Create 3 tracks");
      await page.locator("main").getByText("No track was created").waitFor();
      assert.is(await counted("/api/tracks/?q=Mended"), 0);
      const row = (number: string) =>
        page.getByRole("row", { name: new RegExp(`^Line ${number} `) });
      await row("4").getByText("No album has the identifier 999999").waitFor();
      await row("5").getByText("Write a number such as").waitFor();
      await assertOpen(page);
      const [name, text] = await saved(page, () => press(page, "Save these lines"));
      assert.is(name, "tracks not created.csv");
      assert.equal(text.split("\r\n").slice(0, 3), [
        "\ufeffname,album,price,milliseconds,error",
        '"Mended\none",1,1.50,1000,',
        "Mended two,999999,1.50,1000,album: No album has the identifier 999999",
      ]);
      await press(page, "Another file");
      const mended = text.replace("999999", "1").replace(",x,", ",1.50,");
      await choose(page, mended);
      assert.is(await page.getByRole("combobox", { name: "error becomes" }).inputValue(), "");
      await press(page, "Create 3 tracks");
      await page.locator("main").getByText("3 tracks created").waitFor();
      await press(page, "Another file");
      await choose(page, mended.replace(/$/, "Mended four,1,1.50,1000\r\n"));
      await page.getByText("3 of the 4 lines were created here before.").waitFor();
      await press(page, "Create 1 track");
      await page.locator("main").getByText("1 track created").waitFor();
      assert.is(await counted("/api/tracks/?q=Mended"), 4);
    },
  );

  browse(
    "a request takes a thousand rows; where one is refused, the others are created",
    "/api/tags/!import",
    async (page) => {
      const line = (n: number) => `${n === 1500 ? "x".repeat(500) : `bulk ${n}`}\r\n`;
      const text = (from: number) =>
        `name\r\n${Array.from({ length: 2100 - from }, (_, n) => line(from + n)).join("")}`;
      await choose(page, text(0));
      await press(page, "Create 2100 tags");
      await page.locator("main").getByText("1100 tags created").waitFor();
      await page.getByText("1000 lines are left").waitFor();
      await page.getByRole("row", { name: /^Line 1502 name/ }).waitFor();
      assert.is(await counted("/api/tags/?q=bulk"), 1100);
      await press(page, "Another file");
      await choose(page, text(0).replace("x".repeat(500), "bulk 1500"));
      await press(page, "Create 1000 tags");
      await page.locator("main").getByText("1000 tags created").waitFor();
      assert.is(await counted("/api/tags/?q=bulk"), 2100);
      // Another file between, of other rows, changes nothing of it
      await page.evaluate(() => location.hash = "#/api/artists/!import");
      await choose(page, "name,country\r\nBetween,SE\r\n");
      await press(page, "Create 1 artist");
      await page.locator("main").getByText("1 artist created").waitFor();
      await page.evaluate(() => location.hash = "#/api/tags/!import");
      await page.reload();
      await choose(page, text(0).replace("x".repeat(500), "bulk 1500"));
      await page.getByText("2100 of the 2100 lines were created here before.").waitFor();
    },
  );

  browse(
    "lines that are given back are read alike, whatever was beside them",
    "/api/tracks/!import",
    async (page) => {
      const lines = ["Given one;1;1000;1.234,5", "Given two;999999;1000;2.500"];
      await choose(page, ["name;album;milliseconds;gain", ...lines, ""].join("\n"));
      await press(page, "Create 2 tracks");
      await page.locator("main").getByText("No track was created").waitFor();
      const [, text] = await saved(page, () => press(page, "Save these lines"));
      assert.ok(text.includes("Given one,1,1000,1234.5,"), text);
      assert.ok(text.includes("Given two,999999,1000,2500,"), text);
    },
  );

  browse("an import without an answer can be ended", "/api/tags/!import", async (page) => {
    await page.clock.install();
    await page.route("**/api/tags/batch/", (route) => route.abort());
    await choose(page, "name\nnever told\n");
    await press(page, "Create 1 tag");
    while (!await page.getByText("To send the same again is safe").isVisible()) {
      await page.clock.runFor(1000);
    }
    await press(page, "Stop");
    await page.locator("main").getByText("0 tags created, no answer came of 1 line").waitFor();
    await page.unroute("**/api/tags/batch/");
    await press(page, "Go on");
    await page.locator("main").getByText("1 tag created").waitFor();
  });

  browse("an import that is refused as a whole can be ended", "/api/tags/!import", async (page) => {
    await page.route(
      "**/api/tags/batch/",
      (route) => route.fulfill({ status: 413, json: { detail: "Send at most 9 bytes" } }),
    );
    await choose(page, "name\nended one\n");
    await press(page, "Create 1 tag");
    await page.getByText("Send at most 9 bytes").waitFor();
    await press(page, "Stop");
    await page.locator("main").getByText("No tag was created").waitFor();
    await page.getByRole("button", { name: "Save these lines" }).waitFor();
    await assertOpen(page);
  });

  browse("rows whose answer is lost are created once", "/api/tags/!import", async (page) => {
    await page.route("**/api/tags/batch/", async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await page.getByLabel("Or lines that are pasted here").fill(
      "name\tx\nlost one\t1\nlost two\t2",
    );
    await press(page, "Go on");
    await press(page, "Create 2 tags");
    await page.locator("main").getByText("2 tags created").waitFor();
    assert.is(await counted("/api/tags/?q=lost"), 2);
  });

  browse("an import can be stopped and gone on with", "/api/tags/!import", async (page) => {
    const arrive = await hold(page, "**/api/tags/batch/");
    const lines = Array.from({ length: 1001 }, (_, n) => `stopped ${n}`).join("\n");
    await choose(page, `name\n${lines}`);
    await press(page, "Create 1001 tags");
    await page.getByRole("progressbar", { name: "Rows are created" }).waitFor();
    await press(page, "Stop");
    arrive();
    await page.locator("main").getByText("1000 tags created").waitFor();
    await press(page, "Go on");
    await page.locator("main").getByText("1001 tags created").waitFor();
    assert.is(await counted("/api/tags/?q=stopped"), 1001);
  });

  browse(
    "what was created after the page was left is not created again",
    "/api/tags/!import",
    async (page) => {
      const text = "name\r\nleft one\r\n";
      const arrive = await hold(page, "**/api/tags/batch/");
      await choose(page, text);
      await press(page, "Create 1 tag");
      page.once("dialog", (dialog) => dialog.accept());
      const answered = page.waitForResponse("**/api/tags/batch/");
      await page.evaluate(() => location.hash = "#/api/albums/");
      await page.getByRole("heading", { level: 1, name: "Albums" }).waitFor();
      arrive();
      await (await answered).finished();
      await page.evaluate(() => location.hash = "#/api/tags/!import");
      await choose(page, text);
      await page.getByText("1 of the 1 lines were created here before.").waitFor();
      assert.is(await counted("/api/tags/?q=left"), 1);
    },
  );

  browse(
    "a row that two views waited for was created once",
    "/api/tags/!import",
    async (page) => {
      const text = "name\r\nawaited\r\n";
      const arrive = await hold(page, "**/api/tags/batch/");
      page.on("dialog", (dialog) => dialog.accept());
      for (const left of ["Albums", "Artists"]) {
        await page.evaluate((left) => location.hash = `#/api/${left.toLowerCase()}/`, left);
        await page.getByRole("heading", { level: 1, name: left }).waitFor();
        await page.evaluate(() => location.hash = "#/api/tags/!import");
        await choose(page, text);
        await press(page, "Create 1 tag");
        await page.getByRole("progressbar").waitFor();
      }
      arrive();
      await page.locator("main").getByText("1 tag created").waitFor();
      await press(page, "Another file");
      await choose(page, `${text}awaited\r\n`);
      await page.getByText("1 of the 2 lines were created here before.").waitFor();
      assert.is(await counted("/api/tags/?q=awaited"), 1);
    },
  );

  browse(
    "a request is as long as the server takes, whatever the alphabet",
    "/api/tracks/!import",
    async (page) => {
      const sizes: number[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") sizes.push(request.postDataBuffer()!.length);
      });
      const lines = Array.from(
        { length: 1000 },
        (_, n) => `${"音".repeat(190)}${n},${"楽".repeat(200)},1,1000\n`,
      );
      await choose(page, `name,composer,album,milliseconds\n${lines.join("")}`);
      await press(page, "Create 1000 tracks");
      await page.locator("main").getByText("1000 tracks created").waitFor();
      assert.ok(sizes.every((size) => size < 1_048_576), String(sizes));
    },
  );

  // The cells of a file, and what is stored; nothing where the server refuses them
  for (
    const [title, cells, stored] of [
      ["a comma and no thousands", ['"1,50"', "12.50"], [1.5, 12.5]],
      ["commas between thousands", ['"1,234"', '"1,234.50"'], []],
      ["commas alone that may be between thousands", ['"1,234"', '"2,345"'], []],
      ["points between thousands", ['"1.234,50"', '"2,5"'], [1234.5, 2.5]],
      ["a comma and a point where no thousands end", ['"1,5"', "1.2345"], [1.5, 1.2345]],
      ["a comma and a point below one", ['"0,1"', "0.125"], [0.1, 0.125]],
      ["a comma, a point, and what may be both", ['"1,5"', "1.25", "1.234"], []],
      ["a sign and hexadecimal digits", ["+1.5", "0x10"], []],
    ] as const
  ) {
    browse(`figures with ${title} become no others`, "/api/tracks/!import", async (page) => {
      const name = `Figures ${title}`;
      const lines = cells.map((cell) => `${name},1,1000,${cell}\n`);
      await choose(page, `name,album,milliseconds,gain\n${lines.join("")}`);
      await press(page, `Create ${cells.length} tracks`);
      await page.locator("main").getByText(/^(2|No) tracks? (was )?created$/).waitFor();
      const asked = `sort=id&name=${name.replaceAll(" ", "+")}`;
      const { items } = (await service.send(`GET /api/tracks/?${asked}`)).body;
      assert.equal(items.map(({ gain }: { gain: number }) => gain), stored);
    });
  }

  browse(
    "what was created before the page was loaded anew is not created again, unless it is wanted",
    "/api/tracks/!import",
    async (page) => {
      const text = `name,album,milliseconds\n${
        Array.from({ length: 1001 }, (_, n) => `anew ${n},1,1000`).join("\n")
      }`;
      let count = 0;
      await page.route("**/api/tracks/batch/", async (route) => {
        count++;
        if (count !== 2) await route.continue(); // the second one is not sent
      });
      await choose(page, text);
      const first = page.waitForResponse("**/api/tracks/batch/");
      await press(page, "Create 1001 tracks");
      await (await first).finished();
      await page.locator("progress[value='1000']").waitFor();
      page.once("dialog", (dialog) => dialog.accept());
      await page.reload();
      await choose(page, text);
      await page.getByText("1000 of the 1001 lines were created here before.").waitFor();
      await press(page, "Create 1 track");
      await page.locator("main").getByText("1 track created").waitFor();
      assert.is(await counted("/api/tracks/?q=anew"), 1001);
      await page.reload();
      await choose(page, text);
      await page.getByText("1001 of the 1001 lines were created here before.").waitFor();
      assert.ok(await page.getByRole("button", { name: "Create 0 tracks" }).isDisabled());
      await page.getByLabel("Create them again").check();
      await assertOpen(page);
      await press(page, "Create 1001 tracks");
      await page.locator("main").getByText("1001 tracks created").waitFor();
      assert.is(await counted("/api/tracks/?q=anew"), 2002);
    },
  );

  browse(
    "rows whose answer was lost are created once also where other files came between",
    "/api/tags/!import",
    async (page) => {
      let isLost = false;
      await page.route("**/api/tags/batch/", async (route) => {
        if (isLost) return await route.continue();
        isLost = true;
        await route.fetch(); // and no answer comes
      });
      await choose(page, "name\nbetween one\nbetween two\n");
      await press(page, "Create 2 tags");
      while (await counted("/api/tags/?q=between+") !== 2);
      page.once("dialog", (dialog) => dialog.accept());
      await page.reload();
      for (const [text, count] of [["between three\n", 3], ["between one\nbetween two\n", 3]]) {
        await choose(page, `name\n${text}`);
        await page.getByRole("button", { name: /^Create \d tags?$/ }).click();
        await page.locator("main").getByText(/\d tags? created/).waitFor();
        assert.is(await counted("/api/tags/?q=between+"), count);
        await press(page, "Another file");
      }
    },
  );

  for (const coding of ["utf-16le", "utf-16be"]) {
    browse(`a file in ${coding} is read as what it says`, "/api/tags/!import", async (page) => {
      const name = `Ærlig ${coding} 音`;
      const text = Buffer.from(`\ufeffname\tx\r\n${name}\t1\r\n`, "utf16le");
      await choose(page, coding === "utf-16le" ? text : text.swap16());
      await press(page, "Create 1 tag");
      await page.locator("main").getByText("1 tag created").waitFor();
      assert.is(await counted(`/api/tags/?name=${encodeURIComponent(name)}`), 1);
    });
  }

  browse("a file may name any separator", "/api/tags/!import", async (page) => {
    await choose(page, '"SEP=|"\r\nname|x\r\nbetween bars|1\r\n');
    await press(page, "Create 1 tag");
    await page.locator("main").getByText("1 tag created").waitFor();
    assert.is(await counted("/api/tags/?name=between+bars"), 1);
  });

  browse("a file without lines says so", "/api/tags/!import", async (page) => {
    await choose(page, "name\r\n");
    await page.getByText("It has no line after that with the columns").waitFor();
    await choose(page, "label\r\nx\r\n");
    await page.getByText("No column becomes name, which each row needs.").waitFor();
    await press(page, "Another file");
    await choose(page, "name\r\nOne\r\nSmith, John\r\n");
    await page.getByText("Line 3 has more cells than there are columns").waitFor();
  });

  browse("a file that is not written as it says is refused", "/api/tags/!import", async (page) => {
    const marked = Uint8Array.from([0xef, 0xbb, 0xbf, ...Buffer.from("name\nZo"), 0xeb, 0x0a]);
    await choose(page, marked);
    await page.getByText("It says that it is in utf-8, and is not").waitFor();
    await choose(page, Uint8Array.from([...Buffer.from("\ufeffname\nx\n", "utf16le"), 0x61]));
    await page.getByText("It says that it is in utf-16le, and is not").waitFor();
    await choose(page, Uint8Array.from([...Buffer.from("name\nZo"), 0xeb, 0x0a]));
    await page.getByText("It is read as a file of Windows").waitFor();
    await page.getByText("Zoë").waitFor();
  });

  browse("a column without a name is called by its place", "/api/tags/!import", async (page) => {
    await choose(page, `name, ,\r\n${"x".repeat(500)},left,\r\n`);
    assert.equal(await page.getByRole("rowheader").allInnerTexts(), [
      "name",
      "Column 2",
      "Column 3",
    ]);
    await assertOpen(page);
    await press(page, "Create 1 tag");
    await page.getByText("1 line is left").waitFor();
    await page.getByRole("region", { name: "What was refused" }).getByText("Line 2").waitFor();
    await assertOpen(page);
  });
}

runInBrowser(test, start, define);
