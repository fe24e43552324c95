// The description of a schema, to compare one with another.
import type postgres from "postgres";

/** The schema as the catalogue of Postgres has it, in an order that does not depend on its making. */
export async function schemaOf(sql: postgres.Sql) {
  const relations = sql`select oid from pg_class where relnamespace = 'public'::regnamespace`;
  const column = (rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => Object.values(row).join(" · "));
  const [tables, columns, constraints, indexes, sequences, functions] = await Promise.all([
    sql`
      select relname
      from pg_class
      where oid in (${relations}) and relkind in ('r', 'p', 'v', 'm')
      order by relname`,
    sql`
      select
        attrelid::regclass::text as relation,
        attname,
        format_type(atttypid, atttypmod),
        attnotnull,
        attidentity,
        attcollation::regcollation::text as collation,
        pg_get_expr(adbin, adrelid) as default
      from pg_attribute
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid in (${relations}) and attnum > 0 and not attisdropped
      order by relation, attnum`,
    sql`
      select
        conrelid::regclass::text as relation,
        conname,
        pg_get_constraintdef(oid)
      from pg_constraint
      where conrelid in (${relations})
      order by relation, conname`,
    sql`
      select pg_get_indexdef(indexrelid) as definition
      from pg_index
      where indrelid in (${relations})
      order by definition`,
    sql`
      select sequencename, data_type, start_value, max_value, increment_by
      from pg_sequences
      where schemaname = 'public'
      order by sequencename`,
    sql`
      select pg_get_functiondef(oid) as definition
      from pg_proc
      where pronamespace = 'public'::regnamespace
      order by definition`,
  ]);
  return {
    tables: column(tables),
    columns: column(columns),
    constraints: column(constraints),
    indexes: column(indexes),
    sequences: column(sequences),
    functions: column(functions),
  };
}
