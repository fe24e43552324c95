// Postgres without HTTP: how often a second it runs a statement, prepared, as pgbench measures it
// where that is installed.
import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The version of pgbench; undefined where it is not installed. */
export const version = /\d[\d.]*/.exec(
  spawnSync("pgbench", ["--version"], { encoding: "utf8" }).stdout ?? "",
)?.[0];

export interface Transactions {
  /** The SQL, with parameters $1, $2 and so on. */
  statement: string;
  /** The largest of each parameter's numbers; the smallest is 1. */
  ranges: readonly number[];
  clients: number;
  seconds: number;
}

/** Resolves to transactions a second; the script of pgbench goes into the folder. */
export async function pgbench(
  url: string,
  folder: string,
  { statement, ranges, clients, seconds }: Transactions,
): Promise<number> {
  const script = join(folder, "pgbench.sql");
  const parameters = ranges.map((upTo, index) => `\\set p${index + 1} random(1, ${upTo})`);
  writeFileSync(script, [...parameters, `${statement.replaceAll("$", ":p")};`].join("\n"));
  const { stdout } = await run(
    "pgbench",
    [
      ["--no-vacuum", "--protocol", "prepared", "--file", script],
      ["--client", String(clients), "--time", String(seconds), url],
    ].flat(),
  );
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}
