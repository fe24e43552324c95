// Tables that are there, as the catalogue of Postgres describes them. Every role may read it.
import type { Database } from "./database.ts";
import { raw, reads, slot, type Sql, sql } from "./sql.ts";

/** A table or a view. */
export interface Described {
  oid: number;
  /** Its place among the names that were asked for, from 1; null for one that only links two of them. */
  place: number | null;
  schema: string;
  name: string;
  /** Whether a statement finds it without its schema. */
  isVisible: boolean;
  isView: boolean;
  comment: string | null;
  columns: DescribedColumn[];
  /** The columns of its primary key, in their order; none without one. */
  key: string[];
  references: Reference[];
}

export interface DescribedColumn {
  name: string;
  /** As Postgres writes it, with what it was given: `numeric(10,2)`. That of a domain is its base type. */
  type: string;
  /** The values of an enum, in their order; null for other types. */
  values: string[] | null;
  isNullable: boolean;
  isGenerated: boolean;
  isIdentity: boolean;
  /** The SQL of its default. */
  default: string | null;
  /** The conditions on this column alone and on its domain, and how they spell the value. */
  checks: string[];
  spelled: string;
  comment: string | null;
}

/** A foreign key. */
export interface Reference {
  columns: string[];
  /** The table that it refers to. */
  oid: number;
  name: string;
  /** The columns there, and whether they are its primary key. */
  targets: string[];
  isToKey: boolean;
}

/** A name, perhaps with a schema before a dot. */
export interface Asked {
  schema: string | null;
  name: string;
}

/** The tables of these names, as far as they are there, and those that link two of them. */
export async function describe(database: Database, asked: Asked[]): Promise<Described[]> {
  return await database.run(describeTables, { asked: JSON.stringify(asked) });
}

/** A table links two others if its primary key is two columns that each refer to one of them. */
/** The names of the columns of a relation that an array has the numbers of, in its order. */
function columnsAt(relation: string, numbers: string): Sql {
  return sql`array(
    select attname
    from unnest(${raw(numbers)}) with ordinality as part (number, place)
    join pg_attribute
      on attrelid = ${raw(relation)}
      and attnum = number
    order by part.place
  )`;
}

const describeTables = reads<{ asked: string }, Described>(
  "describe tables",
  sql`
    with recursive asked as (
      select
        pg_class.oid,
        min(place) as place
      from json_array_elements(${
    slot("asked", "text")
  }::json) with ordinality as wanted (name, place)
      join pg_class
        on relname = name ->> 'name'
      join pg_namespace
        on pg_namespace.oid = relnamespace
      where relkind in ('r', 'p', 'v', 'm', 'f')
        and coalesce(nspname = name ->> 'schema', pg_table_is_visible(pg_class.oid))
      group by pg_class.oid
    ),
    linking as (
      select key.conrelid as oid
      from pg_constraint as key
      where key.contype = 'p'
        and cardinality(key.conkey) = 2
        and not exists (
          select
          from unnest(key.conkey) as part
          where not exists (
            select
            from pg_constraint as reference
            where reference.contype = 'f'
              and reference.conrelid = key.conrelid
              and reference.conkey = array[part]
              and reference.confrelid in (select oid from asked)
          )
        )
    ),
    described as (
      select oid
      from asked
      union
      select linking.oid
      from linking
      join pg_class
        on pg_class.oid = linking.oid
      where not relispartition
    ),
    typed as (
      select
        attrelid,
        attnum,
        atttypid as type,
        atttypmod as modifier
      from pg_attribute
      where attrelid in (select oid from described)
        and attnum > 0
        and not attisdropped
      union all
      select
        attrelid,
        attnum,
        typbasetype,
        typtypmod
      from typed
      join pg_type
        on pg_type.oid = type
      where typtype = 'd'
    ),
    base as (
      select
        attrelid,
        attnum,
        format_type(type, modifier) as type,
        (
          select json_agg(enumlabel order by enumsortorder)
          from pg_enum
          where enumtypid = type
        ) as values
      from typed
      join pg_type
        on pg_type.oid = type
      where typtype <> 'd'
    ),
    domain as (
      select
        attrelid,
        attnum,
        bool_or(typnotnull) as required,
        min(typdefault) as fallback
      from typed
      join pg_type
        on pg_type.oid = type
      where typtype = 'd'
      group by attrelid, attnum
    ),
    checked as (
      select
        attrelid,
        attnum,
        json_agg(pg_get_expr(conbin, conrelid) order by conname) as checks
      from pg_attribute
      join pg_constraint
        on (conrelid = attrelid and conkey = array[attnum])
        or contypid in (
          select type
          from typed
          where typed.attrelid = pg_attribute.attrelid
            and typed.attnum = pg_attribute.attnum
        )
      where attrelid in (select oid from described)
        and contype = 'c'
      group by attrelid, attnum
    )
    select
      pg_class.oid::bigint as oid,
      place,
      nspname as schema,
      relname as name,
      pg_table_is_visible(pg_class.oid) as "isVisible",
      relkind in ('v', 'm') as "isView",
      obj_description(pg_class.oid, 'pg_class') as comment,
      (
        select coalesce(json_agg(
          json_build_object(
            'name', attname,
            'type', type,
            'values', values,
            'isNullable', not (attnotnull or coalesce(required, false)),
            'isGenerated', attgenerated <> '',
            'isIdentity', attidentity <> '',
            'default', coalesce(pg_get_expr(adbin, adrelid), fallback),
            'checks', coalesce(checks, '[]'),
            'spelled', quote_ident(attname),
            'comment', col_description(attrelid, attnum)
          )
          order by attnum
        ), '[]')
        from pg_attribute
        join base
          using (attrelid, attnum)
        left join domain
          using (attrelid, attnum)
        left join checked
          using (attrelid, attnum)
        left join pg_attrdef
          on adrelid = attrelid
          and adnum = attnum
        where attrelid = pg_class.oid
      ) as columns,
      (
        select coalesce(json_agg(attname order by part.place), '[]')
        from pg_constraint
        cross join unnest(conkey) with ordinality as part (number, place)
        join pg_attribute
          on attrelid = conrelid
          and attnum = number
        where conrelid = pg_class.oid
          and contype = 'p'
      ) as key,
      (
        select coalesce(json_agg(
          json_build_object(
            'columns', ${columnsAt("conrelid", "conkey")},
            'oid', confrelid::bigint,
            'name', target.relname,
            'targets', ${columnsAt("confrelid", "confkey")},
            'isToKey', exists (
              select
              from pg_constraint as key
              where key.contype = 'p'
                and key.conrelid = pg_constraint.confrelid
                and key.conkey = pg_constraint.confkey
            )
          )
          order by conname
        ), '[]')
        from pg_constraint
        join pg_class as target
          on target.oid = confrelid
        where conrelid = pg_class.oid
          and contype = 'f'
      ) as references
    from described
    join pg_class
      on pg_class.oid = described.oid
    join pg_namespace
      on pg_namespace.oid = relnamespace
    left join asked
      on asked.oid = described.oid
    order by place, relname`,
);
