// `relata migrate`: applies or reverts migrations, or prints their status.
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { withDatabase } from "../db/open.ts";
import { UsageError } from "../errors/usage.ts";
import {
  migrateDown,
  migrateUp,
  migrationStatus,
  pendingText,
  type Status,
} from "../migrate/migrations.ts";
import { type Migration, type MigrationStep, migrationTitle } from "../migrate/step.ts";
import { migrationsOf, openProject, samplesIn } from "../project/project.ts";
import { grantsFor } from "../schema/grants.ts";
import { quotedNames } from "../schema/privileges.ts";
import * as output from "../terminal/output.ts";
import { table } from "../terminal/table.ts";

interface MigrateTarget {
  /** The number of the migration to end at. */
  to?: string | undefined;
}

export async function up(config: Config, { to }: MigrateTarget): Promise<void> {
  const known = migrationsOf(config);
  const end = numberOf(to, known);
  await withDatabase(config, async ({ database }) => {
    const all = await unedited(database, known);
    const isBegun = all.some(({ owner, state }) => owner === "project" && state !== "pending");
    const samples = isBegun ? undefined : samplesIn(config);
    if (samples !== undefined) onNotice(`These are the migrations of ${samples}`);
    await conclude(await migrateUp(database, known, { to: end, onStep: printStep }));
  }, { makes: true, onNotice });
}

export async function down(config: Config, { to }: MigrateTarget): Promise<void> {
  const known = migrationsOf(config);
  const end = numberOf(to, known);
  await withDatabase(config, async ({ database }) => {
    await conclude(await migrateDown(database, known, { to: end, onStep: printStep }));
  }, { onNotice });
}

/** Resolves to the exit status: 1 if a migration is pending. */
export async function status(config: Config, { json }: { json?: boolean }): Promise<number> {
  const known = migrationsOf(config);
  const all = await withDatabase(config, ({ database }) => migrationStatus(database, known));
  const rows = all.map(({ owner, name, state, appliedAt }) => [
    owner,
    name,
    state,
    appliedAt ?? "-",
  ]);
  const head = ["OWNER", "MIGRATION", "STATE", "APPLIED"];
  await output.print(json ? JSON.stringify(all, null, 2) : table([head, ...rows]));
  return all.some(({ state }) => state === "pending") ? 1 : 0;
}

export async function verify(config: Config): Promise<void> {
  const known = migrationsOf(config);
  const all = await withDatabase(config, ({ database }) => unedited(database, known));
  const gone = all.filter(({ state }) => state === "unknown");
  if (gone.length > 0) {
    throw new Error(
      `The files of applied migrations are not there: ${quotedNames(gone.map(migrationTitle))}`,
    );
  }
  const unverified = all.filter(({ state }) => state === "unverified");
  const exception = unverified.length === 0
    ? ""
    : `, but for those without a checksum: ${quotedNames(unverified.map(migrationTitle))}`;
  await output.print(`Every applied migration matches its file${exception}`);
}

/** Prints the SQL of the pending migrations for psql; without DATABASE_URL, of all migrations. */
export async function printMigrations(config: Config): Promise<void> {
  const known = migrationsOf(config);
  const text = config.databaseUrl === undefined
    ? await pendingText(known)
    : await withDatabase(config, ({ database }) => pendingText(known, database));
  await output.print(text.trimEnd() || "-- Nothing to do");
}

/** Prints the SQL that grants a role the rights to serve the project, for psql. */
export async function grants(config: Config): Promise<void> {
  const { resources, actions } = await openProject(config);
  await output.print(grantsFor(resources, actions));
}

/** The status of all migrations; throws if one was edited after it was applied. */
async function unedited(database: Database, known: Migration[]): Promise<Status[]> {
  const all = await migrationStatus(database, known);
  const edited = all.filter(({ state }) => state === "edited");
  if (edited.length === 0) return all;
  throw new Error(
    `The files were edited after they were applied, or the database is that of another project: ` +
      quotedNames(edited.map(migrationTitle)),
  );
}

/** Prints what is to be noticed, also by Postgres, for example about something that it skipped. */
function onNotice(text: string): void {
  output.writeStderr(`${text}\n`);
}

async function printStep({ name, direction }: MigrationStep): Promise<void> {
  await output.print(`${name} ${direction}`);
}

async function conclude(steps: MigrationStep[]): Promise<void> {
  if (steps.length === 0) await output.print("Nothing to do");
}

function numberOf(text: string | undefined, known: Migration[]): number | undefined {
  if (text === undefined) return undefined;
  const numbers = [0, ...known.flatMap(({ owner, number }) => owner === "project" ? number : [])];
  const number = numbers.find((number) => String(number) === text);
  if (number !== undefined) return number;
  throw new UsageError(
    `--to takes the number of a migration, 0 to ${numbers.at(-1)}: it is "${text}"`,
  );
}
