// `relata token`: creates, lists and revokes the tokens that clients need if AUTH=required.
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { withDatabase } from "../db/open.ts";
import { reads, slot, sql, writes } from "../db/sql.ts";
import { UsageError } from "../errors/usage.ts";
import { tokenTable } from "../http/access.ts";
import { type Claims, isSubject } from "../http/claims.ts";
import { LONGEST } from "../http/jwt.ts";
import { newToken, sha256 } from "../http/token.ts";
import { migrateUp } from "../migrate/migrations.ts";
import { type Scope, scopes, withIncluded } from "../model/scope.ts";
import { isDay } from "../model/time.ts";
import { migrationsOf, openProject } from "../project/project.ts";
import { lookFor } from "../schema/readiness.ts";
import { print, writeStderr } from "../terminal/output.ts";
import { table } from "../terminal/table.ts";

interface TokenOptions {
  scope?: string[] | undefined;
  name?: string | undefined;
  expires?: string | undefined;
  as?: string | undefined;
}

interface Listed {
  id: number;
  name: string;
  scopes: Scope[];
  /** Whom it stands for; null for a service. */
  claims: Claims & { sub: string } | null;
  /** In ISO 8601, in UTC. */
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

const DAY = 86_400_000;
const YEAR_10000 = Date.UTC(10_000, 0);

/** Prints a new token, and nothing else on the standard output, so that a script can store it. */
export async function tokenCreate(config: Config, options: TokenOptions): Promise<void> {
  const name = checkedName(options.name ?? "");
  const granted = scopesOf(options.scope ?? ["read"]);
  const expiresAt = options.expires === undefined ? null : expiryOf(options.expires);
  const claims = options.as === undefined ? null : claimsIn(options.as);
  const { resources, reports, actions } = await openProject(config);
  const token = newToken();
  const id = await withTokens(config, async (database) => {
    const [row] = await database.run(insertToken, {
      name,
      sha256: sha256(token),
      scopes: `{${granted.join()}}`,
      claims: claims && JSON.stringify(claims),
      expiresAt: expiresAt?.toISOString() ?? null,
    });
    return row!.id;
  }, { makes: true });
  const lasting = expiresAt === null ? "never expires" : `expires at ${expiresAt.toISOString()}`;
  const rights = `may ${granted.join(" and ")}${claims ? ` as "${claims.sub}"` : ""}`;
  const setsAside = !claims && [...resources, ...reports, ...actions].some(({ access }) => access)
    ? "It is a service, to which all rows are open; --as makes it somebody, as access has them\n"
    : "";
  await writeStderr(`${setsAside}Token ${id} ${rights}, ${lasting}, and is shown only once:\n`);
  await print(token);
}

export async function tokenList(config: Config, { json }: { json?: boolean }): Promise<void> {
  const rows = await withTokens(config, (database) => database.run(listTokens, {}));
  if (json) return await print(JSON.stringify(rows, null, 2));
  const shown = rows.map(({ id, name, scopes, claims, createdAt, expiresAt, revokedAt }) => [
    String(id),
    scopes.join(" "),
    createdAt,
    expiresAt ?? "-",
    revokedAt ?? "-",
    claims?.sub ?? "-",
    name,
  ]);
  await print(table([["ID", "SCOPES", "CREATED", "EXPIRES", "REVOKED", "AS", "NAME"], ...shown]));
}

/** Revokes a token; one that was revoked before stays as it is. */
export async function tokenRevoke(config: Config, id: string): Promise<void> {
  // The operand is not repeated: it may be the token itself
  if (!/^[1-9]\d{0,15}$/.test(id)) {
    throw new UsageError('Give the ID that "relata token list" shows');
  }
  const revoked = await withTokens(config, (database) => database.run(revokeToken, { id }));
  if (revoked.length === 0) throw new UsageError(`No token has the ID ${id}`);
  await print(`Token ${id} is revoked`);
}

/** Works on the tokens of the database in the settings. An embedded one is migrated first, because nobody
 * else can. */
function withTokens<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
  how?: { makes: boolean },
): Promise<Result> {
  return withDatabase(config, async ({ database, embedded }) => {
    const migrations = migrationsOf(config);
    if (embedded) await migrateUp(database, migrations);
    const { reasons: [why] } = await lookFor(database, migrations, [tokenTable]);
    if (why !== undefined) throw new Error(why);
    return await work(database);
  }, how);
}

const insertToken = writes<
  {
    name: string;
    sha256: string;
    scopes: string;
    claims: string | null;
    expiresAt: string | null;
  },
  { id: number }
>(
  "insert token",
  sql`
    insert into relata_token (name, sha256, scopes, claims, expires_at)
    values (
      ${slot("name", "text")},
      ${slot("sha256", "text")},
      ${slot("scopes", "text")}::text[],
      ${slot("claims", "json")},
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
      claims,
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

/** Whether a terminal can show a text: no character moves the cursor or reverses the text around it. Joiners
 * inside emoji and words are allowed. */
function isShowable(text: string): boolean {
  return !/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(text);
}

function checkedName(text: string): string {
  if (isShowable(text) && [...text].length <= 64) return text;
  throw new UsageError(
    "--name takes at most 64 characters, and no control character, bidirectional control, or line " +
      "or paragraph separator",
  );
}

/** Reads whom a token stands for. */
function claimsIn(text: string): Claims & { sub: string } {
  const claims = text.length <= LONGEST ? objectIn(text) : undefined;
  const sub = claims?.["sub"];
  if (isSubject(sub) && isShowable(sub)) return { ...claims, sub };
  throw new UsageError(
    `--as takes an object of claims with a "sub", as in {"sub":"importer","roles":["editor"]}, of at ` +
      `most ${LONGEST} characters`,
  );
}

function objectIn(text: string): Claims | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function scopesOf(wanted: string[]): Scope[] {
  const unknown = wanted.find((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown !== undefined) {
    throw new UsageError(`--scope takes ${scopes.join(" or ")}: it is "${unknown}"`);
  }
  return withIncluded(scopes.findLast((scope) => wanted.includes(scope))!);
}

/** Reads a number of days, or a date or time in ISO 8601. It must lie in the future, and its year must have
 * four digits: Postgres cannot read the ISO 8601 form of later years. */
function expiryOf(text: string): Date {
  const moment = /^\d{1,5}$/.test(text) ? Date.now() + Number(text) * DAY : millisecondsOf(text);
  if (moment > Date.now() && moment < YEAR_10000) return new Date(moment);
  throw new UsageError(
    "--expires takes a number of days, or a later day or time such as 2030-01-31T12:00:00Z, before " +
      `the year 10000 in UTC: it is "${text}"`,
  );
}

/** Milliseconds; NaN for a day past the end of its month, which `Date` would accept. */
function millisecondsOf(text: string): number {
  const [, day = ""] = ISO.exec(text) ?? [];
  return isDay(day) ? Date.parse(text) : NaN;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;
