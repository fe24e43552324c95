// The statements that write rows: each checks the relations, writes, and reads what was written, or
// deletes. Creates are for any number of rows; one that comes alone has a statement of one row, which
// costs Postgres less, and so has every update.
import type { Resource, Value } from "../declaration/declaration.ts";
import { composedOnce, type Fragment, type Sql } from "../database/sql.ts";
import type { Row } from "./input.ts";
import { shown, tagged } from "./representation.ts";
import { arraysOf, declared, stages, valuesOf } from "./stages.ts";

/** What became of a row. */
export interface Outcome {
  /** The relations that did not hold, by field, comma-separated; then nothing was written. */
  refused: string;
  /** The identifier of what was written; null where it was refused. */
  id: number | null;
  /** The row as it is read now; null where what it refers to came after the statement began. */
  text: string | null;
}

/** An outcome; of a row that was refused, with its place among those that were sent, from 1. */
interface Placed extends Outcome {
  place: number | null;
}

/** What a row is read as: one of some tags, or none of them. */
export interface Condition {
  isOneOf: boolean;
  tags: string[];
}

/** Makes, once, what creates rows and gives the outcome of each, in their order. */
export function createStatement(
  resource: Resource,
  sql: Sql,
): (rows: Row[]) => Promise<Outcome[]> {
  const { one, many } = stages(resource, sql, "create");
  const statement = outcomes(resource, sql);
  const createOne = composedOnce(sql, (...values: Value[]) => statement(one(values)));
  const createMany = composedOnce(sql, (...arrays: Value[][]) => statement(many(arrays)));

  return async (rows) => {
    if (rows.length === 1) return await createOne(...valuesOf(resource, rows[0]!));
    const unordered = await createMany(...arraysOf(resource, rows));
    const refused = new Map(unordered.map((outcome) => [outcome.place, outcome]));
    const written = unordered
      .filter(({ place }) => place === null)
      .sort((former, latter) => former.id! - latter.id!)
      .values();
    return rows.map((_, index) => refused.get(index + 1) ?? written.next().value!);
  };
}

/** Makes, once, what creates one row, and waits for the lock of another for so many milliseconds. */
export function hurriedCreateStatement(
  resource: Resource,
  sql: Sql,
  milliseconds: number,
): (row: Row) => Promise<Outcome> {
  const { one } = stages(resource, sql, "create");
  const statement = outcomes(resource, sql);
  const limited = sql`set_config('lock_timeout', ${sql.unsafe(`'${milliseconds}ms'`)}, true) <> ''`;
  const create = composedOnce(sql, (...values: Value[]) => statement(one(values, limited)));
  return async (row) => (await create(...valuesOf(resource, row)))[0]!;
}

/** Makes, once, what updates a row, under a condition where there is one, and gives the outcome;
 * undefined where there is no such row. */
export function updateStatement(
  resource: Resource,
  sql: Sql,
): (identifier: number, row: Row, condition?: Condition) => Promise<Outcome | undefined> {
  const { one } = stages(resource, sql, "update");
  const statement = outcomes(resource, sql);
  const matched = sql`exists (select from relata_matching where id = sent.id)`;
  const update = composedOnce(sql, (...values: Value[]) => statement(one(values)));
  const updateMatching = composedOnce(
    sql,
    (identifier: number, tags: string[], isOneOf: boolean, ...values: Value[]) =>
      statement(sql`
        relata_matching as (
          ${matching(sql, resource, identifier, tags, isOneOf)}
        ),
        ${one(values, matched)}`),
  );

  return async (identifier, row, condition) => {
    const values = [identifier, ...valuesOf(resource, row)];
    const [outcome] = condition
      ? await updateMatching(identifier, condition.tags, condition.isOneOf, ...values)
      : await update(...values);
    return outcome;
  };
}

/** Makes, once, what deletes a row, under a condition where there is one, and says whether it did. */
export function deleteStatement(
  resource: Resource,
  sql: Sql,
): (identifier: number, condition?: Condition) => Promise<boolean> {
  const statement = declared(sql, resource, "delete");
  const remove = (rows: Fragment) =>
    sql`
      with input as (
        ${rows}
      )
      ${statement}`;
  const any = composedOnce(
    sql,
    (identifier: number) => remove(sql`select ${identifier}::bigint as id`),
  );
  const anyMatching = composedOnce(
    sql,
    (identifier: number, tags: string[], isOneOf: boolean) =>
      remove(matching(sql, resource, identifier, tags, isOneOf)),
  );
  return async (identifier, condition) => {
    const deleted =
      await (condition
        ? anyMatching(identifier, condition.tags, condition.isOneOf)
        : any(identifier));
    return deleted.length > 0;
  };
}

/** Makes, once, what ends a statement: it reads from the stages what became of the rows. */
function outcomes(resource: Resource, sql: Sql) {
  const text = shown(sql, resource, "relata_written");
  return (written: Fragment) =>
    sql<Placed[]>`
      with ${written}
      select
        place,
        refused,
        null::bigint as id,
        null as text
      from relata_sent
      where refused <> ''
      union all
      select
        null,
        '',
        id,
        ${text}
      from relata_written`;
}

/** Selects a row if it is read as one of some tags, or as none of them, and locks it: nobody changes it
 * between this and what the statement writes. */
function matching(
  sql: Sql,
  resource: Resource,
  identifier: number,
  tags: string[],
  isOneOf: boolean,
): Fragment {
  const table = sql`${sql(resource.name)}`;
  return sql`
    select id
    from (
      select ${table}.*
      from ${table}
      where id = ${identifier}::bigint
      for update
    ) as ${table}
    where (${tagged(sql, resource, resource.name)} = any(${tags}::text[])) = ${isOneOf}::boolean`;
}
