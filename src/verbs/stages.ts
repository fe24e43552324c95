// The stages of a statement that writes rows: what was sent and which relations of it fail, what of
// it may be written, what was written.
import type { Resource, Value } from "../declaration/declaration.ts";
import { holds } from "../declaration/relation.ts";
import { type Fragment, listed, type Sql } from "../database/sql.ts";
import type { Row } from "./input.ts";

type Write = "create" | "update";

/** Half of the identifiers that there are. */
const FAR_AHEAD = 2 ** 52;

/** Makes, once, what composes the stages from what clients sent, under a condition on `sent` where
 * there is one: of `one` row its values, or of `many` rows an array for each field. An update takes
 * the identifier before the fields. `relata_sent` says which relations fail, `input` is what of it may
 * be written, `relata_written` what was: no table of a resource has such a name, which would hide it.
 * Created identifiers ascend in the order of the rows, so what was written needs no place to be told
 * apart by. */
export function stages(resource: Resource, sql: Sql, write: Write) {
  const statement = declared(sql, resource, write);
  const fields = Object.keys(resource.sent);
  const names = write === "create" ? fields : ["id", ...fields];
  const types = Object.values(resource.sent).map(({ sqlType }) => sqlType);
  if (write === "update") types.unshift("bigint");
  const columns = listed(sql, names);
  const id = write === "create" ? nextIdentifier(sql, resource) : sql`sent.id`;
  const refusals = Object.entries(resource.relations).map(([field, relation]) =>
    sql`case when not ${holds(sql, field, relation)} then ${sql.unsafe(`'${field}'`)} end`
  );

  const compose = (rows: Fragment, condition = sql`true`): Fragment =>
    sql`
      relata_sent as (
        select
          ${columns},
          place,
          concat_ws(',', ${listed(sql, [sql`null`, ...refusals])}) as refused
        from ${rows} as sent
      ),
      input as (
        select
          ${id} as id,
          ${listed(sql, fields)}
        from relata_sent as sent
        where refused = ''
          and ${condition}
      ),
      relata_written as (
        ${statement}
      )`;

  function one(values: Value[], condition?: Fragment): Fragment {
    const named = values.map((value, place) =>
      sql`${value}::${sql.unsafe(types[place]!)} as ${sql(names[place]!)}`
    );
    return compose(sql`(select ${listed(sql, named)}, 1 as place)`, condition);
  }

  function many(arrays: Value[][]): Fragment {
    // Postgres cannot look into the inner selects, so it keeps one plan for any number of rows.
    const hidden = arrays.map((values, place) =>
      sql`(select ${values}::${sql.unsafe(types[place]!)}[])`
    );
    return compose(
      sql`(
        select
          ${columns},
          place
        from unnest(${listed(sql, hidden)}) with ordinality as sent (${columns}, place)
        order by place
      )`,
    );
  }

  return { one, many };
}

/** The fields of a row, in the order in which `one` takes them. */
export function valuesOf(resource: Resource, row: Row): Value[] {
  return Object.keys(resource.sent).map((field) => row[field]!);
}

/** The fields of some rows as arrays, in the order in which `many` takes them. */
export function arraysOf(resource: Resource, rows: Row[]): Value[][] {
  return Object.keys(resource.sent).map((field) => rows.map((row) => row[field]!));
}

/** The next identifier: one more than the last, also than one that somebody inserted by hand ahead
 * of the sequence, unless that is so far ahead that few would be left. */
function nextIdentifier(sql: Sql, { name }: Resource): Fragment {
  const sequence = sql.unsafe(`'${name}_id_seq'`);
  const ahead = sql`(
    select max(id)
    from ${sql(name)}
    where id > (select last_value from ${sql(`${name}_id_seq`)})
      and id < ${sql.unsafe(String(FAR_AHEAD))}
  )`;
  return sql`case
    when ${ahead} is null then nextval(${sequence})
    else setval(${sequence}, greatest(nextval(${sequence}), ${ahead} + 1))
  end`;
}

/** One of the statements that a resource has where it has a route for it. */
export function declared(sql: Sql, resource: Resource, write: Write | "delete"): Fragment {
  const statement = resource.statements(sql)[write];
  if (statement) return statement;
  throw new Error(`The resource "${resource.name}" declares no statement "${write}"`);
}
