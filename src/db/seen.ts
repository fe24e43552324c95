// What the role of DATABASE_URL can see. A missing table and one that the role may not see are reported
// differently, because the remedies differ.
import type { Database } from "./database.ts";
import { reads, slot, sql } from "./sql.ts";

/** A table, and the columns that the server reads. */
export interface Wanted {
  /** Its name, perhaps with a schema: `music.tracks`. */
  name: string;
  columns: string[];
}

export interface Seen {
  name: string;
  /** Whether a statement finds the table by its name. */
  found: boolean;
  /** The schema of the name or of the search path that has it, if the role may not use that schema. */
  closed: string | null;
  /** Another schema that has a table of this name, which is without a schema. */
  elsewhere: string | null;
  /** The columns that it lacks, and those that the role may not read. */
  absent: string[];
  denied: string[];
}

/** Which migrations are applied. */
export const history: Wanted = {
  name: "relata_migration",
  columns: ["owner", "number", "name", "applied_at", "checksum"],
};

const GRANTS = '"relata migrate grants" prints the SQL that lets it';

/** Why the role cannot see which migrations are applied; undefined if it can, or if none is. A schema
 * outside the search path may belong to another Relata. */
export async function hiddenHistory(database: Database): Promise<string | undefined> {
  const [seen] = await look(database, [history]);
  return hiddenIn([{ ...seen!, elsewhere: null }]);
}

/** What the role may not see, in one sentence. */
export function hiddenIn(seen: Seen[]): string | undefined {
  const away = seen.filter(({ found }) => !found);
  const [closed] = away.filter(({ closed }) => closed !== null);
  if (closed) {
    return `The role of DATABASE_URL may not use the schema "${closed.closed}", which has ` +
      `${tables(away.filter((one) => one.closed === closed.closed))}: ${GRANTS}`;
  }
  const [other] = away.filter(({ elsewhere }) => elsewhere !== null);
  if (other) {
    return `The schema "${other.elsewhere}", which has ` +
      `${tables(away.filter((one) => one.elsewhere === other.elsewhere))}, ` +
      "is not in the search_path of the role of DATABASE_URL";
  }
  const denied = seen.filter(({ denied }) => denied.length > 0);
  if (denied.length === 0) return undefined;
  return `The role of DATABASE_URL may not read ${tables(denied)}: ${GRANTS}`;
}

export function tables(seen: Seen[]): string {
  return `the ${seen.length === 1 ? "table" : "tables"} ${named(seen.map(({ name }) => name))}`;
}

export function named(names: string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Looks tables up in the catalogue, which every role may read. */
export async function look(database: Database, wanted: Wanted[]): Promise<Seen[]> {
  return await database.run(lookForTables, { wanted: JSON.stringify(wanted) });
}

const lookForTables = reads<{ wanted: string }, Seen>(
  "look for tables",
  sql`
    with asked as (
      select
        name,
        columns,
        substring(name from '^(.+)\\.') as own,
        substring(name from '[^.]+$') as title
      from json_to_recordset(${slot("wanted", "text")}::json)
        as asked (name text, columns json)
    ),
    named as (
      select
        pg_class.oid,
        relname,
        nspname::text as schema,
        has_schema_privilege(pg_namespace.oid, 'usage') as open
      from pg_class
      join pg_namespace
        on pg_namespace.oid = relnamespace
      where relname in (select title from asked) and relkind in ('r', 'p', 'v', 'm', 'f')
    ),
    path as (
      select replace(btrim(part, ' "'), '$user', current_user) as schema
      from unnest(string_to_array(current_setting('search_path'), ',')) as part
    ),
    wanted as (
      select
        *,
        case
          when own is null then to_regclass(quote_ident(title))
          else (select oid from named where relname = title and schema = own and open)
        end as sought
      from asked
    )
    select
      name,
      sought is not null as found,
      (
        select min(schema)
        from named
        where relname = title and not open
          and (schema = own or own is null and schema in (select schema from path))
      ) as closed,
      (
        select min(schema)
        from named
        where relname = title and own is null and schema not in (select schema from path)
      ) as elsewhere,
      (
        select coalesce(json_agg(wanted_name), '[]')
        from json_array_elements_text(columns) as wanted_name
        where sought is not null and wanted_name not in (
          select attname
          from pg_attribute
          where attrelid = sought and not attisdropped
        )
      ) as absent,
      (
        select coalesce(json_agg(attname), '[]')
        from pg_attribute
        where attrelid = sought
          and not attisdropped
          and attname in (select json_array_elements_text(columns))
          and not has_column_privilege(attrelid, attnum, 'select')
      ) as denied
    from wanted`,
);
