// The data of a database as SQL for psql: the rows of each table and the state of each sequence. The
// tables and their references are read from the catalogue, so a new migration needs no change here.
import manifest from "../../package.json" with { type: "json" };
import type { Database } from "../db/database.ts";
import { quotedArray, raw, reads, sql } from "../db/sql.ts";
import { appliedMigrations } from "../migrate/migrations.ts";
import { historyKey } from "../migrate/step.ts";

/** All names are quoted as Postgres needs them, with the schema where it is not on the search path. */
interface DumpedTable {
  name: string;
  /** The columns that are stored, not generated. */
  columns: string[];
  /** The tables it refers to, by its foreign keys. */
  references: DumpedReference[];
}

interface DumpedReference {
  key: string;
  target: string;
  isDeferrable: boolean;
}

/** Rows in memory at once: few, because each may hold a long text. */
const ROWS = 100;

/** The escapes of the text format of COPY. */
const escapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The SQL in pieces, from a database of one session. */
export async function* dump(database: Database): AsyncGenerator<string> {
  await database.script("begin isolation level repeatable read");
  const tables = targetsFirst(await database.run(allTables, {}));
  const names = tables.map(({ name }) => name);
  const early = earlyKeys(tables);
  yield await head(database, names);
  yield early.map((key) => `${key} deferrable initially deferred;\n`).join("");
  yield `set constraints all deferred;\n\n`;
  yield names.toReversed().map((name) => `delete from only ${name};\n`).join("");
  for (const table of tables) yield* dumpedRows(database, table);
  yield await sequencesOf(database);
  yield "set constraints all immediate;\n";
  yield early.map((key) => `${key} not deferrable;\n`).join("");
  const views = await database.run(keptViews, {});
  yield views.map(({ name }) => `refresh materialized view ${name};\n`).join("");
  yield TAIL;
  await database.script("commit");
}

/** The beginning, which fails in a database that the data is not for. Rows made by a migration and not
 * changed since have the transaction of that migration; they are replaced. What triggers did is in the data,
 * so none runs from here on. */
async function head(database: Database, tables: string[]): Promise<string> {
  const migrations = (await database.run(appliedMigrations, {})).map(historyKey);
  return `-- The data of relata ${manifest.version}, for psql and an empty database with its schema.

\\set ON_ERROR_STOP on
set client_encoding = 'UTF8';
begin;

do $$
declare
  migrations constant text[] := ${quotedArray(migrations)};
  tables constant text[] := ${quotedArray(tables)};
  found text[];
  filled boolean;
begin
  if to_regclass('relata_migration') is null then
    raise exception 'The database has no schema: run "relata migrate up" first';
  end if;
  found := array(
    select concat_ws(' ', owner, number, name)
    from relata_migration
    order by owner desc, number
  );
  if found <> migrations then
    raise exception 'The data is for a database with the migrations %, but it has %', migrations, found;
  end if;
  for ordinal in 1 .. cardinality(tables) loop
    execute format('lock table %s in exclusive mode', tables[ordinal]);
    execute format(
      'select exists (select from only %s where xmin not in (select xmin from relata_migration))',
      tables[ordinal]
    ) into filled;
    if filled then
      raise exception 'The table % is not empty', tables[ordinal];
    end if;
  end loop;
end
$$;

create temporary table relata_trigger on commit drop as
select
  tgrelid::regclass as relation,
  tgname as name,
  case tgenabled
    when 'A' then 'enable always'
    else 'enable'
  end as mode
from pg_trigger
where tgrelid = any(${quotedArray(tables)}::regclass[])
  and tgenabled in ('O', 'A')
  and not tgisinternal;

${triggers("'disable'")}
`;
}

/** Disables the triggers that the head has found, or enables them as they were. */
function triggers(mode: "'disable'" | "found.mode"): string {
  return `do $$
declare
  found record;
begin
  for found in select relation, name, mode from relata_trigger loop
    execute format('alter table %s %s trigger %I', found.relation, ${mode}, found.name);
  end loop;
end
$$;
`;
}

const TAIL = `
${triggers("found.mode")}
commit;
`;

/** The condition that something is in a schema of ours, not of Postgres. */
const isOurs = sql`relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'`;

const allTables = reads<object, DumpedTable>(
  "read the tables",
  sql`
    select
      pg_class.oid::regclass::text as name,
      to_json(array(
        select quote_ident(attname)
        from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      )) as columns,
      (
        select coalesce(json_agg(json_build_object(
          'key', quote_ident(conname),
          'target', confrelid::regclass::text,
          'isDeferrable', condeferrable
        ) order by conname), '[]')
        from pg_constraint
        where conrelid = pg_class.oid and contype = 'f'
      ) as references
    from pg_class
    where ${isOurs}
      and relkind = 'r'
      and relname <> 'relata_migration'
    order by name`,
);

/** The views that keep rows, each after those that it may read. */
const keptViews = reads<object, { name: string }>(
  "read the kept views",
  sql`
    select pg_class.oid::regclass::text as name
    from pg_class
    where ${isOurs}
      and relkind = 'm'
      and relispopulated
    order by pg_class.oid`,
);

/** Each table after those it refers to, unless these refer to it too. */
function targetsFirst(tables: DumpedTable[]): DumpedTable[] {
  const ordered = new Set<DumpedTable>();
  const visited = new Set<DumpedTable>();
  function visit(table: DumpedTable): void {
    if (visited.has(table)) return;
    visited.add(table);
    const targets = table.references.map(({ target }) => target);
    tables.filter(({ name }) => targets.includes(name)).forEach(visit);
    ordered.add(table);
  }
  tables.forEach(visit);
  return [...ordered];
}

/** The beginnings of the statements that put off the foreign keys of tables that come before their targets. */
function earlyKeys(tables: DumpedTable[]): string[] {
  const names = tables.map(({ name }) => name);
  return tables.flatMap(({ name, references }, index) =>
    references
      .filter(({ target, isDeferrable }) => !isDeferrable && names.indexOf(target) > index)
      .map(({ key }) => `alter table ${name} alter constraint ${key}`)
  );
}

async function* dumpedRows(
  database: Database,
  { name, columns }: DumpedTable,
): AsyncGenerator<string> {
  // A list must not be empty; without one, what is generated is left out, too
  const written = columns.length > 0 ? ` (${columns.join(", ")})` : "";
  yield `copy ${name}${written} from stdin;\n`;
  // The keys are numbers, so that the object keeps their order
  const texts = columns.map((column, index) => `${column}::text as "${index}"`).join(", ");
  await database.script(`declare dumped no scroll cursor for select ${texts} from only ${name}`);
  for (;;) {
    const rows = await database.run(fetchRows, {});
    if (rows.length === 0) break;
    yield rows.map((row) => `${Object.values(row).map(copyText).join("\t")}\n`).join("");
  }
  await database.script("close dumped");
  yield "\\.\n\n";
}

const fetchRows = reads<object, Record<string, string | null>>(
  "fetch rows",
  sql`fetch ${ROWS} from dumped`,
  { replans: true }, // the cursor is another one for each table
);

function copyText(value: string | null): string {
  return value === null ? "\\N" : value.replace(/[\\\n\r\t]/g, (character) => escapes[character]!);
}

async function sequencesOf(database: Database): Promise<string> {
  const lines: string[] = [];
  for (const { name } of await database.run(allSequences, {})) {
    const [row] = await database.run(positionOf(name), {});
    lines.push(row!.line);
  }
  return ["do $$", "begin", ...lines, "end", "$$;", "", ""].join("\n");
}

const allSequences = reads<object, { name: string }>(
  "read the sequences",
  sql`
    select pg_class.oid::regclass::text as name
    from pg_class
    where ${isOurs} and relkind = 'S'
    order by name`,
);

const positionOf = (sequence: string) =>
  reads<object, { line: string }>(
    "read a sequence",
    sql`
      select format(
        '  perform setval(%L, %s, %L);',
        ${sequence}::text,
        last_value,
        is_called
      ) as line
      from ${raw(sequence)}`,
  );
