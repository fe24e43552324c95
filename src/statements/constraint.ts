// The statements that find out what a refused row is about: a constraint by its name, a value by its type.
import { reads, slot, type Sql, sql, type Statement } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { tableOf } from "../model/table.ts";

/** A constraint, or a unique index. */
export interface Constraint {
  /** The names that a declaration can have for its table; null if the error names none. */
  tableNames: Name[] | null;
  /** The same of the table that it refers to, if it is a foreign key. */
  targetNames: Name[] | null;
  /** Its columns, or those by which a table is partitioned; null for an expression. */
  columns: (string | null)[];
  comment: string | null;
}

type Name = string | null;

/** Looks up what an error names. It is not kept: a migration may change it while the server runs. A
 * constraint may be of a table or of a domain, and an index has one with its name or none. The error of
 * a column that is not null names the column alone; from Postgres 18 on, it has a constraint. */
export const constraintStatement = reads<
  { schema: Name; table: Name; column: Name; domain: Name; constraint: Name },
  Constraint
>(
  "look up a constraint",
  sql`
    with relata_table as (
      select pg_class.oid
      from pg_class
      join pg_namespace
        on pg_namespace.oid = relnamespace
      where nspname = ${slot("schema", "text")}
        and relname = ${slot("table", "text")}
    ),
    relata_column as (
      select attnum
      from pg_attribute
      where attrelid = (select oid from relata_table)
        and attname = ${slot("column", "text")}
    ),
    relata_domain as (
      select pg_type.oid
      from pg_type
      join pg_namespace
        on pg_namespace.oid = typnamespace
      where nspname = ${slot("schema", "text")}
        and typname = ${slot("domain", "text")}
    ),
    relata_constraint as (
      select
        oid,
        conkey,
        confrelid
      from pg_constraint
      where (
        conname = ${slot("constraint", "text")}
        and (
          conrelid = (select oid from relata_table)
          or contypid = (select oid from relata_domain)
        )
      ) or (
        contype = 'n'
        and conrelid = (select oid from relata_table)
        and conkey = array[(select attnum from relata_column)]
      )
    ),
    relata_index as (
      select
        indexrelid as oid,
        (indkey::smallint[])[0:indnkeyatts - 1] as key
      from pg_index
      join pg_class
        on pg_class.oid = indexrelid
      where indrelid = (select oid from relata_table)
        and relname = ${slot("constraint", "text")}
    )
    select
      ${tableNames(sql`relata_table.oid`)} as "tableNames",
      ${tableNames(sql`confrelid`)} as "targetNames",
      (
        select coalesce(json_agg(attname order by ordinal), json_build_array(${
    slot("column", "text")
  }))
        from unnest(coalesce(conkey, key, (
          select partattrs::smallint[]
          from pg_partitioned_table
          where partrelid = relata_table.oid
            and ${slot("column", "text")} is null
        ))) with ordinality as part (number, ordinal)
        left join pg_attribute
          on attrelid = relata_table.oid
          and attnum = number
      ) as columns,
      coalesce(
        obj_description(relata_constraint.oid, 'pg_constraint'),
        obj_description(relata_index.oid, 'pg_class')
      ) as comment
    from (select) as relata_error
    left join relata_table
      on true
    left join relata_constraint
      on true
    left join relata_index
      on true`,
);

/** The names of a table, or of that which it is a partition of: `music.tracks`, and `tracks` where the search
 * path finds it. */
function tableNames(table: Sql): Sql {
  return sql`
    (
      select json_build_array(
        nspname || '.' || relname,
        case when pg_table_is_visible(pg_class.oid) then relname end
      )
      from pg_class
      join pg_namespace
        on pg_namespace.oid = relnamespace
      where pg_class.oid = coalesce(pg_partition_root(${table}), ${table})
    )`;
}

/** Gives values the types of their columns, as an insert does. The columns without a value have that of
 * some row, so that a domain that is not null accepts them. */
export function probeStatement(resource: Resource): Statement<{ row: string }> {
  return reads(
    `probe ${resource.name}`,
    sql`
      select json_populate_record(
        (
          select relata_row
          from ${tableOf(resource)} as relata_row
          limit 1
        ),
        ${slot("row", "json")}
      ) is null as empty`,
  );
}
