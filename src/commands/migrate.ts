// `relata migrate`: brings the schema of a database up or down, or says where it stands.
import type { Config } from "../config.ts";
import {
  knownMigrations,
  migrateDown,
  migrateUp,
  migrationStatus,
  pendingText,
  type Status,
  type Step,
} from "../database/migrations.ts";
import { openDatabase } from "../database/open.ts";
import type { Sql } from "../database/sql.ts";
import { grantsName, sqlText } from "../files.ts";
import { UsageError } from "../usage.ts";
import { table } from "../table.ts";

interface Wishes {
  /** The number of the migration to end at. */
  to?: string | undefined;
  json?: boolean | undefined;
}

const actions = { up, down, status, verify, print };

/** Prints what gives a role the rights to serve, for psql. */
export function printGrants(): void {
  console.log(sqlText(grantsName).trimEnd());
}

/** Resolves to the exit status, 0 if to nothing. */
export async function migrate(
  config: Config,
  action: keyof typeof actions,
  { to, json = false }: Wishes,
): Promise<number | void> {
  const wishes = { to: to === undefined ? to : numberOf(to), json };
  // What is printed is for psql, which the embedded database has no door for.
  if (action === "print" && config.databaseUrl === undefined) return await print();
  const database = await openDatabase({ ...config, poolSize: 1 }, { cancels: false });
  try {
    return await actions[action](database.sql, wishes);
  } finally {
    await database.close();
  }
}

interface Read {
  to: number | undefined;
  json: boolean;
}

async function up(sql: Sql, { to }: Read): Promise<void> {
  await unedited(sql);
  conclude(await migrateUp(sql, { to, tell }));
}

async function down(sql: Sql, { to }: Read): Promise<void> {
  conclude(await migrateDown(sql, { to, tell }));
}

async function status(sql: Sql, { json }: Read): Promise<number> {
  const all = await migrationStatus(sql);
  if (json) console.log(JSON.stringify(all, null, 2));
  else {
    const rows = all.map(({ name, state, appliedAt }) => [
      name,
      state,
      appliedAt?.toISOString() ?? "-",
    ]);
    console.log(table([["MIGRATION", "STATE", "APPLIED"], ...rows]));
  }
  return all.some(({ state }) => state === "pending") ? 1 : 0;
}

async function verify(sql: Sql): Promise<void> {
  const unverified = (await unedited(sql)).filter(({ state }) => state === "unverified");
  const exception = unverified.length === 0
    ? ""
    : `, as far as it was recorded: not for ${named(unverified)}`;
  console.log(`Every applied migration is that of its file${exception}`);
}

async function print(sql?: Sql): Promise<void> {
  console.log((await pendingText(sql)).trimEnd() || "-- Nothing to do");
}

/** The status of migrations, of which none may have been edited since it was applied. */
async function unedited(sql: Sql): Promise<Status[]> {
  const all = await migrationStatus(sql);
  const edited = all.filter(({ state }) => state === "edited");
  if (edited.length === 0) return all;
  throw new Error(`The files were edited after they were applied: ${named(edited)}`);
}

function named(migrations: { name: string }[]): string {
  return migrations.map(({ name }) => `"${name}"`).join(", ");
}

function tell({ name, direction }: Step): void {
  console.log(`${name} ${direction}`);
}

function conclude(steps: Step[]): void {
  if (steps.length === 0) console.log("Nothing to do");
}

function numberOf(text: string): number {
  const numbers = [0, ...knownMigrations().map(({ number }) => number)];
  const number = numbers.find((number) => String(number) === text);
  if (number !== undefined) return number;
  throw new UsageError(
    `--to takes the number of a migration, 0 to ${numbers.at(-1)}: it is "${text}"`,
  );
}
