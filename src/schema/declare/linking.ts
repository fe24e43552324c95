// Which tables link two of those that are declared: they are declared with them.
import type { Database } from "../../db/database.ts";
import { reads, slot, sql } from "../../db/sql.ts";
import type { Table } from "../catalogue.ts";

/** The names of other tables that may link rows of these, with their schemas: two of their columns refer to such. */
export async function tablesLinking(database: Database, tables: Table[]): Promise<string[]> {
  const rows = await database.run(linking, { oids: tables.map(({ oid }) => oid!) });
  return rows.map(({ name }) => name);
}

const linking = reads<{ oids: number[] }, { name: string }>(
  "find tables of links",
  sql`
    select concat(nspname, '.', relname) as name
    from pg_class
    join pg_namespace
      on pg_namespace.oid = relnamespace
    where not relispartition
      and (
        select count(distinct conkey)
        from pg_constraint
        where contype = 'f'
          and conrelid = pg_class.oid
          and cardinality(conkey) = 1
          and confrelid = any(${slot("oids", "bigint[]")})
      ) > 1
    order by relname`,
);
