// The benchmark: starts a Postgres, runs its sections, and prints what they found, as Markdown.
//   npm run bench [-- SECTION …] [--rounds N] [--seconds N]
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { clientOf } from "../client.ts";
import { migrateUp } from "../house.ts";
import { startPostgres } from "../postgres.ts";
import { endAll, paths, serve } from "../program.ts";
import { batch } from "./batch.ts";
import { binary, type Contender, ours, root, runtimes } from "./contenders.ts";
import { growth } from "./growth.ts";
import { headers } from "./headers.ts";
import { load } from "./load.ts";
import { machine } from "./machine.ts";
import type { Section } from "./section.ts";
import { shop } from "./shop.ts";
import { start } from "./start.ts";
import { POSTGRES, ROUNDS, SECONDS } from "./settings.ts";

const sections: Record<string, Section> = { load, batch, shop, start, headers, growth };

/** What runs where nothing is named. */
const usual = ["load", "batch", "start", "headers"];

const DATABASE = "relata_bench";

const { chosen, rounds, seconds } = asked();
const progress = (text: string) => console.error(`bench: ${text}`);
const folder = mkdtempSync(join(tmpdir(), "relata-bench-"));
const postgres = await startPostgres(POSTGRES);
try {
  const server = clientOf(postgres.url);
  await server`drop database if exists ${server(DATABASE)} with (force)`;
  await server`create database ${server(DATABASE)}`;
  const url = new URL(`/${DATABASE}`, postgres.url).href;
  await migrateUp(url);
  const sql = clientOf(url);
  const forms = installed();
  for (const { command } of forms) {
    // What a first start leaves to all others is there then
    const server = await serve({ DATABASE_URL: url }, { command });
    await server.kill("SIGTERM");
  }
  console.log(await machine(sql));
  if (forms.length < ours.length) console.log("The single binary does not build here.");
  for (const name of chosen) {
    const bench = { url, sql, folder, forms, rounds, seconds, progress };
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

/** This server in the forms that it has here. The binary is a copy, as an operator's is: Linux may map
 * in far larger pieces what was written in one, and counts all of them as resident. */
function installed(): Contender[] {
  const copy = join(folder, "relata");
  const builds = spawnSync(runtimes.Node[0]!, [join(root, paths.build)]).status === 0;
  if (builds) copyFileSync(binary, copy);
  return ours.flatMap((form) => {
    if (form.command[0] !== binary) return [form];
    return builds ? [{ ...form, command: [copy] }] : [];
  });
}

function asked(): { chosen: string[]; rounds: number; seconds: number } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: String(ROUNDS) },
        seconds: { type: "string", default: String(SECONDS) },
      },
    });
    const unknown = positionals.find((name) => !Object.hasOwn(sections, name));
    if (unknown !== undefined) {
      throw new Error(
        `No section is named "${unknown}": there are ${Object.keys(sections).join(", ")}`,
      );
    }
    for (const [name, value] of Object.entries(values)) {
      if (!/^[1-9]\d*$/.test(value)) {
        throw new Error(`"--${name}" is a positive integer: "${value}"`);
      }
    }
    return {
      chosen: positionals.length > 0 ? positionals : usual,
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
    };
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
    process.exit(2);
  }
}
