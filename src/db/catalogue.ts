// The one reading of the catalogue of Postgres, which every role may read: what is there of the tables
// that are asked for.
import type { Database } from "./database.ts";
import { reads, slot, sql } from "./sql.ts";

/** Tables by the names that were asked for. */
export type Catalogue = Map<string, Table>;

export interface Table {
  /** The name that was asked for. */
  name: string;
  /** Whether a statement finds it by its name. If not, it has no columns, and nothing else. */
  found: boolean;
  /** The schema of the search path that has it, if the role may not use that schema. */
  closed: string | null;
  /** Another schema that has a table of this name. */
  elsewhere: string | null;
  /** Whether it keeps rows itself: a view has no keys, no indexes and no defaults. */
  isKept: boolean;
  /** What the role may do besides reading: insert, update and delete, of some columns at least. */
  rights: string[];
  columns: Record<string, Column>;
  /** The foreign keys of one column. */
  references: Reference[];
  /** The indexes that a statement may use, but for those on some rows only. */
  indexes: Index[];
  /** The triggers that run before each row. */
  triggers: Trigger[];
  /** Its policies; null if row security is off. */
  policies: string[] | null;
}

export interface Column {
  /** The type under its domains, as `numeric`, and with its modifiers, as `numeric(10,2)`. */
  type: string;
  fullType: string;
  /** Whether the role may read it. */
  isReadable: boolean;
  isNotNull: boolean;
  /** Whether an insert that leaves it out gives it a value: a default, an identity, an expression. */
  isFilled: boolean;
  /** Whether no statement may write it: an expression, or an identity that is always given. */
  isGenerated: boolean;
  /** Whether a check is on it, or on its domain. */
  isChecked: boolean;
  /** The labels of its enum. */
  labels: string[] | null;
  /** Its collation, as Postgres writes it; null for types that have none. */
  collation: string | null;
  /** The sequence of an identifier, with its schema, as Postgres writes it. */
  sequence: string | null;
}

export interface Reference {
  column: string;
  /** The table that it refers to, by the name that was asked for; null for another one. */
  table: string | null;
  /** The column that it refers to. */
  to: string;
}

export interface Index {
  name: string;
  isUnique: boolean;
  /** Whether it is checked row by row, not at the end of a statement. */
  isImmediate: boolean;
  /** Whether it has an order: a B-tree whose columns all ascend or all descend. */
  isOrdered: boolean;
  parts: Part[];
}

/** A column of an index; the name is null for an expression. */
export interface Part {
  column: string | null;
  collation: string | null;
}

export interface Trigger {
  name: string;
  /** The text of its function, if that is written in PL/pgSQL. */
  source: string | null;
}

/** Reads what the catalogue has about tables of these names. */
export async function readCatalogue(database: Database, names: string[]): Promise<Catalogue> {
  const asked = [...new Set(names)];
  const tables = await database.run(tablesOf, { names: JSON.stringify(asked) });
  return new Map(tables.map((table) => [table.name, table]));
}

const tablesOf = reads<{ names: string }, Table>(
  "read the catalogue",
  sql`
    with recursive asked as materialized (
      select
        name,
        own,
        title,
        case
          when own is null then to_regclass(quote_ident(title))
          else (
            select pg_class.oid
            from pg_class
            join pg_namespace
              on pg_namespace.oid = relnamespace
            where relname = title and nspname = own
              and relkind in ('r', 'p', 'v', 'm', 'f')
              and has_schema_privilege(pg_namespace.oid, 'usage')
          )::regclass
        end as sought
      from json_array_elements_text(${slot("names", "text")}::json) as name
      cross join lateral (
        select
          substring(name from '^(.+)\\.') as own,
          substring(name from '[^.]+$') as title
      ) as parts
    ),
    named as (
      select
        relname,
        nspname::text as schema,
        has_schema_privilege(pg_namespace.oid, 'usage') as open
      from pg_class
      join pg_namespace
        on pg_namespace.oid = relnamespace
      where relname in (select title from asked where sought is null)
        and relkind in ('r', 'p', 'v', 'm', 'f')
    ),
    path as (
      select replace(btrim(part, ' "'), '$user', current_user) as schema
      from unnest(string_to_array(current_setting('search_path'), ',')) as part
    ),
    typed as (
      select
        attrelid as relation,
        attnum as number,
        atttypid as type,
        atttypmod as modifier,
        attnotnull as not_null,
        atthasdef or attidentity <> '' as filled,
        exists (
          select
          from pg_constraint
          where conrelid = attrelid and contype = 'c' and attnum = any(conkey)
        ) as checked
      from asked
      join pg_attribute
        on attrelid = sought and attnum > 0 and not attisdropped
      union all
      select
        relation,
        number,
        typbasetype,
        typtypmod,
        not_null or typnotnull,
        filled or typdefault is not null,
        checked or exists (
          select
          from pg_constraint
          where contypid = pg_type.oid and contype = 'c'
        )
      from typed
      join pg_type
        on pg_type.oid = type and typtype = 'd'
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
      coalesce(relkind in ('r', 'p'), false) as "isKept",
      to_json(array(
        select kind
        from unnest('{insert,update,delete}'::text[]) as kind
        where case kind
          when 'delete' then has_table_privilege(sought, kind)
          else has_any_column_privilege(sought, kind)
        end
      )) as rights,
      (
        select coalesce(json_object_agg(attname, json_build_object(
          'type', case
            when typnamespace = 'pg_catalog'::regnamespace then format_type(type, null)
            else typname
          end,
          'fullType', format_type(type, modifier),
          'isReadable', has_column_privilege(relation, number, 'select'),
          'isNotNull', not_null,
          'isFilled', filled,
          'isGenerated', attgenerated <> '' or attidentity = 'a',
          'isChecked', checked,
          'labels', (
            select json_agg(enumlabel order by enumsortorder)
            from pg_enum
            where enumtypid = type
          ),
          'collation', nullif(attcollation, 0)::regcollation,
          'sequence', pg_get_serial_sequence(sought::text, attname)
        )), '{}')
        from typed
        join pg_type
          on pg_type.oid = type and typtype <> 'd'
        join pg_attribute
          on attrelid = relation and attnum = number
        where relation = sought
      ) as columns,
      (
        select coalesce(json_agg(json_build_object(
          'column', own.attname,
          'table', (select min(name) from asked where sought = confrelid),
          'to', other.attname
        )), '[]')
        from pg_constraint
        join pg_attribute as own
          on own.attrelid = conrelid and own.attnum = conkey[1]
        join pg_attribute as other
          on other.attrelid = confrelid and other.attnum = confkey[1]
        where conrelid = sought and contype = 'f' and cardinality(conkey) = 1
      ) as "references",
      (
        select coalesce(json_agg(json_build_object(
          'name', index.relname,
          'isUnique', indisunique,
          'isImmediate', indimmediate,
          'isOrdered', amname = 'btree' and (0 = all(indoption) or 3 = all(indoption)),
          'parts', (
            select json_agg(json_build_object(
              'column', attname,
              'collation', nullif(indcollation[place - 1], 0)::regcollation
            ) order by place)
            from unnest(indkey) with ordinality as part (number, place)
            left join pg_attribute
              on attrelid = sought and attnum = number
            where place <= indnkeyatts
          )
        )), '[]')
        from pg_index
        join pg_class as index
          on index.oid = indexrelid
        join pg_am
          on pg_am.oid = index.relam
        where indrelid = sought and indisvalid and indpred is null
      ) as indexes,
      (
        select coalesce(json_agg(json_build_object(
          'name', tgname,
          'source', case when lanname = 'plpgsql' then prosrc end
        )), '[]')
        from pg_trigger
        join pg_proc
          on pg_proc.oid = tgfoid
        join pg_language
          on pg_language.oid = prolang
        where tgrelid = sought
          and not tgisinternal
          and tgenabled <> 'D'
          and tgtype & 3 = 3 -- for each row, and before
      ) as triggers,
      (
        select json_agg(polname)
        from pg_policy
        where polrelid = sought
        having relrowsecurity
      ) as policies
    from asked
    left join pg_class
      on pg_class.oid = sought`,
);
