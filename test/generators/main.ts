// `npm run generators`: makes clients from the document with the generators that callers use, compiles
// them, and runs one against the server. It installs the generators, so it is not a part of the gate.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as assert from "uvu/assert";
import { endAll, serve, start } from "../program.ts";
import { temporaryFolder } from "../service.ts";

/** The command of each generator, by the folder that it writes. */
const generators: Record<string, string> = {
  "hey-api": "openapi-ts -i openapi.json -o hey-api --no-log-file",
  "orval-fetch": "orval --input openapi.json --output orval-fetch/index.ts --client fetch",
  "orval-zod": "orval --input openapi.json --output orval-zod/index.ts --client zod",
  "kubb": "kubb generate --config kubb.config.ts",
  // By default it reads application/json alone, so problems would have no schema
  "openapi-zod-client":
    "openapi-zod-client openapi.json -o openapi-zod-client/index.ts --media-type-expr true",
  "openapi-typescript": "openapi-typescript openapi.json -o openapi-typescript/index.ts",
};

const inputs = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "kubb.config.ts",
  "client.ts",
];

/** Milliseconds that a program has, an installation too. */
const PATIENCE = 600_000;

// Outside of `test`, whose files other tests read and copy
const folder = fileURLToPath(new URL("../../dist/generators", import.meta.url));
const database = temporaryFolder();

try {
  mkdirSync(folder, { recursive: true });
  for (const name of inputs) copyFileSync(new URL(name, import.meta.url), join(folder, name));
  await run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  const server = await serve({ DATA_DIR: database.path }, { lifetime: PATIENCE });
  const document = await fetch(`${server.url}/openapi.json`).then((answer) => answer.text());
  writeFileSync(join(folder, "openapi.json"), document);

  for (const [name, command] of Object.entries(generators)) {
    await report(name, () => generated(name, command));
  }
  await report("the client of hey-api, run", () => exercised(server.url));
} finally {
  await endAll();
  database.remove();
}

/** Prints a line of what is tried, and why it failed if it did. */
async function report(name: string, attempt: () => Promise<string>): Promise<void> {
  try {
    console.log(`ok   ${name}: ${await attempt()}`);
  } catch (error) {
    console.log(`FAIL ${name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

/** Makes a client and compiles it. */
async function generated(name: string, command: string): Promise<string> {
  const own = join(folder, name);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  await run(installed(command));
  const files = readdirSync(own, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"));
  assert.ok(files.length > 0, "It wrote nothing");
  const config = { extends: "../tsconfig.json", include: ["."] };
  writeFileSync(join(own, "tsconfig.json"), JSON.stringify(config));
  await run(installed(`tsc -p ${name}`));
  const text = files.map((file) => readFileSync(join(own, file), "utf8")).join("");
  return `${text.split("\n").length - 1} lines`;
}

/** Compiles `client.ts`, makes it one file that this runtime can load, and runs it. */
async function exercised(baseUrl: string): Promise<string> {
  await run(installed("tsc -p ."));
  const outfile = join(folder, "client.js");
  const entryPoints = [join(folder, "client.ts")];
  await build({ entryPoints, bundle: true, format: "esm", platform: "node", outfile });
  const { exercise } = await import(pathToFileURL(outfile).href);
  assert.equal(await exercise(baseUrl), {
    created: "Bar one",
    read: "Bar one",
    listed: ["Foo one of Bar one"],
    status: 422,
    failures: [{ pointer: "/bar", code: "does_not_exist" }],
  });
  return "it created, read, listed, and was told what is wrong";
}

/** Runs a program in the folder; throws what it printed if it fails. */
async function run(command: string[]): Promise<void> {
  const how = { folder, lifetime: PATIENCE };
  const { status, stdout, stderr } = await start(command, { DO_NOT_TRACK: "1" }, how).ended;
  if (status !== 0) throw new Error(`"${command.join(" ")}" fails\n${stdout}${stderr}`);
}

/** A command line of what is installed there. */
function installed(line: string): string[] {
  const [name = "", ...args] = line.split(" ");
  return [process.execPath, join(folder, "node_modules", ".bin", name), ...args];
}
