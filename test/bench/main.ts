// The benchmark: starts a Postgres, runs its sections, and prints what they found, as Markdown.
//   npm run bench [-- SECTION …] [--rounds N] [--seconds N]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { migrateUp } from "../../src/database/migrations.ts";
import { connect } from "../../src/database/sql.ts";
import { startPostgres } from "../postgres.ts";
import { endAll } from "../program.ts";
import { ours, root, runtimes } from "./contenders.ts";
import { growth } from "./growth.ts";
import { load } from "./load.ts";
import { machine } from "./machine.ts";
import type { Section } from "./section.ts";
import { start } from "./start.ts";
import { POSTGRES, ROUNDS, SECONDS } from "./settings.ts";

const sections: Record<string, Section> = { load, start, growth };

/** What runs where nothing is named. */
const main = ["load", "start"];

const DATABASE = "relata_bench";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: String(ROUNDS) },
    seconds: { type: "string", default: String(SECONDS) },
  },
});
const chosen = positionals.length > 0 ? positionals : main;
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
const unknown = chosen.find((name) => !Object.hasOwn(sections, name));
if (unknown !== undefined) {
  refuse(`Unknown section "${unknown}": there are ${Object.keys(sections).join(", ")}`);
}
if (!(rounds >= 1 && seconds >= 1)) refuse("Rounds and seconds are integers from 1");

const progress = (text: string) => console.error(`bench: ${text}`);
const folder = mkdtempSync(join(tmpdir(), "relata-bench-"));
const postgres = await startPostgres(POSTGRES);
try {
  const server = connect(postgres.url, { connections: 1, timeLimit: 60 });
  await server`drop database if exists ${server(DATABASE)} with (force)`;
  await server`create database ${server(DATABASE)}`;
  const url = new URL(`/${DATABASE}`, postgres.url).href;
  const sql = connect(url, { connections: 1, timeLimit: 60 });
  await migrateUp(sql);
  progress("npm run build");
  execFileSync(runtimes.Node[0]!, [join(root, "src/build.ts")]);
  console.log(await machine(sql));
  for (const name of chosen) {
    const bench = { url, sql, folder, forms: ours, rounds, seconds, progress };
    console.log(`\n${await sections[name]!.run(bench)}`);
  }
  await sql.end();
  await server`drop database ${server(DATABASE)} with (force)`;
  await server.end();
} finally {
  await endAll();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

function refuse(message: string): never {
  console.error(`bench: ${message}`);
  process.exit(2);
}
