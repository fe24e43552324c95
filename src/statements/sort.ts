// The orders of a list. Rows that are equal in a field are in the order of their identifiers, in the same
// direction. Rows without a value come last, and with the minus first, as Postgres orders them.
import { join, name, raw, slot, type Sql, sql } from "../db/sql.ts";
import type { Resource } from "../model/model.ts";
import { type Path, pathTo } from "../model/path.ts";
import {
  cursorParts,
  identifierOf,
  isKeyedByFields,
  rowsOf,
  tableText,
  tuple,
} from "../model/table.ts";

/** The key of the row before a page. It has no type, so that Postgres takes it for one of the column. Of a long key
 * only the beginning is known; then the key is one before all that begin so. */
const AFTER = slot("relata_after");
const BEGINNING = slot("relata_beginning", "text");

export interface Sort {
  /** As a query has it: `-name`. */
  text: string;
  /** What it sorts by before the identifier. */
  path: Path | undefined;
  descends: boolean;
  /** What the identifier of the row before a page is made of. */
  afterId: Sql[];
}

/** Where a page begins: after a row with a value, after one of whose value the beginning is known, or after one
 * without. */
export type Start = "after a value" | "after a long value" | "after no value" | undefined;

/** A part of the rows that is in the order of an index. */
export interface Part {
  /** What its rows have in the field. */
  has: "a value" | "no value" | "either";
  /** Where it begins, if that is after the row of the cursor. */
  start: Start;
}

/** The sorts of a list, by their texts. */
export function sortsOf(resource: Resource): Record<string, Sort> {
  const { key, identifiers, display, creation, sort = [] } = resource;
  const byKey = keySort(resource);
  const afterId = cursorParts(resource, slot("relata_after_id", identifiers.sqlType));
  const texts = new Set([byKey, display, creation, ...sort].filter((text) => text !== undefined));
  return Object.fromEntries(
    [...texts].flatMap((text): [string, Sort][] => {
      const path = text === byKey || text === key ? undefined : pathTo(resource, text);
      if (path?.field.relation?.isMany || path?.steps.some(({ isOwned }) => isOwned)) {
        throw new Error(
          `The resource "${resource.name}" sorts by "${text}", which refers to many rows`,
        );
      }
      if (path?.filter.asks) {
        throw new Error(
          `The resource "${resource.name}" sorts by "${text}", which holds ${path.field.kind}`,
        );
      }
      return [
        [text, { text, path, descends: false, afterId }],
        [`-${text}`, { text: `-${text}`, path, descends: true, afterId }],
      ];
    }),
  );
}

/** The sort by what identifies the rows, as a query has it. */
export function keySort(resource: Resource): string {
  return isKeyedByFields(resource) ? "key" : "id";
}

/** Whether rows may have no value: also where every row has one by its declaration, as the key of another row may
 * be that of none. */
export function mayLack({ path }: Sort): boolean {
  return path !== undefined && (path.nullable || path.steps.length > 0);
}

/** The parts of the rows, in their order, from a start on. There are two where no single index has
 * the rows with a value and those without in sequence: behind a key, or behind a join. */
export function partsOf(sort: Sort, start: Start): Part[] {
  const { path, descends } = sort;
  if (!mayLack(sort) || (!start && path!.steps.length === 0)) {
    return [{ has: "either", start }];
  }
  const isAfterNone = start === "after no value";
  const parts: Part[] = [
    { has: "a value", start: isAfterNone ? undefined : start },
    { has: "no value", start: isAfterNone ? start : undefined },
  ];
  if (descends) parts.reverse();
  return parts.slice(Math.max(0, parts.findIndex(({ start }) => start)));
}

/** The order by a key, then by what an identifier is made of; before both, by what leads. */
export function orderOf({ path, descends }: Sort, key: Sql, id: readonly Sql[], lead?: Sql): Sql {
  const direction = raw(descends ? "desc" : "asc");
  const columns = [lead, path && comparedKey(path, key), ...id];
  return join(columns.map((column) => column && sql`${column} ${direction}`));
}

/** The column that rows are sorted by. */
export function sortColumn({ path }: Sort, row: Sql): Sql {
  if (!path) return sql`null`;
  const { steps, field } = path;
  return sql`${steps.length === 0 ? row : joinAlias(steps.length)}.${name(field.column)}`;
}

/** The joins to the column that rows are sorted by. Rows with a value are found by an inner join, so that Postgres
 * can begin with the index on the value. */
export function joinsOf({ path }: Sort, { has }: Pick<Part, "has">, row: Sql): Sql[] {
  return (path?.steps ?? []).map(({ column, target }, index) => {
    const from = index === 0 ? row : joinAlias(index);
    const to = joinAlias(index + 1);
    return sql`
      ${raw(has === "no value" ? "left join" : "join")} ${rowsOf(target, to)}
        on ${identifierOf(target, to)} = ${from}.${name(column)}`;
  });
}

function joinAlias(index: number): Sql {
  return raw(`relata_joined_${index}`);
}

/** The conditions of a part. */
export function boundsOf(
  resource: Resource,
  sort: Sort,
  { has, start }: Part,
  id: readonly Sql[],
): Sql[] {
  const column = sortColumn(sort, name(resource.name));
  const afterId = sql`${tuple(id)} ${than(sort)} ${tuple(sort.afterId)}`;
  if (sort.path && has === "no value") {
    return [
      sql`${column} is null`,
      ...(sort.path.nullable ? [] : [mayDangle(resource, sort.path)]),
      ...(start ? [afterId] : []),
    ];
  }
  if (!start) return has === "a value" ? [sql`${column} is not null`] : [];
  if (!sort.path) return [afterId];
  const key = comparedKey(sort.path, column);
  const value = start === "after a long value" ? wholeKey(resource, sort, key) : sql`${AFTER}`;
  const both = sql`${tuple([key, ...id])} ${than(sort)} ${tuple([value, ...sort.afterId])}`;
  // The columns of two tables have no index in common: the first condition finds where to begin
  return sort.path.steps.length > 0 ? [sql`${key} ${than(sort)}= ${value}`, both] : [both];
}

/** Whether a row on the way may refer to none: a foreign key is not there, or was never validated. Postgres looks
 * once, and for such rows only then. */
function mayDangle(resource: Resource, { steps }: Path): Sql {
  const owners = [resource, ...steps.map(({ target }) => target)];
  const keys = steps.map(({ column }, index) =>
    sql`
    not exists (
      select
      from pg_constraint
      join pg_attribute
        on attrelid = conrelid
        and conkey = array[attnum]
      where conrelid = ${tableText(owners[index]!)}::regclass
        and contype = 'f'
        and convalidated
        and attname = ${column}
    )`
  );
  return sql`(${join(keys, " or ")})`;
}

/** The key of the row before a page, if its beginning is known: read from the row. If that is gone or has another
 * key by now, the page begins before all rows that begin so, and some may come again. */
function wholeKey(resource: Resource, sort: Sort, key: Sql): Sql {
  const row = name(resource.name);
  return sql`coalesce(
    (
      select ${key}
      from ${rowsOf(resource)}
      ${join(joinsOf(sort, { has: "a value" }, row), "\n")}
      where ${identifierOf(resource, row)} = ${tuple(sort.afterId)}
        and starts_with(${key}, ${BEGINNING})
    ),
    ${AFTER}
  )`;
}

function than({ descends }: Sort): Sql {
  return raw(descends ? "<" : ">");
}

function comparedKey({ filter }: Path, key: Sql): Sql {
  return filter.compared?.(key) ?? key;
}
