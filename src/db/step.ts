// One migration, up or down: the text that takes it, and its way into a database that is in use. The
// text is one message to Postgres, which so carries out all of it or nothing, whatever becomes of the
// connection, and it is what an operator may hand to psql instead.
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "./database.ts";
import { foundInUse } from "./errors.ts";
import { raw, reads, sql } from "./sql.ts";
import { ATTEMPTS } from "../time.ts";

export interface Migration {
  number: number;
  /** `0001_initial` */
  name: string;
  up: string;
  down: string;
  /** SHA-256 of the up file, in hexadecimal. */
  checksum: string;
}

/** A migration that was applied or reverted. */
export type Step = { name: string; direction: "up" | "down" };

/** The key of the lock that migrators take, any number that no other program uses. */
const LOCK = "7236415901284";

/** Milliseconds that a migration waits for a table, and requests behind it; then it waits as long before it
 * tries again. Shorter than Postgres takes to look for a deadlock, so that of a migration and a request
 * it is the migration that yields. */
const LOCK_TIMEOUT = 500;

/** What a step says of a database that has changed since it was chosen: a code that is nobody else's. */
const CHANGED = "RM001";

/** The SQL of a step from a database to which these migrations, by number, are applied. */
export function stepText(
  migration: Migration,
  direction: Step["direction"],
  applied: number[],
): string {
  return `set transaction isolation level read committed;
set local lock_timeout = ${LOCK_TIMEOUT};

do $$
declare
  expected constant integer[] := '{${applied.join(",")}}';
  found integer[] := '{}';
begin
  if not pg_try_advisory_xact_lock(${LOCK}) then
    raise exception 'Another migration is under way' using errcode = '${CHANGED}';
  end if;
  if to_regclass('relata_migration') is not null then
    found := array(select number from relata_migration order by number);
  end if;
  if found <> expected then
    raise exception 'This is for a database with the migrations %, but it has %', expected, found
      using errcode = '${CHANGED}';
  end if;
end
$$;

${direction === "up" ? migration.up + recorded(migration) : migration.down}`;
}

/** Takes a step; resolves to false where the database has changed since it was chosen. The lock is
 * polled, since a session that waits inside Postgres would hold a snapshot that others may wait for
 * in turn. */
export async function take(
  database: Database,
  migration: Migration,
  direction: Step["direction"],
  applied: number[],
): Promise<boolean> {
  const text = stepText(migration, direction, applied);
  for (let attempt = 1;; attempt++) {
    while (!await isLockFree(database)) await delay(LOCK_TIMEOUT);
    try {
      await database.script(text);
      return true;
    } catch (error) {
      const { code = "", message } = error as Error & { code?: string };
      if (code === CHANGED) return false;
      if (!foundInUse(error)) throw failure(migration, code, message);
      if (attempt === ATTEMPTS) {
        throw new Error(
          `The migration "${migration.name}" found its tables in use ${ATTEMPTS} times and changed ` +
            "nothing: run it again when the statements that hold them are over",
        );
      }
    }
    await delay(LOCK_TIMEOUT);
  }
}

async function isLockFree(database: Database): Promise<boolean> {
  const [row] = await database.run(tryLock, {});
  return row!.free;
}

const tryLock = reads<object, { free: boolean }>(
  "try the lock of migrations",
  sql`select pg_try_advisory_xact_lock(${raw(LOCK)}) as free`,
);

/** The file records itself; a step that did not would be taken again and again. */
function recorded({ number, name, checksum }: Migration): string {
  return `
do $$
begin
  update relata_migration
  set checksum = '${checksum}'
  where number = ${number} and name = '${name.replaceAll("'", "''")}';
  if not found then
    raise exception 'The file does not insert its number and name into relata_migration';
  end if;
end
$$;
`;
}

/** What Postgres refuses it undoes; what it began when the connection was lost may be done. */
function failure({ name }: Migration, code: string, message: string): Error {
  const isRefusal = /^[0-9A-Z]{5}$/.test(code) && !/^(08|57)/.test(code);
  return new Error(
    isRefusal
      ? `The migration "${name}" failed and changed nothing: ${message}`
      : `The migration "${name}" was cut off: ${message}; "relata migrate status" says where it ended`,
  );
}
