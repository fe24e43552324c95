// The stages of a write that make the rows which a row owns those that were sent: some go, some change, some come.
// Rows go before others change, and these before new ones come, for the sake of unique indexes.
import { join, name, raw, type Sql, sql, where } from "../db/sql.ts";
import type { Level, Resource, Stages } from "./model.ts";
import { keptLinks } from "./links.ts";
import { ownedFields, storedIn } from "./resource.ts";
import { filledColumns, typedColumns } from "./sent.ts";
import { keyColumnOf, sentIdentifier, tableOf } from "./table.ts";

/** What the names of stages have that take away what rows own which go. */
const GONE = "_gone";

/** The names of the stages of a level, by what their names end with. */
export function stagesAt(suffix: string) {
  const named = (what: string) => raw(`relata_${what}${suffix}`);
  return {
    held: named("held"),
    sent: named("sent"),
    gone: named("gone"),
    kept: named("kept"),
    changed: named("changed"),
    made: named("made"),
    stored: named("stored"),
    texts: named("texts"),
  };
}

/** The rows that rows of a resource own in one field. */
interface Below {
  rows: Resource;
  suffix: string;
  /** The stage with the rows that own them, under a lock. */
  owner: Sql;
  /** The column of the field in what is sent. */
  column: string;
  /** The stage with those whose owner goes; nothing at the first level. */
  orphaned?: Sql;
}

/** All the levels below a resource that clients write. */
function levelsBelow(resource: Resource, owner = stagesAt("").held, suffix = ""): Below[] {
  return ownedFields(resource).flatMap(({ rows, column, index }) => {
    const own = `${suffix}_${index}`;
    const orphaned = suffix && stagesAt(`${suffix}${GONE}_${index}`).gone;
    return [
      { rows, suffix: own, owner, column, ...(orphaned && { orphaned }) },
      ...levelsBelow(rows, stagesAt(own).held, own),
    ];
  });
}

/** Whether a write did all that was sent: a trigger or a policy may have left a row out. Undefined if rows own none. */
export function isComplete(resource: Resource, areNew: boolean): Sql | undefined {
  const count = (stage: Sql) => sql`(select count(*) from ${stage})`;
  const all = levelsBelow(resource).map(({ suffix, orphaned }) => {
    const { held, sent, gone, kept, changed, made } = stagesAt(suffix);
    if (areNew) return sql`${count(made)} = ${count(sent)}`;
    return sql`
      ${count(made)} + ${count(kept)} = ${count(sent)}
      and ${join([count(gone), count(kept), orphaned && count(orphaned)], " + ")} = ${count(held)}
      and ${count(changed)} = (select count(*) from ${kept} where not relata_is_same)`;
  });
  return all.length > 0 ? join(all, "\nand ") : undefined;
}

/** Whether the rows that a row owns are, under their lock, those that the statement saw; of one that is changed, as far as
 * they are sent. Undefined if it owns none. */
export function areCurrent(resource: Resource, json?: Sql): Sql | undefined {
  const all = levelsBelow(resource).map(({ rows, suffix, owner, column }) => {
    const { held } = stagesAt(suffix);
    const seen = where([
      sql`relata_seen.${name(rows.owned!.column)} in (select id from ${owner})`,
      suffix.lastIndexOf("_") === 0 && json && sql`${json} -> ${column} is not null`,
    ]);
    return sql`
      not exists (select from ${held} where not relata_is_current)
      and (select count(*) from ${held}) = (
        select count(*)
        from ${tableOf(rows)} as relata_seen
        ${seen}
      )`;
  });
  return all.length > 0 ? join(all, "\nand ") : undefined;
}

/** The columns of the rows that a write leaves: those of fields, and those by which others own them. */
export function columnsLeft({ fields, owned }: Resource): string[] {
  const own = [owned?.column, owned?.order].filter((column) => column !== undefined);
  return [...new Set([...own, ...storedIn(fields).map(({ column }) => column)])];
}

/** The stages for the rows in one field of a level. */
export function ownedStages(level: Level, field: string): Stages {
  const { resource, linked, stagesOf } = level;
  const suffix = `${level.suffix}_${Object.keys(resource.relations).indexOf(field)}`;
  const rows = resource.relations[field]!.target(resource);
  const { column, order } = rows.owned!;
  const rank = order === undefined ? undefined : name(order);
  const table = tableOf(rows);
  const key = name(keyColumnOf(rows));
  const { held, sent, gone, kept, changed, made, stored } = stagesAt(suffix);
  const below = { resource: rows, suffix, linked: stored, held, deleted: gone };
  const ofRow = name(resource.fields[field]!.column);
  const isDeep = Object.values(rows.writable).some(({ relation }) => relation?.isMany);
  const target = raw("relata_own");
  const ownKey = sql`${target}.${key}`;
  const ownOwner = sql`${target}.${name(column)}`;

  const hold = sql`,
      ${held} as materialized (
        select
          ${ownKey} as id,
          owner.id as relata_owner,
          ${target} as relata_row,
          ${target}.xmin is not distinct from (
            select relata_seen.xmin
            from ${table} as relata_seen
            where relata_seen.${key} = ${ownKey}
              and relata_seen.${name(column)} = ${ownOwner}
          ) as relata_is_current
        from ${level.held} as owner
        join ${table} as ${target}
          on ${ownOwner} = owner.id
        ${
    where([level.sent && sql`${level.sent} -> ${resource.fields[field]!.column} is not null`])
  }
        order by ${ownKey}
        for update of ${target}
      )${stagesOf(below, "hold")}`;

  const asSent = sql`,
      ${sent} as materialized (
        select
          linked.${name(keyColumnOf(resource))} as relata_owner,
          relata_part.relata_rank,
          row_number() over () as relata_ordinal,
          relata_element,
          ${join(filledColumns(rows, raw("relata_element")), ",\n")}
        from ${linked} as linked
        cross join json_array_elements(linked.${ofRow})
          with ordinality as relata_part (relata_element, relata_rank)
        cross join json_to_record(relata_element) as sent (
          ${join(typedColumns(rows), ",\n")}
        )
        order by linked.${name(keyColumnOf(resource))}, relata_part.relata_rank
      )`;

  const columns = storedIn(rows.writable)
    .filter((each) => rows.takesKeys || each.column !== keyColumnOf(rows));
  const insert = (conditions: (Sql | false)[]) =>
    sql`,
      ${made} as (
        insert into ${table} (${
      join([name(column), rank, ...columns.map((each) => name(each.column))])
    })
        select
          ${
      join([
        raw("relata_owner"),
        rank && raw("relata_rank"),
        ...columns.map(({ column, write: { stored } }) =>
          stored?.(name(column), table, column) ?? name(column)
        ),
      ], ",\n")
    }
        from ${sent} as sent
        ${
      where([
        ...conditions,
        isDeep && sql`set_config('relata.ordinal', relata_ordinal::text, true) is not null`,
      ])
    }
        returning ${
      join([
        ...columnsOfRow.map(name),
        isDeep && sql`current_setting('relata.ordinal')::bigint as relata_ordinal`,
      ])
    }
      )`;

  const columnsOfRow = columnsLeft(rows);
  const left = (of: Sql) =>
    join([
      ...columnsOfRow.map((each) => sql`${of}.${name(each)}`),
      isDeep && raw("relata_ordinal"),
    ]);
  const store = (which: "create" | "replace", written: Sql) =>
    sql`,
      ${stored} as (
        select
          ${
      join([...columnsOfRow.map((each) => sql`written.${name(each)}`), ...keptLinks(rows)], ",\n")
    }
        from ${written} as written
        ${isDeep ? sql`join ${sent} as sent using (relata_ordinal)` : sql``}
      )${stagesOf(below, which)}`;

  const others = columns.filter((each) => each.column !== keyColumnOf(rows));
  const sets = [
    rank && sql`${rank} = kept.relata_rank`,
    ...others.map((each) => sql`${name(each.column)} = relata_new.${name(each.column)}`),
  ].filter((each) => each !== undefined);
  const asNew = sql`json_populate_record(held.relata_row, sent.relata_element)`;

  return {
    hold,
    create: sql`${asSent}${insert([])}${store("create", made)}`,
    replace: sql`${asSent},
      ${gone} as (
        delete from ${table} as ${target}
        using ${held} as held
        join ${linked} as linked
          on linked.${name(keyColumnOf(resource))} = held.relata_owner
        where ${ownKey} = held.id
          and ${ownOwner} = held.relata_owner
          and not exists (
            select
            from ${sent} as sent
            where ${sentIdentifier(rows, sql`sent.${key}`)} = held.id
              and sent.relata_owner = held.relata_owner
          )
        returning ${ownKey} as id
      )${stagesOf({ ...below, suffix: `${suffix}${GONE}` }, "remove")},
      ${kept} as materialized (
        select
          held.id,
          held.relata_owner,
          held.relata_row,
          sent.relata_ordinal,
          sent.relata_rank,
          sent.relata_element,
          held.relata_row *= ${asNew}${
      rank ? sql` and (held.relata_row).${rank} is not distinct from sent.relata_rank` : sql``
    } as relata_is_same
        from ${sent} as sent
        join ${held} as held
          on held.id = ${sentIdentifier(rows, sql`sent.${key}`)}
          and held.relata_owner = sent.relata_owner
      ),
      ${changed} as (
        update ${table} as ${target}
        set
          ${join(sets.length > 0 ? sets : [sql`${key} = kept.id`], ",\n")}
        from ${kept} as kept
        cross join json_populate_record(kept.relata_row, kept.relata_element) as relata_new
        where ${ownKey} = kept.id
          and ${ownOwner} = kept.relata_owner
          and not relata_is_same
          and (select count(*) from ${gone}) >= 0
        returning ${left(target)}
      )${
      insert([
        sql`(select count(*) from ${changed}) >= 0`,
        sql`not exists (
          select
          from ${kept} as kept
          where kept.relata_ordinal = sent.relata_ordinal
        )`,
      ])
    }${
      store(
        "replace",
        sql`(
          select ${left(made)}
          from ${made}
          union all
          select ${left(changed)}
          from ${changed}
          union all
          select ${left(raw("(relata_row)"))}
          from ${kept}
          where relata_is_same
        )`,
      )
    }`,
    remove: sql`,
      ${gone} as (
        delete from ${table} as ${target}
        using ${level.deleted} as deleted
        where ${ownOwner} = deleted.id
        returning ${ownKey} as id
      )${stagesOf(below, "remove")}`,
  };
}
