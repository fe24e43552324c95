// Applies and reverts the files in `sql/`, and tells which of them a database lacks. The files are plain
// SQL and record themselves in the table `relata_migration`, so psql can apply them too.
import { hash } from "node:crypto";
import { migrationNames, sqlText } from "../bundle/files.ts";
import type { Database } from "./database.ts";
import { hiddenHistory } from "./seen.ts";
import { reads, sql } from "./sql.ts";
import { type Migration, type Step, stepText, take } from "./step.ts";

export interface Status {
  number: number;
  name: string;
  /** `unverified`: applied by psql, which keeps no checksum. `unknown`: not in this program. */
  state: "applied" | "unverified" | "edited" | "pending" | "unknown";
  /** As ISO 8601 writes it, in UTC. */
  appliedAt: string | null;
}

/** Where a run ends, and a function to call for each step. */
export interface Run {
  /** The number of the migration to end at; 0 stands for none. */
  to?: number | undefined;
  tell?(step: Step): void | Promise<void>;
}

interface Applied {
  number: number;
  name: string;
  applied_at: string;
  checksum: string | null;
}

/** The name of a file: the number of its migration, from 1 on, and the direction. */
const FILE = /^(?<name>(?<number>0*[1-9]\d{0,8})_.+)\.(?<direction>up|down)\.sql$/;

/** The migrations this program carries, in order; throws if the files contradict each other. */
export function knownMigrations(): Migration[] {
  const files = migrationNames();
  const known = new Map<number, string>();
  for (const file of files) {
    const { name = "", number, direction } = FILE.exec(file)?.groups ?? {};
    if (number === undefined) {
      throw new Error(`The file "${file}" has no number: a migration is named as "0001_initial"`);
    }
    const other = `${name}.${direction === "up" ? "down" : "up"}.sql`;
    if (!files.includes(other)) throw new Error(`The file "${file}" is there without "${other}"`);
    const first = known.get(Number(number)) ?? name;
    if (first !== name) {
      throw new Error(`Two files have the number ${Number(number)}: "${first}", "${name}"`);
    }
    known.set(Number(number), name);
  }
  return [...known].sort(([one], [other]) => one - other).map(([number, name]) => {
    const up = sqlText(`${name}.up.sql`);
    const down = sqlText(`${name}.down.sql`);
    return { number, name, up, down, checksum: hash("sha256", up, "hex") };
  });
}

/** The migrations that a database lacks. */
export async function pendingMigrations(
  database: Database,
  known: Migration[],
): Promise<Migration[]> {
  const applied = new Set((await history(database)).map(({ name }) => name));
  return known.filter(({ name }) => !applied.has(name));
}

/** The message about a database that lacks migrations. */
export function lacking(pending: Migration[]): string {
  const names = pending.map(({ name }) => `"${name}"`).join(", ");
  return `The database lacks the migrations ${names}: run "relata migrate up"`;
}

/** Every migration that the program or the database knows, in order. The same number under another
 * name is another migration. */
export async function migrationStatus(database: Database): Promise<Status[]> {
  const rest = new Map((await history(database)).map((row) => [row.name, row]));
  const status: Status[] = knownMigrations().map(({ number, name, checksum }) => {
    const row = rest.get(name);
    rest.delete(name);
    return { number, name, state: stateOf(row, checksum), appliedAt: row?.applied_at ?? null };
  });
  for (const { number, name, applied_at } of rest.values()) {
    status.push({ number, name, state: "unknown", appliedAt: applied_at });
  }
  return status.sort((one, other) => one.number - other.number);
}

/** Throws if the database has another migration than this program under the same number. */
export function refuseOthers(status: Status[]): void {
  for (const [index, { number, name }] of status.entries()) {
    const next = status[index + 1];
    if (next?.number !== number) continue;
    throw new Error(
      `Under the number ${number} the database has "${next.name}", and this program "${name}"`,
    );
  }
}

/** Applies the pending migrations, each in a transaction of its own. */
export async function migrateUp(
  database: Database,
  { to = Infinity, tell }: Run = {},
): Promise<Step[]> {
  const known = knownMigrations();
  return await run(
    database,
    "up",
    tell,
    (applied) =>
      known.find(({ number, name }) => number <= to && applied.every((row) => row.name !== name)),
  );
}

/** Reverts migrations, the newest first: those after the one to end at, or the newest alone. */
export async function migrateDown(database: Database, { to, tell }: Run = {}): Promise<Step[]> {
  const known = knownMigrations();
  const end = to ?? (await history(database)).at(-2)?.number ?? 0;
  return await run(database, "down", tell, (applied) => {
    const newest = applied.at(-1);
    if (!newest || newest.number <= end) return undefined;
    const migration = known.find(({ name }) => name === newest.name);
    if (migration) return migration;
    throw new Error(`This program does not carry the applied migration "${newest.name}"`);
  });
}

/** The SQL, for psql, that applies the migrations a database lacks; without a database, all of them. */
export async function pendingText(database?: Database): Promise<string> {
  const rows = database ? await history(database) : [];
  const applied = rows.map(({ number }) => number);
  return knownMigrations()
    .filter((migration) => rows.every(({ name }) => name !== migration.name))
    .map((migration) => {
      const text = stepText(migration, "up", applied);
      applied.push(migration.number);
      applied.sort((one, other) => one - other);
      return `-- ${migration.name}\n\nbegin;\n${text}\ncommit;\n`;
    })
    .join("\n");
}

/** Takes one step after another; each is chosen by what the database has at that time. */
async function run(
  database: Database,
  direction: Step["direction"],
  tell: Run["tell"],
  choose: (applied: Applied[]) => Migration | undefined,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (;;) {
    const applied = await history(database);
    const next = choose(applied);
    if (!next) return steps;
    if (!await take(database, next, direction, applied.map(({ number }) => number))) continue;
    const step = { name: next.name, direction };
    await tell?.(step);
    steps.push(step);
  }
}

function stateOf(row: Applied | undefined, checksum: string): Status["state"] {
  if (!row) return "pending";
  if (row.checksum === null) return "unverified";
  return row.checksum === checksum ? "applied" : "edited";
}

async function history(database: Database): Promise<Applied[]> {
  const [found] = await database.run(historyIsKept, {});
  if (found!.exists) return await database.run(appliedMigrations, {});
  const why = await hiddenHistory(database);
  if (why !== undefined) throw new Error(why);
  return [];
}

const historyIsKept = reads<object, { exists: boolean }>(
  "look for the history",
  sql`select to_regclass('relata_migration') is not null as exists`,
);

const appliedMigrations = reads<object, Applied>(
  "read the history",
  sql`
    select
      number,
      name,
      to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as applied_at,
      checksum
    from relata_migration
    order by number`,
);
