// Applies and reverts the migrations of the server and of its project, and tells which of them a database
// lacks. The table `relata_migration` has those that are applied.
import { hash } from "node:crypto";
import { folderOf, type TextFolder } from "../assets/files.ts";
import type { Database } from "../db/database.ts";
import { reads, sql } from "../db/sql.ts";
import { UsageError } from "../errors/usage.ts";
import { hiddenHistory, quotedNames } from "../schema/privileges.ts";
import { checked } from "./script.ts";
import {
  historyKey,
  type Migration,
  type MigrationStep,
  migrationTitle,
  type Named,
  type Owner,
  runStep,
  scriptOf,
} from "./step.ts";

export interface Status extends Named {
  /** `unverified`: its checksum was taken away, which accepts any file. `unknown`: not in this program. */
  state: "applied" | "unverified" | "edited" | "pending" | "unknown";
  /** As ISO 8601 writes it, in UTC. */
  appliedAt: string | null;
}

/** Where a run ends, and a function to call for each step. */
export interface MigrationRun {
  /** The number of the project's migration to end at; 0 stands for none. */
  to?: number | undefined;
  onStep?(step: MigrationStep): void | Promise<void>;
}

interface Applied extends Named {
  applied_at: string;
  checksum: string | null;
}

/** The history is that of another project. */
export class ForeignHistory extends UsageError {}

/** The name of a file: the number of its migration, from 1 on, and the direction. */
const FILE = /^(?<name>(?<number>0*[1-9]\d{0,8})_.+)\.(?<direction>up|down)\.sql$/;

/** The migrations of the server, and those in the folder of its project, in the order in which they are
 * applied. Throws a `UsageError` if files contradict each other. */
export function migrationsWith(project: TextFolder): Migration[] {
  return [...migrationsIn("server", folderOf("sql/server")), ...migrationsIn("project", project)];
}

function migrationsIn(owner: Owner, folder: TextFolder): Migration[] {
  // A project may keep other SQL there, but what has a number is meant to be a migration
  const files = folder.names().filter((name) =>
    /^(\d[^/]*|[^./][^/]*\.(up|down))\.sql$/.test(name)
  );
  const known = new Map<number, string>();
  for (const file of files) {
    if (!/\.(up|down)\.sql$/.test(file)) {
      throw new UsageError(
        `The file "${file}" has no direction: it has to end with ".up.sql" or ".down.sql"`,
      );
    }
    const { name = "", number, direction } = FILE.exec(file)?.groups ?? {};
    if (number === undefined) {
      throw new UsageError(
        `The file "${file}" has no number: a migration is named as "0001_initial"`,
      );
    }
    const other = `${name}.${direction === "up" ? "down" : "up"}.sql`;
    // Nobody takes away the tables of the server
    if (owner === "project" && !files.includes(other)) {
      throw new UsageError(`The file "${file}" is there without "${other}"`);
    }
    const first = known.get(Number(number)) ?? name;
    if (first !== name) {
      throw new UsageError(`Two files have the number ${Number(number)}: "${first}", "${name}"`);
    }
    known.set(Number(number), name);
  }
  const read = (file: string) => checked(file, folder.text(file));
  return [...known].sort(([one], [other]) => one - other).map(([number, name]) => {
    const file = `${name}.up.sql`;
    const up = read(file);
    const down = owner === "project" ? read(`${name}.down.sql`) : "";
    // Git may write the lines of a file with other ends
    const checksum = hash("sha256", folder.text(file).replaceAll("\r\n", "\n"), "hex");
    return { owner, number, name, up, down, checksum };
  });
}

export async function pendingMigrations(
  database: Database,
  known: Migration[],
): Promise<Migration[]> {
  return without(known, await history(database, known));
}

/** The message about a database that lacks migrations. */
export function pendingMessage(pending: Migration[]): string {
  const names = quotedNames(pending.map(migrationTitle));
  return `The database lacks the migrations ${names}: run "relata migrate up"`;
}

/** Every migration that the program or the database knows, in order. */
export async function migrationStatus(
  database: Database,
  known: Migration[],
): Promise<Status[]> {
  const applied = await history(database, known);
  const rows = new Map(applied.map((row) => [historyKey(row), row]));
  const status = [...known, ...without(applied, known)].map((migration): Status => {
    const { owner, number, name } = migration;
    const row = rows.get(historyKey(migration));
    const state = "up" in migration ? stateOf(migration, row) : "unknown";
    return { owner, number, name, state, appliedAt: row?.applied_at ?? null };
  });
  return status.sort((one, other) =>
    Number(one.owner === "project") - Number(other.owner === "project") || one.number - other.number
  );
}

function stateOf({ checksum }: Migration, row: Applied | undefined): Status["state"] {
  if (!row) return "pending";
  if (row.checksum === null) return "unverified";
  return row.checksum === checksum ? "applied" : "edited";
}

/** Those that are not among others. */
function without<One extends Named>(all: One[], others: Named[]): One[] {
  const keys = others.map(historyKey);
  return all.filter((one) => !keys.includes(historyKey(one)));
}

/** Throws if the database has another migration under the same number: it belongs to another project, or
 * to another version of the server. */
function refuseOthers(known: Migration[], applied: Applied[]): void {
  for (const { owner, number, name } of known) {
    const other = applied.find((row) => row.owner === owner && row.number === number);
    if (!other || other.name === name) continue;
    throw new ForeignHistory(
      `The database belongs to another ${owner}: it has the migration "${other.name}", and this ` +
        `one has "${name}" under the same number`,
    );
  }
}

/** Applies the pending migrations, each in a transaction of its own: all of the server, and those of the
 * project up to the one to end at. */
export async function migrateUp(
  database: Database,
  known: Migration[],
  { to = Infinity, onStep }: MigrationRun = {},
): Promise<MigrationStep[]> {
  const isWanted = ({ owner, number }: Named) => owner === "server" || number <= to;
  const choose = (applied: Applied[]) => without(known, applied).find(isWanted);
  return await runSteps(database, known, "up", onStep, choose);
}

/** Reverts migrations of the project, the newest first: those after the one to end at, or the newest alone.
 * The tables of the server stay. */
export async function migrateDown(
  database: Database,
  known: Migration[],
  { to, onStep }: MigrationRun = {},
): Promise<MigrationStep[]> {
  const ofProject = (rows: Applied[]) => rows.filter(({ owner }) => owner === "project");
  const end = to ?? ofProject(await history(database, known)).at(-2)?.number ?? 0;
  return await runSteps(database, known, "down", onStep, (applied) => {
    const newest = ofProject(applied).at(-1);
    if (!newest || newest.number <= end) return undefined;
    const migration = known.find((one) => historyKey(one) === historyKey(newest));
    if (migration) return migration;
    throw new Error(`This project does not have the applied migration "${newest.name}"`);
  });
}

/** The SQL, for psql, that applies the migrations a database lacks; without a database, all of them. */
export async function pendingText(known: Migration[], database?: Database): Promise<string> {
  const applied = database ? await history(database, known) : [];
  return without(known, applied).map((migration, index, pending) =>
    scriptOf(migration, [...applied, ...pending.slice(0, index)].map(historyKey))
  ).join("\n");
}

/** Runs one step after another; each is chosen by what the database has at that time. */
async function runSteps(
  database: Database,
  known: Migration[],
  direction: MigrationStep["direction"],
  onStep: MigrationRun["onStep"],
  choose: (applied: Applied[]) => Migration | undefined,
): Promise<MigrationStep[]> {
  const steps: MigrationStep[] = [];
  for (;;) {
    const applied = await history(database, known);
    const next = choose(applied);
    if (!next) return steps;
    if (!await runStep(database, next, direction, applied.map(historyKey))) continue;
    const step = { name: migrationTitle(next), direction };
    await onStep?.(step);
    steps.push(step);
  }
}

/** Which migrations are applied; throws if they are those of others. */
async function history(database: Database, known: Migration[]): Promise<Applied[]> {
  const [found] = await database.run(historyIsKept, {});
  if (found!.exists) {
    const applied = await database.run(appliedMigrations, {});
    refuseOthers(known, applied);
    return applied;
  }
  const reason = await hiddenHistory(database);
  if (reason !== undefined) throw new Error(reason);
  return [];
}

export const historyIsKept = reads<object, { exists: boolean }>(
  "look for the history",
  sql`select to_regclass('relata_migration') is not null as exists`,
);

export const appliedMigrations = reads<object, Applied>(
  "read the history",
  sql`
    select
      owner,
      number,
      name,
      to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as applied_at,
      checksum
    from relata_migration
    order by owner desc, number`,
);
