// From the files in `sql/` to the schema, and from the schema to what it still lacks. The files are
// plain SQL and keep the table `relata_migration` themselves, so psql applies them as well.
import { hash } from "node:crypto";
import { migrationNames, sqlText } from "../files.ts";
import type { Sql } from "./sql.ts";
import { unseen } from "./seen.ts";
import { type Migration, type Step, stepText, take } from "./step.ts";

export interface Status {
  number: number;
  name: string;
  /** `unverified`: applied by psql, which keeps no checksum. `unknown`: not in this program. */
  state: "applied" | "unverified" | "edited" | "pending" | "unknown";
  appliedAt: Date | null;
}

/** Where a run is to end, and whom to tell of each step. */
export interface Run {
  /** The number of the migration to end at; 0 stands for none. */
  to?: number | undefined;
  tell?(step: Step): void | Promise<void>;
}

interface Applied {
  number: number;
  name: string;
  applied_at: Date;
  checksum: string | null;
}

/** The migrations this program carries, in order. */
export function knownMigrations(): Migration[] {
  return migrationNames()
    .filter((file) => file.endsWith(".up.sql"))
    .map((file) => {
      const name = file.replace(/\.up\.sql$/, "");
      const up = sqlText(file);
      return {
        number: Number.parseInt(name, 10),
        name,
        up,
        down: sqlText(`${name}.down.sql`),
        checksum: hash("sha256", up, "hex"),
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
    return { number, name, state: stateOf(row, checksum), appliedAt: row?.applied_at ?? null };
  });
  for (const { number, name, applied_at } of rest.values()) {
    status.push({ number, name, state: "unknown", appliedAt: applied_at });
  }
  return status.sort((one, other) => one.number - other.number);
}

/** Applies the pending migrations, each in a transaction of its own. */
export async function migrateUp(sql: Sql, { to = Infinity, tell }: Run = {}): Promise<Step[]> {
  const known = knownMigrations();
  return await run(
    sql,
    "up",
    tell,
    (applied) =>
      known.find(({ number }) => number <= to && applied.every((row) => row.number !== number)),
  );
}

/** Reverts migrations, the newest first: those after the one to end at, or the newest alone. */
export async function migrateDown(sql: Sql, { to, tell }: Run = {}): Promise<Step[]> {
  const known = knownMigrations();
  const end = to ?? (await history(sql)).at(-2)?.number ?? 0;
  return await run(sql, "down", tell, (applied) => {
    const newest = applied.at(-1);
    if (!newest || newest.number <= end) return undefined;
    const migration = known.find(({ number }) => number === newest.number);
    if (migration) return migration;
    throw new Error(`This program does not carry the applied migration "${newest.name}"`);
  });
}

/** The SQL, for psql, that applies the migrations a database lacks; without a database, all of them. */
export async function pendingText(sql?: Sql): Promise<string> {
  const applied = sql ? (await history(sql)).map(({ number }) => number) : [];
  return knownMigrations()
    .filter(({ number }) => !applied.includes(number))
    .map((migration) => {
      const text = stepText(migration, "up", applied);
      applied.push(migration.number);
      applied.sort((one, other) => one - other);
      return `-- ${migration.name}\n\nbegin;\n${text}\ncommit;\n`;
    })
    .join("\n");
}

/** Takes one step after another, each chosen by what the database has by then. */
async function run(
  sql: Sql,
  direction: Step["direction"],
  tell: Run["tell"],
  choose: (applied: Applied[]) => Migration | undefined,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (;;) {
    const applied = await history(sql);
    const next = choose(applied);
    if (!next) return steps;
    if (!await take(sql, next, direction, applied.map(({ number }) => number))) continue;
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

async function history(sql: Sql): Promise<Applied[]> {
  const [{ exists } = { exists: false }] = await sql<{ exists: boolean }[]>`
    select to_regclass('relata_migration') is not null as exists`;
  if (!exists) {
    const why = await unseen(sql);
    if (why !== undefined) throw new Error(why);
    return [];
  }
  return await sql<Applied[]>`
    select
      number,
      name,
      applied_at,
      checksum
    from relata_migration
    order by number`;
}
