// `relata migrate`: applies or reverts migrations, or prints their status.
import { grantsName, sqlText } from "../bundle/files.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import {
  knownMigrations,
  migrateDown,
  migrateUp,
  migrationStatus,
  pendingText,
  refuseOthers,
  type Status,
} from "../db/migrations.ts";
import { withDatabase } from "../db/open.ts";
import type { Step } from "../db/step.ts";
import { UsageError } from "../errors/usage.ts";
import * as output from "../terminal/output.ts";
import { table } from "../terminal/table.ts";

interface Target {
  /** The number of the migration to end at. */
  to?: string | undefined;
}

export async function up(config: Config, { to }: Target): Promise<void> {
  const end = numberOf(to);
  await withDatabase(config, async ({ database }) => {
    await unedited(database);
    await conclude(await migrateUp(database, { to: end, tell }));
  }, { makes: true, onNotice });
}

export async function down(config: Config, { to }: Target): Promise<void> {
  const end = numberOf(to);
  await withDatabase(config, async ({ database }) => {
    await conclude(await migrateDown(database, { to: end, tell }));
  }, { onNotice });
}

/** Resolves to the exit status: 1 if a migration is pending. */
export async function status(config: Config, { json }: { json?: boolean }): Promise<number> {
  const all = await withDatabase(config, ({ database }) => migrationStatus(database));
  const rows = all.map(({ name, state, appliedAt }) => [
    name,
    state,
    appliedAt ?? "-",
  ]);
  await output.print(
    json ? JSON.stringify(all, null, 2) : table([["MIGRATION", "STATE", "APPLIED"], ...rows]),
  );
  return all.some(({ state }) => state === "pending") ? 1 : 0;
}

export async function verify(config: Config): Promise<void> {
  const all = await withDatabase(config, ({ database }) => unedited(database));
  const unverified = all.filter(({ state }) => state === "unverified");
  const exception = unverified.length === 0
    ? ""
    : `, but for those without a checksum: ${named(unverified)}`;
  await output.print(`Every applied migration matches its file${exception}`);
}

/** Prints the SQL of the pending migrations for psql; without DATABASE_URL, of all migrations. */
export async function print(config: Config): Promise<void> {
  const text = config.databaseUrl === undefined
    ? await pendingText()
    : await withDatabase(config, ({ database }) => pendingText(database));
  await output.print(text.trimEnd() || "-- Nothing to do");
}

/** Prints the SQL that grants a role the rights to serve, for psql. */
export async function grants(): Promise<void> {
  knownMigrations(); // throws if the files contradict each other
  await output.print(sqlText(grantsName).trimEnd());
}

/** The status of all migrations; throws if one was edited after it was applied. */
async function unedited(database: Database): Promise<Status[]> {
  const all = await migrationStatus(database);
  refuseOthers(all);
  const edited = all.filter(({ state }) => state === "edited");
  if (edited.length === 0) return all;
  throw new Error(`The files were edited after they were applied: ${named(edited)}`);
}

function named(migrations: { name: string }[]): string {
  return migrations.map(({ name }) => `"${name}"`).join(", ");
}

/** Prints the notices of Postgres, for example about something that it skipped. */
function onNotice(text: string): void {
  output.remark(`${text}\n`);
}

async function tell({ name, direction }: Step): Promise<void> {
  await output.print(`${name} ${direction}`);
}

async function conclude(steps: Step[]): Promise<void> {
  if (steps.length === 0) await output.print("Nothing to do");
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const numbers = [0, ...knownMigrations().map(({ number }) => number)];
  const number = numbers.find((number) => String(number) === text);
  if (number !== undefined) return number;
  throw new UsageError(
    `--to takes the number of a migration, 0 to ${numbers.at(-1)}: it is "${text}"`,
  );
}
