// Which tables a whole database has, or one of its schemas.
import type { Database } from "../../db/database.ts";
import { reads, slot, sql } from "../../db/sql.ts";

/** The names of the tables that people made, with their schemas: no partitions, and none of Postgres, of an extension
 * or of the server itself. Without a schema, those of each that the role may use. */
export async function tablesOfSchema(database: Database, schema: string | null): Promise<string[]> {
  const rows = await database.run(tables, { schema });
  return rows.map(({ name }) => name);
}

const tables = reads<{ schema: string | null }, { name: string }>(
  "find tables",
  sql`
    select concat(nspname, '.', relname) as name
    from pg_class
    join pg_namespace
      on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p')
      and not relispartition
      and nspname = coalesce(${slot("schema", "text")}, nspname)
      and nspname !~ '^(pg_.*|information_schema)$|\\.'
      and relname !~ '^relata_'
      and has_schema_privilege(pg_namespace.oid, 'usage')
      and not exists (
        select
        from pg_depend
        where classid = 'pg_class'::regclass
          and objid = pg_class.oid
          and deptype = 'e'
      )
    order by nspname, relname`,
);
