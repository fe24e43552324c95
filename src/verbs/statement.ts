// The statement that writes rows: it checks the relations, writes, and reads what was written. It is
// for any number of rows, each with its place, and gives the outcome of each; a lone request is a
// row alone.
import type { Resource, Statements, Value } from "../declaration/declaration.ts";
import { MAXIMUM_IDENTIFIER } from "../declaration/field.ts";
import { holds } from "../declaration/relation.ts";
import { shown, tagged } from "./representation.ts";
import { composedOnce, type Fragment, listed, type Sql } from "../database/sql.ts";
import type { Row } from "./input.ts";

/** What became of a row. */
export interface Outcome {
  /** The relations that did not hold, by field, comma-separated; then nothing was written. */
  refused: string;
  /** The identifier of what was written; null where there was no such row. */
  id: number | null;
  /** The row as it is read now; null where what it refers to came after the statement began. */
  text: string | null;
}

const NO_SUCH_ROW: Outcome = { refused: "", id: null, text: null };

export type Write = "create" | "update";

export interface WriteOptions {
  /** Whether only rows are written that are read as one of some tags. */
  conditional?: boolean;
  /** Milliseconds that it waits for the lock of a row, where not as long as any statement. */
  lockTimeout?: number;
}

/** Makes, once, what composes the stages of a write from the arrays of what clients sent: `sent` says
 * which relations fail, `input` is what of it may be written, `written` what was. Created identifiers
 * ascend in the order of the rows, so what was written needs no place to be told apart by. */
export function stages(resource: Resource, sql: Sql, write: Write) {
  const statement = declared(resource, resource.statements(sql), write);
  const fields = Object.keys(resource.sent);
  const types = Object.values(resource.sent).map(({ sqlType }) => sqlType);
  if (write === "update") types.unshift("bigint");
  const columns = listed(sql, write === "create" ? fields : ["id", ...fields]);
  const id = write === "create" ? nextIdentifier(sql, resource) : sql`sent.id`;
  const refusals = Object.entries(resource.relations).map(([field, relation]) =>
    sql`case when not ${holds(sql, field, relation)} then ${sql.unsafe(`'${field}'`)} end`
  );
  // Postgres cannot look into the inner selects, so it keeps one plan for any number of rows.
  const arrays = (values: Value[][]) =>
    values.map((value, place) => sql`(select ${value}::${sql.unsafe(types[place]!)}[])`);

  return (values: Value[][], condition = sql`true`): Fragment =>
    sql`
      sent as (
        select
          ${columns},
          place,
          concat_ws(',', ${listed(sql, [sql`null`, ...refusals])}) as refused
        from unnest(${listed(sql, arrays(values))}) with ordinality as sent (${columns}, place)
      ),
      input as (
        select
          ${id} as id,
          ${listed(sql, fields)}
        from (
          select ${columns}
          from sent
          where refused = ''
            and ${condition}
          order by place
        ) as sent
      ),
      written as (
        ${statement}
      )`;
}

/** The fields of some rows as arrays, in the order in which `stages` takes them. */
export function arraysOf(resource: Resource, rows: Row[]): Value[][] {
  return Object.keys(resource.sent).map((field) => rows.map((row) => row[field]!));
}

/** Makes, once, what runs the statement for some rows and gives the outcome of each. */
export function writeStatement(
  resource: Resource,
  sql: Sql,
  write: Write,
  { conditional = false, lockTimeout }: WriteOptions = {},
) {
  const compose = stages(resource, sql, write);
  const matched = sql`exists (select from matching where id = sent.id)`;
  const hurried = lockTimeout === undefined
    ? undefined
    : sql`set_config('lock_timeout', ${sql.unsafe(`'${lockTimeout}ms'`)}, true) <> ''`;
  const text = shown(sql, resource.statements(sql), "written");
  const run = composedOnce(sql, (...values: Value[][]) => {
    const written = conditional
      ? sql`matching as (${matching(sql, resource, values)}), ${compose(values.slice(2), matched)}`
      : compose(values, hurried);
    return sql<(Outcome & { place: number | null })[]>`
      with ${written}
      select
        place,
        refused,
        null::bigint as id,
        null as text
      from sent
      where refused <> ''
      union all
      select
        null,
        '',
        written.id,
        ${text}
      from written
      order by id`;
  });

  return async (
    identifiers: number[],
    rows: Row[],
    tags: string[] = [],
  ): Promise<Outcome[]> => {
    const outcomes = await run(
      ...(conditional ? [identifiers, tags] : []),
      ...(write === "update" ? [identifiers] : []),
      ...arraysOf(resource, rows),
    );
    const refused = new Map(outcomes.map((outcome) => [outcome.place, outcome]));
    const written = outcomes.filter(({ place }) => place === null).values();
    return rows.map((_, index) => refused.get(index + 1) ?? written.next().value ?? NO_SUCH_ROW);
  };
}

/** Selects those of some rows that are read as one of some tags, and locks them: nobody changes them
 * between this and what the statement writes. */
export function matching(
  sql: Sql,
  resource: Resource,
  [identifiers, tags]: Value[][],
): Fragment {
  const table = sql`${sql(resource.name)}`;
  return sql`
    select id
    from (
      select ${table}.*
      from ${table}
      where id = any(${identifiers!}::bigint[])
      for update
    ) as ${table}
    where ${tagged(sql, resource.statements(sql), resource.name)} = any(${tags!}::text[])`;
}

/** The next identifier: one more than the last, also than one that somebody inserted by hand ahead
 * of the sequence, unless that is the largest there can be. */
function nextIdentifier(sql: Sql, { name }: Resource): Fragment {
  const sequence = sql.unsafe(`'${name}_id_seq'`);
  const ahead = sql`(
    select max(id)
    from ${sql(name)}
    where id > (select last_value from ${sql(`${name}_id_seq`)})
      and id < ${sql.unsafe(String(MAXIMUM_IDENTIFIER))}
  )`;
  return sql`case
    when ${ahead} is null then nextval(${sequence})
    else setval(${sequence}, greatest(nextval(${sequence}), ${ahead} + 1))
  end`;
}

/** One of the statements that a resource need not have. */
export function declared(
  resource: Resource,
  statements: Statements,
  write: Write | "delete",
): Fragment {
  const statement = statements[write];
  if (statement) return statement;
  throw new Error(`The resource "${resource.name}" declares no statement "${write}"`);
}
