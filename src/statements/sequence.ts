// The sequence of a table, which is behind when somebody inserted identifiers by hand.
import { raw, slot, type Sql, sql, type Statement, writes } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { ownedBy } from "../model/resource.ts";
import {
  identifierOf,
  isGivenByPostgres,
  keyColumnOf,
  tableOf,
  tableText,
} from "../model/table.ts";

/** SQL for the sequence that gives a column its values, by the number of the column: that of its default, or the one
 * that it owns, as an identity does; null if there is none. */
export function sequenceOf(relation: Sql, number: Sql): Sql {
  return sql`(
    select min(seqrelid)::regclass
    from (
      select refobjid as sequence
      from pg_attrdef
      join pg_depend
        on classid = 'pg_attrdef'::regclass
        and objid = pg_attrdef.oid
        and refclassid = 'pg_class'::regclass
      where adrelid = ${relation} and adnum = ${number}
      union all
      select objid
      from pg_depend
      where classid = 'pg_class'::regclass
        and refclassid = 'pg_class'::regclass
        and refobjid = ${relation}
        and refobjsubid = ${number}
        and deptype in ('a', 'i')
    ) as used
    join pg_sequence
      on seqrelid = sequence
  )`;
}

/** What mends the sequences of a resource, and of the rows that it owns: nothing, where Postgres gives no integers. */
export function mendStatements(resource: Resource) {
  return [resource, ...ownedBy(resource)]
    .filter(isGivenByPostgres)
    .map(mendStatement);
}

/** Moves the sequence of a table to its largest identifier if it is behind, and the constraint that failed is that of
 * the identifier; otherwise returns no row. Identifiers in the upper half of the free range are ignored: a row
 * inserted by hand with the last possible identifier would leave none for others. */
function mendStatement(
  resource: Resource,
): Statement<{ constraint: string }, { set: number }> {
  const [table, column] = [tableText(resource), keyColumnOf(resource)];
  const id = identifierOf(resource, sql`kept`);
  return writes(
    `mend the sequence of ${resource.name}`,
    sql`
      with relata_next as (
        select
          sequence,
          nextval(sequence) as next
        from (
          select ${sequenceOf(raw("own.attrelid"), raw("own.attnum"))} as sequence
          from pg_index
          join pg_class as index
            on index.oid = indexrelid
          join pg_attribute as indexed
            on indexed.attrelid = indrelid
            and indexed.attname = ${column}
          join pg_attribute as own
            on own.attrelid = coalesce(pg_partition_root(indrelid), indrelid)
            and own.attname = ${column}
          where own.attrelid = ${table}::regclass
            and index.relname = ${slot("constraint", "text")}
            and indkey::text = indexed.attnum::text
        ) as identifier
      )
      select case
        when relata_kept.largest > next then setval(sequence, relata_kept.largest)
        else next
      end as set
      from relata_next
      cross join lateral (
        select max(${id})::bigint as largest
        from ${tableOf(resource)} as kept
        where ${id} <= (relata_next.next + ${raw(String(Number.MAX_SAFE_INTEGER))}) / 2
      ) as relata_kept`,
  );
}
