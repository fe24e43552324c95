// Which tables link two of those that are declared: they are declared with them.
import type { Database } from "../../db/database.ts";
import { reads, slot, sql } from "../../db/sql.ts";
import type { Table } from "../catalogue.ts";

/** The names of the tables whose primary key is two columns that each refer to one of these tables, with their
 * schemas. */
export async function tablesLinking(database: Database, tables: Table[]): Promise<string[]> {
  const rows = await database.run(linking, { oids: tables.map(({ oid }) => oid!) });
  return rows.map(({ name }) => name);
}

const linking = reads<{ oids: number[] }, { name: string }>(
  "find tables of links",
  sql`
    select concat(nspname, '.', relname) as name
    from pg_constraint as key
    join pg_class
      on pg_class.oid = key.conrelid
    join pg_namespace
      on pg_namespace.oid = relnamespace
    where key.contype = 'p'
      and cardinality(key.conkey) = 2
      and not relispartition
      and not exists (
        select
        from unnest(key.conkey) as part
        where not exists (
          select
          from pg_constraint as reference
          where reference.contype = 'f'
            and reference.conrelid = key.conrelid
            and reference.conkey = array[part]
            and reference.confrelid = any(${slot("oids", "bigint[]")})
        )
      )
    order by relname`,
);
