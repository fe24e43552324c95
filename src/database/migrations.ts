// From the files in `sql/` to the schema, and from the schema to what it still lacks. The files are
// plain SQL and keep the table `relata_migration` themselves, so psql applies them as well.
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { migrationNames, migrationText } from "../files.ts";
import type { Sql } from "./sql.ts";

export interface Migration {
  number: number;
  /** `0001_initial` */
  name: string;
  up: string;
  down: string;
  /** SHA-256 of the up file, in hexadecimal. */
  checksum: string;
}

export interface Status {
  number: number;
  name: string;
  /** `unverified`: applied by psql, which keeps no checksum. `unknown`: not in this program. */
  state: "applied" | "unverified" | "edited" | "pending" | "unknown";
  appliedAt: Date | undefined;
}

/** What one run of `up` or `down` did. */
export type Step = { name: string; direction: "up" | "down" };

interface Applied {
  number: number;
  name: string;
  applied_at: Date;
  checksum: string | null;
}

/** The key of the lock that migrators take, any number that no other program uses. */
const LOCK = 7_236_415_901_284;
const LOCK_POLL_MILLISECONDS = 100;

/** The migrations this program carries, in order. */
export function knownMigrations(): Migration[] {
  return migrationNames()
    .filter((file) => file.endsWith(".up.sql"))
    .map((file) => {
      const name = file.replace(/\.up\.sql$/, "");
      const up = migrationText(file);
      return {
        number: Number.parseInt(name, 10),
        name,
        up,
        down: migrationText(`${name}.down.sql`),
        checksum: createHash("sha256").update(up).digest("hex"),
      };
    });
}

/** The migrations that a database lacks. */
export async function pendingMigrations(sql: Sql, known: Migration[]): Promise<Migration[]> {
  const applied = new Set((await history(sql)).map(({ number }) => number));
  return known.filter(({ number }) => !applied.has(number));
}

/** What to tell of a database that lacks migrations. */
export function lacking(pending: Migration[]): string {
  const names = pending.map(({ name }) => `"${name}"`).join(", ");
  return `The database lacks the migrations ${names}: run "relata migrate up"`;
}

/** Every migration that the program or the database knows, in order. */
export async function migrationStatus(sql: Sql): Promise<Status[]> {
  const rest = new Map((await history(sql)).map((row) => [row.number, row]));
  const status: Status[] = knownMigrations().map(({ number, name, checksum }) => {
    const row = rest.get(number);
    rest.delete(number);
    return { number, name, state: stateOf(row, checksum), appliedAt: row?.applied_at };
  });
  for (const { number, name, applied_at } of rest.values()) {
    status.push({ number, name, state: "unknown", appliedAt: applied_at });
  }
  return status.sort((one, other) => one.number - other.number);
}

/** Applies every pending migration, each in a transaction of its own. */
export async function migrateUp(sql: Sql): Promise<Step[]> {
  const steps: Step[] = [];
  for (;;) {
    const step = await exclusively(sql, async (sql): Promise<Step | undefined> => {
      const [next] = await pendingMigrations(sql, knownMigrations());
      if (!next) return undefined;
      await sql.unsafe(next.up);
      await sql`
        update relata_migration
        set checksum = ${next.checksum}
        where number = ${next.number}`;
      return { name: next.name, direction: "up" };
    });
    if (!step) return steps;
    steps.push(step);
  }
}

/** Reverts the newest applied migration. */
export async function migrateDown(sql: Sql): Promise<Step[]> {
  return await exclusively(sql, async (sql) => {
    const applied = await history(sql);
    const newest = applied.at(-1);
    if (!newest) return [];
    const migration = knownMigrations().find(({ number }) => number === newest.number);
    if (!migration) {
      throw new Error(`This program does not carry the applied migration "${newest.name}"`);
    }
    await sql.unsafe(migration.down);
    return [{ name: migration.name, direction: "down" }];
  });
}

function stateOf(row: Applied | undefined, checksum: string): Status["state"] {
  if (!row) return "pending";
  if (row.checksum === null) return "unverified";
  return row.checksum === checksum ? "applied" : "edited";
}

async function history(sql: Sql): Promise<Applied[]> {
  const [{ exists } = { exists: false }] = await sql<{ exists: boolean }[]>`
    select to_regclass('relata_migration') is not null as exists`;
  if (!exists) return [];
  return await sql<Applied[]>`
    select
      number,
      name,
      applied_at,
      checksum
    from relata_migration
    order by number`;
}

/** Runs a step in a transaction that no other migrator's step overlaps. The lock is polled: a
 * session that waits inside Postgres would hold a snapshot that others may wait for in turn. */
async function exclusively<Result>(
  sql: Sql,
  step: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const done = await sql.begin(async (transaction) => {
      const [{ locked } = { locked: false }] = await transaction<{ locked: boolean }[]>`
        select pg_try_advisory_xact_lock(${LOCK}) as locked`;
      // Inside a transaction the tag lacks only what opens connections, which a step never does.
      return locked ? { result: await step(transaction as unknown as Sql) } : undefined;
    });
    if (done) return (done as { result: Result }).result;
    await delay(LOCK_POLL_MILLISECONDS);
  }
}
