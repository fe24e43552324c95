// What a person reads who starts the server at a terminal, here one that `script` makes.
// Needs: Deno, time
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { afterwards, endAll, type Environment, source, start, until } from "./program.ts";
import { freshPostgres, temporaryFolder } from "./service.ts";

const suiteOf = suite("terminal");
const test = spawnSync("script", ["--version"]).status === 0 ? suiteOf : suiteOf.skip;

suiteOf.after.each(endAll);

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/.$/, "");

/** The lines on the terminal until the server has said where to look, and whether the page is there. */
async function linesOf(environment: Environment): Promise<string[]> {
  const settings = { PORT: "0", LOG_LEVEL: "error", ...environment };
  const terminal = start(["script", "-qec", source.join(" "), "/dev/null"], settings);
  await until("the server says where to look", () => terminal.stdout().includes("/docs/\r\n"));
  const lines = terminal.stdout().trimEnd().split("\r\n");
  assert.is((await fetch(/http:\S+$/.exec(lines.at(-1)!)![0])).status, 200);
  await terminal.kill("SIGTERM"); // `script` ends the server, and waits for it
  return lines.map((line) => line.replaceAll(/http:\/\/127.0.0.1:\d+/g, "URL"));
}

/** What is said where no project is in the working directory. */
const SAMPLES =
  `It serves the samples of its specification, because "${root}" has no folder "resources"`;

test("shows the first start what it makes, and every start what it serves and where to look", async () => {
  const folder = temporaryFolder();
  afterwards(folder.remove);
  const lines = [
    "Relata serves URL",
    SAMPLES,
    `Its data is in ${folder.path}`,
    "Look at URL/docs/",
  ];
  const environment = { DATA_DIR: folder.path };
  assert.equal(await linesOf(environment), [
    `Relata makes its database in ${folder.path}`,
    ...lines,
  ]);
  assert.equal(await linesOf(environment), lines);
});

test("shows the database of a real Postgres", async () => {
  const { url, stop } = await freshPostgres();
  afterwards(stop);
  const { hostname, pathname } = new URL(url);
  assert.equal(await linesOf({ DATABASE_URL: url }), [
    "Relata serves URL",
    SAMPLES,
    `Its data is in database "${pathname.slice(1)}" on ${hostname}`,
    "Look at URL/docs/",
  ]);
});

suiteOf.run();
