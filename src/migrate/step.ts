// One migration, up or down: its SQL, and how it is applied to a database in use. The SQL is one message
// to Postgres, which applies all of it and writes the history, or nothing, even if the connection is lost.
// An operator may give the same SQL to psql.
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { isFromPostgres, isInUse } from "../db/errors.ts";
import { quotedArray, raw, reads, sql, textLiteral } from "../db/sql.ts";
import { ATTEMPTS } from "../time.ts";
import { ALONE, isWhole, statementsOf } from "./script.ts";

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

type MigrationDirection = "up" | "down";

/** A migration that was applied or reverted. */
export type MigrationStep = { name: string; direction: MigrationDirection };

/** The key of the lock that migrations take: a number that no other program uses. */
const LOCK = "7236415901284";

/** Milliseconds that a migration waits for the lock of a table, while requests wait behind it; it pauses
 * as long before the next attempt. It is less than Postgres waits before it looks for a deadlock, so
 * that in one with a request the migration gives way. */
const LOCK_TIMEOUT = 500;

/** The SQLSTATE, our own, for a database that has changed since the step was chosen. */
const CHANGED = "RM001";

/** A migration as messages call it: its file under `sql/`. */
export function migrationTitle({ owner, name }: Named): string {
  return owner === "server" ? `server/${name}` : name;
}

/** A migration in the history, as a step compares it. */
export function historyKey({ owner, number, name }: Named): string {
  return `${owner} ${number} ${name}`;
}

/** The transactions of a step for a database to which these migrations are applied, by their keys: one with the
 * file, or one before and one after a file without. */
function transactionsOf(
  migration: Migration,
  direction: MigrationDirection,
  applied: string[],
): string[] {
  const guard = `set transaction isolation level read committed;
set statement_timeout = 0;
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
`;
  const end = RESET + (direction === "up" ? addToHistory(migration) : removeFromHistory(migration));
  const text = migration[direction];
  return isWhole(text) ? [`${guard}\n${text}${end}`] : [guard + HOLD_LOCK, end];
}

/** The SQL, for psql, that applies a migration. */
export function scriptOf(migration: Migration, applied: string[]): string {
  const [first, last] = transactionsOf(migration, "up", applied)
    .map((text) => `begin;\n${text}\ncommit;\n`);
  const text = last ? `\\set ON_ERROR_STOP on\n\n${first}\n${migration.up}\n${last}` : first;
  return `-- ${migrationTitle(migration)}\n\n${text}`;
}

/** What a file has set or left would stay in the session, which may be the one that serves; and the history has
 * to be found and written, whatever the role and the search path were. `discard all` cannot be in a transaction. */
const RESET = `
reset session authorization;
reset role;
reset all;
close all;
unlisten *;
discard temp;
do $$ begin perform pg_advisory_xact_lock(${LOCK}), pg_advisory_unlock_all(); end $$;
`;

/** Holds the lock until then. Statements without a transaction wait as long as they have to. */
const HOLD_LOCK = `set lock_timeout = 0;
do $$ begin perform pg_advisory_lock(${LOCK}); end $$;
`;

/** Runs a step; resolves to false if the database has changed since it was chosen. It polls the lock: a
 * session that waits for a lock holds a snapshot, which other sessions may be waiting for. */
export async function runStep(
  database: Database,
  migration: Migration,
  direction: MigrationDirection,
  applied: string[],
): Promise<boolean> {
  const text = migration[direction];
  const [first = "", ...last] = transactionsOf(migration, direction, applied);
  const singles = isWhole(text) ? [] : statementsOf(text);
  for (let attempt = 1;; attempt++) {
    for (let tries = 1; !(await database.run(tryLock, {}))[0]!.free; tries++) {
      if (tries === ATTEMPTS) await database.script(TELL);
      await delay(LOCK_TIMEOUT);
    }
    try {
      await database.script(first, ...singles, ...last);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === CHANGED) return false;
      if (attempt === ATTEMPTS || !isInUse(error) || !isWhole(text)) {
        throw failure(migration, direction, error);
      }
    }
    await delay(LOCK_TIMEOUT);
  }
}

const tryLock = reads<object, { free: boolean }>(
  "try the lock of migrations",
  sql`select pg_try_advisory_xact_lock(${raw(LOCK)}) as free`,
);

/** Says who has the lock, as a notice of Postgres. */
const TELL = `do $$ begin
  raise notice 'Waiting for another migration: %', (
    select string_agg(format('process %s, %s as "%s"', pid, application_name, usename), '; ')
    from pg_locks
    join pg_stat_activity using (pid)
    where classid::bigint << 32 | objid::bigint = ${LOCK} and database = datid and granted
  );
end $$`;

function addToHistory({ owner, number, name, checksum }: Migration): string {
  return `
insert into relata_migration (owner, number, name, checksum)
values (${textLiteral(owner)}, ${number}, ${textLiteral(name)}, ${textLiteral(checksum)});
`;
}

function removeFromHistory({ owner, number }: Migration): string {
  return `
delete from relata_migration
where owner = ${textLiteral(owner)} and number = ${number};
`;
}

/** Where the mistake in a migration is, if Postgres says so: it counts the characters of what it was sent. */
function mistakePlace(migration: Migration, direction: MigrationDirection, error: unknown): string {
  const { position, query = "" } = error as { position?: string; query?: string };
  if (position === undefined) return "";
  const lines = (part: string) => part.split("\n").length;
  const before = [...query].slice(0, Number(position) - 1).join("");
  // The file is the last text that is like it, but for what writes the history
  const start = Math.max(0, query.lastIndexOf(migration[direction] + RESET));
  return ` (${migration.name}.${direction}.sql:${
    lines(before) - lines(query.slice(0, start)) + 1
  })`;
}

/** Postgres rolls back what it refuses; after a lost connection, the migration may be applied or not. */
function failure(migration: Migration, direction: MigrationDirection, error: unknown): Error {
  const { code, message } = error as Error & { code?: string };
  const [end, help] = !isWhole(migration[direction])
    ? ["failed", "it has no transaction: what it did remains, perhaps with an invalid index"]
    : !isFromPostgres(error) || error.severity === "FATAL"
    ? ["was cut off", '"relata migrate status" says where it ended']
    : isInUse(error)
    ? [`found its tables in use ${ATTEMPTS} times and changed nothing`, "run it again later"]
    : ["failed and changed nothing", code === "25001" ? `begin the file with "${ALONE}"` : ""];
  const reason = message + mistakePlace(migration, direction, error) + (help && `; ${help}`);
  return new Error(`The migration "${migrationTitle(migration)}" ${end}: ${reason}`);
}
