// `relata token`: makes, lists and revokes the tokens that let clients in where AUTH=required.
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { knownMigrations, migrateUp } from "../db/migrations.ts";
import { withDatabase } from "../db/open.ts";
import { tokenTable, unready } from "../db/readiness.ts";
import { reads, slot, sql, writes } from "../db/sql.ts";
import { print, remark } from "../output.ts";
import { newToken, type Scope, scopes, sha256, withIncluded } from "../token.ts";
import { UsageError } from "../usage.ts";
import { table } from "../table.ts";

interface TokenOptions {
  scope?: string[] | undefined;
  name?: string | undefined;
  expires?: string | undefined;
}

interface Listed {
  id: number;
  name: string;
  scopes: Scope[];
  /** As ISO 8601 writes it, in UTC. */
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

const DAY = 86_400_000;
const YEAR_10000 = Date.UTC(10_000, 0);

/** Prints a new token, alone on the standard output, so that a script can keep it. */
export async function tokenCreate(config: Config, options: TokenOptions): Promise<void> {
  const name = nameOf(options.name ?? "");
  const granted = scopesOf(options.scope ?? ["read"]);
  const expiresAt = options.expires === undefined ? null : momentOf(options.expires);
  const token = newToken();
  const id = await withTokens(config, async (database) => {
    const [row] = await database.run(insertToken, {
      name,
      sha256: sha256(token),
      scopes: `{${granted.join()}}`,
      expiresAt: expiresAt?.toISOString() ?? null,
    });
    return row!.id;
  }, { makes: true });
  const lasting = expiresAt === null ? "never expires" : `expires at ${expiresAt.toISOString()}`;
  await remark(
    `Token ${id} may ${granted.join(" and ")}, ${lasting}, and is shown only once:\n`,
  );
  await print(token);
}

export async function tokenList(config: Config, { json }: { json?: boolean }): Promise<void> {
  const rows = await withTokens(config, (database) => database.run(listTokens, {}));
  if (json) return await print(JSON.stringify(rows, null, 2));
  const shown = rows.map(({ id, name, scopes, createdAt, expiresAt, revokedAt }) => [
    String(id),
    scopes.join(" "),
    createdAt,
    expiresAt ?? "-",
    revokedAt ?? "-",
    name,
  ]);
  await print(table([["ID", "SCOPES", "CREATED", "EXPIRES", "REVOKED", "NAME"], ...shown]));
}

/** Ends a token; one that has ended already stays as it is. */
export async function tokenRevoke(config: Config, id: string): Promise<void> {
  // What was given is not repeated, for it may be the token itself.
  if (!/^[1-9]\d{0,15}$/.test(id)) {
    throw new UsageError('Give the ID that "relata token list" shows');
  }
  const revoked = await withTokens(config, (database) => database.run(revokeToken, { id }));
  if (revoked.length === 0) throw new UsageError(`No token has the ID ${id}`);
  await print(`Token ${id} is revoked`);
}

/** Works on the tokens of the database that the settings name. The schema of the embedded one, which
 * nobody else can migrate, is brought up to date first. */
function withTokens<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
  how?: { makes: boolean },
): Promise<Result> {
  return withDatabase(config, async ({ database, embedded }) => {
    if (embedded) await migrateUp(database);
    const why = await unready(database, knownMigrations(), [tokenTable]);
    if (why !== undefined) throw new Error(why);
    return await work(database);
  }, how);
}

const insertToken = writes<
  { name: string; sha256: string; scopes: string; expiresAt: string | null },
  { id: number }
>(
  "insert token",
  sql`
    insert into relata_token (name, sha256, scopes, expires_at)
    values (
      ${slot("name", "text")},
      ${slot("sha256", "text")},
      ${slot("scopes", "text")}::text[],
      ${slot("expiresAt", "text")}::timestamptz
    )
    returning id`,
);

const listTokens = reads<object, Listed>(
  "list tokens",
  sql`
    select
      id,
      name,
      to_json(scopes) as scopes,
      to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
      to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "expiresAt",
      to_char(revoked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "revokedAt"
    from relata_token
    order by id`,
);

const revokeToken = writes<{ id: string }, { id: number }>(
  "revoke token",
  sql`
    update relata_token
    set revoked_at = coalesce(revoked_at, now())
    where id = ${slot("id", "bigint")}
    returning id`,
);

/** A name is shown in a terminal, so it has nothing that moves the cursor, or that turns around the text
 * beside it. What joins the parts of an emoji, or of a word, is no such thing. */
function nameOf(text: string): string {
  if (/^[^\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]{0,64}$/u.test(text)) return text;
  throw new UsageError(
    "--name takes at most 64 characters, and no control character, bidirectional control, or line " +
      "or paragraph separator",
  );
}

function scopesOf(wanted: string[]): Scope[] {
  const unknown = wanted.find((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown !== undefined) {
    throw new UsageError(`--scope takes ${scopes.join(" or ")}: it is "${unknown}"`);
  }
  return withIncluded(scopes.findLast((scope) => wanted.includes(scope))!);
}

/** From a number of days, or a day or time in ISO 8601, to a moment that lies ahead and whose year has
 * four digits: of one with more ISO 8601 makes what Postgres cannot read. */
function momentOf(text: string): Date {
  const moment = /^\d{1,5}$/.test(text) ? Date.now() + Number(text) * DAY : parsed(text);
  if (moment > Date.now() && moment < YEAR_10000) return new Date(moment);
  throw new UsageError(
    "--expires takes a number of days, or a later day or time such as 2030-01-31T12:00:00Z, before " +
      `the year 10000 in UTC: it is "${text}"`,
  );
}

/** Milliseconds, or NaN; a day past the end of its month, which `Date` takes for one of the next, is
 * none either. */
function parsed(text: string): number {
  const [, day = ""] = ISO.exec(text) ?? [];
  const exists = Date.parse(day) && new Date(day).toISOString().startsWith(day);
  return exists ? Date.parse(text) : NaN;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;
