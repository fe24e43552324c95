// What the catalogue of Postgres, which every role may read, tells about the tables that are asked for.
import type { Database } from "../db/database.ts";
import { raw, reads, slot, type Sql, sql } from "../db/sql.ts";
import { sequenceOf } from "../statements/sequence.ts";

/** Tables by the names that were asked for, in their order. */
export type Catalogue = Map<string, Table>;

/** A table or a view. */
export interface Table {
  /** The name that was asked for, perhaps with a schema before the first dot: `music.tracks`. */
  name: string;
  /** The same without the schema. */
  title: string;
  /** Whether a statement finds it by its name. If not, it has no columns, and nothing else. */
  found: boolean;
  /** What identifies it, and its schema; null if it is not found. */
  oid: number | null;
  schema: string | null;
  /** Whether a statement finds it without its schema. */
  isVisible: boolean;
  /** The schema of the search path that has it, if the role may not use that schema. */
  closed: string | null;
  /** Another schema that has a table of this name. */
  elsewhere: string | null;
  /** Whether it keeps rows itself: a view has no keys, no indexes and no defaults. */
  keepsRows: boolean;
  /** Whether the role may read all of it. */
  isReadable: boolean;
  /** What the role may do besides reading: insert, update and delete, of some columns at least. */
  rights: string[];
  comment: string | null;
  /** In their order. */
  columns: Record<string, TableColumn>;
  /** The foreign keys. */
  references: ForeignKey[];
  /** The tables that inherit from it and are no partitions. */
  heirs: string[];
  /** The indexes that a statement may use, but for those on some rows only. */
  indexes: Index[];
  /** The triggers that run before each row. */
  triggers: Trigger[];
  /** Those of Postgres's own that leave out an update which changes nothing: their names, and the columns whose updates
   * run them, if not all do. */
  suppressing: { name: string; columns: string[] }[];
  /** What triggers write as the role, which may not: the trigger, the right that it lacks, and where. */
  denied: [trigger: string, right: string, table: string][];
  /** The rules that rewrite its writes. */
  rules: CheckConstraint[];
  /** Its policies; null if row security is off, or not for the role. */
  policies: string[] | null;
  /** The first column by which it is partitioned, if it has no partition, or all ended before now. */
  outgrown: string | null;
}

export interface TableColumn {
  name: string;
  /** The name as expressions of Postgres spell it. */
  spelled: string;
  /** The type under its domains, as `numeric` or `text[]`, and with its modifiers, as `numeric(10,2)`. */
  type: string;
  fullType: string;
  isNotNull: boolean;
  /** Whether an insert that leaves it out gives it a value: a default, an identity, an expression. */
  isFilled: boolean;
  /** Whether no statement may write it: an expression, or an identity that is always given. */
  isGenerated: boolean;
  isIdentity: boolean;
  /** The SQL of its default, or of that of its domain; without expressions, the latter alone. */
  default: string | null;
  /** Whether a check is on it, or on its domain. */
  isChecked: boolean;
  /** The conditions on this column alone, and on its domain; without expressions, the latter alone. */
  checks: string[];
  /** The labels of its enum, or of that of its elements. */
  labels: string[] | null;
  /** Its collation, as Postgres writes it; null for types that have none. */
  collation: string | null;
  /** The sequence that gives it values, as Postgres writes it. */
  sequence: string | null;
  /** Whether the role may read that sequence and set it; null without one. */
  setsSequence: boolean | null;
  comment: string | null;
}

interface ForeignKey {
  columns: string[];
  /** The table that it refers to, and its name without the schema. */
  oid: number;
  title: string;
  /** The columns there, and whether they are its primary key. */
  targets: string[];
  isToKey: boolean;
  /** Whether the rows that were there before it were checked. */
  isValid: boolean;
  /** What it does to rows when the one that they refer to is deleted: it sets their columns to null or to a default. */
  onDelete: "cascade" | "set" | "refuse";
}

export interface Index {
  name: string;
  /** Whether it is that of the primary key. */
  isPrimary: boolean;
  isUnique: boolean;
  /** Whether it is checked row by row, not at the end of a statement. */
  isImmediate: boolean;
  /** Whether it has an order: a B-tree whose columns all ascend or all descend. */
  isOrdered: boolean;
  parts: IndexPart[];
}

/** A column of an index; the name is null for an expression. */
interface IndexPart {
  column: string | null;
  collation: string | null;
}

export interface Trigger {
  name: string;
  /** Whether a row that is inserted runs it. */
  isOnInsert: boolean;
  /** The text of its function, if that is written in PL/pgSQL, or the names of the columns that it sets; null for others. */
  source: string | null;
}

export interface CheckConstraint {
  name: string;
  event: "insert" | "update" | "delete";
}

/** Reads what the catalogue has about tables of these names. Postgres waits for the lock of a table to write
 * its expressions, defaults and checks, so they are read only if they are asked for. */
export async function readCatalogue(
  database: Database,
  names: string[],
  expressions = false,
): Promise<Catalogue> {
  const asked = [...new Set(names)];
  const tables = await database.run(findTables, { names: JSON.stringify(asked), expressions });
  return new Map(tables.map((table) => [table.name, table]));
}

/** The names of the columns of a relation that an array has the numbers of, in its order. */
function columnsAt(relation: string, numbers: string): Sql {
  return sql`array(
    select attname
    from unnest(${raw(numbers)}) with ordinality as part (number, ordinal)
    join pg_attribute
      on attrelid = ${raw(relation)} and attnum = number
    order by ordinal
  )`;
}

export const findTables = reads<{ names: string; expressions: boolean }, Table>(
  "read the catalogue",
  sql`
    with recursive asked as materialized (
      select
        name,
        ordinal,
        own,
        title,
        (
          select pg_class.oid
          from pg_class
          join pg_namespace
            on pg_namespace.oid = relnamespace
          where relname = title
            and relkind in ('r', 'p', 'v', 'm', 'f')
            and case
              when own is null then pg_table_is_visible(pg_class.oid)
              else nspname = own and has_schema_privilege(pg_namespace.oid, 'usage')
            end
        )::regclass as sought
      from json_array_elements_text(${slot("names", "json")})
        with ordinality as wanted (name, ordinal)
      cross join lateral (
        select
          substring(name from '^([^.]+)\\.') as own,
          regexp_replace(name, '^[^.]+\\.', '') as title
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
        case when ${
    slot("expressions", "boolean")
  } then pg_get_expr(adbin, adrelid) end as fallback,
        exists (
          select
          from pg_constraint
          where conrelid = attrelid and contype = 'c' and attnum = any(conkey)
        ) as checked,
        array(
          select pg_get_expr(conbin, conrelid)
          from pg_constraint
          where conrelid = attrelid and contype = 'c' and conkey = array[attnum]
            and ${slot("expressions", "boolean")}
          order by conname
        ) as checks
      from asked
      join pg_attribute
        on attrelid = sought and attnum > 0 and not attisdropped
      left join pg_attrdef
        on adrelid = attrelid and adnum = attnum
      union all
      select
        relation,
        number,
        typbasetype,
        typtypmod,
        not_null or typnotnull,
        filled or typdefault is not null,
        coalesce(fallback, typdefault),
        checked or exists (
          select
          from pg_constraint
          where contypid = pg_type.oid and contype = 'c'
        ),
        checks || array(
          select pg_get_expr(conbin, conrelid)
          from pg_constraint
          where contypid = pg_type.oid and contype = 'c'
          order by conname
        )
      from typed
      join pg_type
        on pg_type.oid = type and typtype = 'd'
    )
    select
      name,
      title,
      sought is not null as found,
      sought::oid::bigint as oid,
      nspname as schema,
      coalesce(pg_table_is_visible(sought), false) as "isVisible",
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
      coalesce(relkind in ('r', 'p'), false) as "keepsRows",
      coalesce(has_table_privilege(sought, 'select'), false) as "isReadable",
      to_json(array(
        select kind
        from unnest('{insert,update,delete}'::text[]) as kind
        where case kind
          when 'delete' then has_table_privilege(sought, kind)
          else has_any_column_privilege(sought, kind)
        end
      )) as rights,
      obj_description(sought, 'pg_class') as comment,
      (
        select coalesce(json_object_agg(attname, json_build_object(
          'name', attname,
          'spelled', quote_ident(attname),
          'type', case
            when typnamespace = 'pg_catalog'::regnamespace then format_type(type, null)
            when typcategory = 'A' then (
              select element.typname || '[]'
              from pg_type as element
              where element.oid = pg_type.typelem
            )
            else typname
          end,
          'fullType', format_type(type, modifier),
          'isNotNull', not_null and relkind in ('r', 'p'), -- outer joins fill any column with null
          'isFilled', filled,
          'isGenerated', attgenerated <> '' or attidentity = 'a',
          'isIdentity', attidentity <> '',
          'default', fallback,
          'isChecked', checked,
          'checks', checks,
          'labels', (
            select json_agg(enumlabel order by enumsortorder)
            from pg_enum
            where enumtypid in (type, typelem)
          ),
          'collation', nullif(attcollation, 0)::regcollation,
          'sequence', sequence,
          'setsSequence',
            has_sequence_privilege(sequence, 'select')
            and has_sequence_privilege(sequence, 'update'),
          'comment', col_description(relation, number)
        ) order by number), '{}')
        from typed
        join pg_type
          on pg_type.oid = type and typtype <> 'd'
        join pg_attribute
          on attrelid = relation and attnum = number
        cross join lateral (select ${
    sequenceOf(raw("relation"), raw("number"))
  } as sequence) as given
        where relation = sought
      ) as columns,
      (
        select coalesce(json_agg(json_build_object(
          'columns', ${columnsAt("conrelid", "conkey")},
          'oid', confrelid::bigint,
          'title', target.relname,
          'targets', ${columnsAt("confrelid", "confkey")},
          'isToKey', exists (
            select
            from pg_constraint as key
            where key.conrelid = pg_constraint.confrelid
              and key.contype = 'p'
              and key.conkey = pg_constraint.confkey
          ),
          'isValid', convalidated,
          'onDelete', case
            when confdeltype = 'c' then 'cascade'
            when confdeltype in ('n', 'd') then 'set'
            else 'refuse'
          end
        ) order by conname), '[]')
        from pg_constraint
        join pg_class as target
          on target.oid = confrelid
        where conrelid = sought
          and contype = 'f'
          and not exists ( -- those that Postgres adds for the partitions of the target
            select
            from pg_constraint as whole
            where whole.oid = pg_constraint.conparentid and whole.conrelid = sought
          )
      ) as "references",
      to_json(array(
        select heir.oid::regclass::text
        from pg_inherits
        join pg_class as heir
          on heir.oid = inhrelid
        where inhparent = sought and not heir.relispartition
        order by 1
      )) as heirs,
      (
        select coalesce(json_agg(json_build_object(
          'name', index.relname,
          'isPrimary', indisprimary,
          'isUnique', indisunique,
          'isImmediate', indimmediate,
          'isOrdered', amname = 'btree' and (0 = all(indoption) or 3 = all(indoption)),
          'parts', (
            select json_agg(json_build_object(
              'column', attname,
              'collation', nullif(indcollation[ordinal - 1], 0)::regcollation
            ) order by ordinal)
            from unnest(indkey) with ordinality as part (number, ordinal)
            left join pg_attribute
              on attrelid = sought and attnum = number
            where ordinal <= indnkeyatts
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
          'isOnInsert', tgtype & 4 = 4,
          'source', case
            when lanname = 'plpgsql' then prosrc
            when proname ~ '^(tsvector_update_trigger(_column)?|moddatetime)$'
              then encode(tgargs, 'escape')
          end
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
          and tgfoid <> 'suppress_redundant_updates_trigger'::regproc -- what it leaves out is not refused
      ) as triggers,
      (
        select coalesce(json_agg(json_build_object(
          'name', tgname,
          'columns', ${columnsAt("tgrelid", "tgattr")}
        )), '[]')
        from pg_trigger
        where tgrelid = sought
          and tgenabled <> 'D'
          and tgfoid = 'suppress_redundant_updates_trigger'::regproc
      ) as suppressing,
      to_json(array(
        select array[tgname, written[1], written[2]]
        from pg_trigger
        join pg_proc
          on pg_proc.oid = tgfoid
        cross join regexp_matches(
          lower(prosrc),
          '\\m(insert|update|delete)\\s+(?:into\\s+|from\\s+)?"?([\\w.]+)',
          'g'
        ) as written
        join pg_class as other
          on other.relname = regexp_replace(written[2], '^.*\\.', '')
        where tgrelid = sought and not tgisinternal and tgenabled <> 'D' and not prosecdef
        group by 1
        having not bool_or(case written[1]
          when 'delete' then has_table_privilege(other.oid, 'delete')
          else has_any_column_privilege(other.oid, written[1])
        end)
      )) as denied,
      (
        select coalesce(json_agg(json_build_object(
          'name', rulename,
          'event', case ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end
        )), '[]')
        from pg_rewrite
        where ev_class = sought and ev_type <> '1' and ev_enabled <> 'D'
      ) as rules,
      (
        select coalesce(json_agg(polname order by polname), '[]')
        from pg_policy
        where polrelid = sought
        having row_security_active(sought)
      ) as policies,
      (
        select attname
        from pg_partitioned_table
        join pg_attribute
          on attrelid = partrelid and attnum = partattrs[0]
        where partrelid = sought and not exists (
          select
          from pg_inherits
          join pg_class as part
            on part.oid = inhrelid
          cross join substring(pg_get_expr(part.relpartbound, 0), 'TO \\(''(\\d{4}-[^'']+)') as bound
          where inhparent = partrelid
            and coalesce(bound collate "C" > now()::text, true) -- if it is a time at all
        )
      ) as outgrown
    from asked
    left join pg_class
      on pg_class.oid = sought
    left join pg_namespace
      on pg_namespace.oid = relnamespace
    order by ordinal`,
);
