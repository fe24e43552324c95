// How soon this server answers after the start of its process, and how large it is, in each of its
// forms and on each of its databases.
import { mkdirSync, statSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrateUp, openEmbedded } from "../house.ts";
import { freePort } from "../port.ts";
import { type Ended, type Environment, serve, start as startProgram } from "../program.ts";
import type { Contender } from "./contenders.ts";
import { fill } from "./database.ts";
import { generate } from "./generator.ts";
import { residentMegabytes } from "./process.ts";
import type { Bench, Section } from "./section.ts";
import { CONNECTIONS, kinds, ROWS } from "./settings.ts";
import { figure, median, table } from "./table.ts";

/** The paths whose first answer is waited for, each after a start of its own. */
const PATHS = ["/livez", "/readyz", "/api/foos/1/"];

const POLL_MILLISECONDS = 1;

export const start: Section = {
  meaning: "time to the first answer, memory and size of this server",
  async run(bench) {
    await fill(bench.sql, ROWS);
    const databases: Record<string, Environment> = {
      "a real Postgres": { DATABASE_URL: bench.url },
      "the embedded one": { DATA_DIR: await embedded(bench) },
    };
    const rows = [];
    for (const [name, database] of Object.entries(databases)) {
      for (const { command, ...form } of bench.forms) {
        const title = `${form.name}, on ${name}`;
        bench.progress(title);
        const times = [];
        for (const path of PATHS) {
          times.push(figure(await firstAnswer(command, database, path, bench)));
        }
        const { idle, peak } = await memory(command, database, bench);
        rows.push([title, ...times, figure(idle), figure(peak), size(command)]);
      }
    }
    const head = ["From the start of the process", ...PATHS.map((path) => `${path}, ms`)];
    return table([...head, "memory, MB", "under load, at most, MB", "file, MB"], rows);
  },
};

/** A folder with the same rows. */
async function embedded({ folder }: Bench): Promise<string> {
  const home = join(folder, "embedded");
  mkdirSync(home);
  const embedded = await openEmbedded(home);
  await migrateUp(embedded);
  await fill(embedded.sql, ROWS);
  await embedded.close();
  return home;
}

/** Milliseconds from the start of the process until a path is answered. */
async function firstAnswer(
  command: Contender["command"],
  environment: Environment,
  path: string,
  { rounds }: Bench,
): Promise<number> {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const port = await freePort();
    const began = performance.now();
    const program = startProgram(command, {
      ...environment,
      PORT: String(port),
      LOG_LEVEL: "error",
    });
    let end: Ended | undefined;
    program.ended.then((ended) => end = ended);
    while (await status(port, path) !== 200) {
      if (end) throw new Error(`The server ended with status ${end.status}: ${end.stderr}`);
      await delay(POLL_MILLISECONDS);
    }
    times.push(performance.now() - began);
    await program.kill("SIGTERM");
  }
  return median(times);
}

/** The status of an answer; undefined where nothing listens yet. */
function status(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    }).once("error", () => resolve(undefined));
  });
}

/** Resident megabytes after the first reading, and at most while reading and writing. */
async function memory(
  command: Contender["command"],
  environment: Environment,
  { seconds }: Bench,
): Promise<{ idle: number; peak: number }> {
  const { pid, url, kill } = await serve(environment, { command });
  await (await fetch(`${url}/api/foos/1/`)).text();
  const idle = residentMegabytes(pid).now;
  for (const kind of kinds) await generate(url, { ...kind, connections: CONNECTIONS[2] }, seconds);
  const { peak } = residentMegabytes(pid);
  await kill("SIGTERM");
  return { idle, peak };
}

/** Megabytes of a form that is one file, which needs no other. */
function size([file, ...rest]: Contender["command"]): string {
  return rest.length === 0 ? figure(statSync(file!).size / 1e6) : "";
}
