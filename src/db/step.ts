// One migration, up or down: its SQL, and how it is applied to a database in use. The SQL is one message
// to Postgres, which applies all of it and writes the history, or nothing, even if the connection is lost.
// An operator may give the same SQL to psql.
import { setTimeout as delay } from "node:timers/promises";
import { ATTEMPTS } from "../time.ts";
import type { Database } from "./database.ts";
import { isInUse } from "./errors.ts";
import { quoted, quotedArray, raw, reads, sql } from "./sql.ts";

/** Whose a migration is: the server's tables are migrated apart, under numbers of their own. */
export type Owner = "server" | "project";

/** What identifies a migration. */
export interface Named {
  owner: Owner;
  number: number;
  /** `0001_initial` */
  name: string;
}

export interface Migration extends Named {
  up: string;
  down: string;
  /** SHA-256 of the up file, in hexadecimal. */
  checksum: string;
}

/** A migration that was applied or reverted. */
export type Step = { name: string; direction: "up" | "down" };

/** The key of the lock that migrations take: a number that no other program uses. */
const LOCK = "7236415901284";

/** Milliseconds that a migration waits for the lock of a table, while requests wait behind it; it pauses
 * as long before the next attempt. It is less than Postgres waits before it looks for a deadlock, so
 * that in one with a request the migration gives way. */
const LOCK_TIMEOUT = 500;

/** The SQLSTATE, our own, for a database that has changed since the step was chosen. */
const CHANGED = "RM001";

/** A migration as messages call it: its file under `sql/`. */
export function titleOf({ owner, name }: Named): string {
  return owner === "server" ? `server/${name}` : name;
}

/** A migration in the history, as a step compares it. */
export function keyOf({ owner, number, name }: Named): string {
  return `${owner} ${number} ${name}`;
}

/** The SQL of a step for a database to which these migrations are applied, by their keys. */
export function stepText(
  migration: Migration,
  direction: Step["direction"],
  applied: string[],
): string {
  return `set transaction isolation level read committed;
set local lock_timeout = ${LOCK_TIMEOUT};

do $$
declare
  expected constant text[] := ${quotedArray(applied.toSorted())};
  found text[] := '{}';
begin
  if not pg_try_advisory_xact_lock(${LOCK}) then
    raise exception 'Another migration is under way' using errcode = '${CHANGED}';
  end if;
  if to_regclass('relata_migration') is not null then
    found := array(
      select concat_ws(' ', owner, number, name) collate "C"
      from relata_migration
      order by 1
    );
  end if;
  if found <> expected then
    raise exception 'This is for a database with the migrations %, but it has %', expected, found
      using errcode = '${CHANGED}';
  end if;
end
$$;

${
    direction === "up"
      ? withReset(migration.up) + addToHistory(migration)
      : removeFromHistory(migration) + withReset(migration.down)
  }`;
}

/** The SQL of a file. What it sets would stay in the session, which may be the one that serves; and the history
 * has to be found, whatever the search path was. The last statement of a file may lack its semicolon. */
function withReset(text: string): string {
  return `${text}${text.trimEnd().endsWith(";") ? "" : ";\n"}
reset all;
`;
}

/** Runs a step; resolves to false if the database has changed since it was chosen. It polls the lock: a
 * session that waits for a lock holds a snapshot, which other sessions may be waiting for. */
export async function runStep(
  database: Database,
  migration: Migration,
  direction: Step["direction"],
  applied: string[],
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
      if (!isInUse(error)) {
        throw failure(migration, code, message + placeOf(migration, direction, text, error));
      }
      if (attempt === ATTEMPTS) {
        throw new Error(
          `The migration "${
            titleOf(migration)
          }" found its tables in use ${ATTEMPTS} times and changed ` +
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

function addToHistory({ owner, number, name, checksum }: Migration): string {
  return `
insert into relata_migration (owner, number, name, checksum)
values (${quoted(owner)}, ${number}, ${quoted(name)}, ${quoted(checksum)});
`;
}

function removeFromHistory({ owner, number }: Migration): string {
  return `delete from relata_migration
where owner = ${quoted(owner)} and number = ${number};

`;
}

/** Where the mistake in a migration is, if Postgres says so: it counts the characters of the whole SQL. */
function placeOf(
  { name, up, down }: Migration,
  direction: Step["direction"],
  text: string,
  error: unknown,
): string {
  const { position } = error as { position?: string };
  if (position === undefined) return "";
  const lines = (part: string) => part.split("\n").length;
  const before = [...text].slice(0, Number(position) - 1).join("");
  // The file is the last text that is like it, but for what writes the history
  const start = text.lastIndexOf(withReset(direction === "up" ? up : down));
  return ` (${name}.${direction}.sql:${lines(before) - lines(text.slice(0, start)) + 1})`;
}

/** Postgres rolls back what it refuses; after a lost connection, the migration may be applied or not. */
function failure(migration: Migration, code: string, message: string): Error {
  const name = titleOf(migration);
  const isRolledBack = /^[0-9A-Z]{5}$/.test(code) && !/^(08|57)/.test(code);
  return new Error(
    isRolledBack
      ? `The migration "${name}" failed and changed nothing: ${message}`
      : `The migration "${name}" was cut off: ${message}; "relata migrate status" says where it ended`,
  );
}
