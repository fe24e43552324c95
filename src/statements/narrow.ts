// The statements that tell what of followed rows passes filters, and what of changes passes those and the rules of
// callers, before and after. Both look at columns of the row alone; a rule may look at others, as they are by now.
import {
  bound,
  join,
  name,
  raw,
  reads,
  type Slot,
  slot,
  type Sql,
  sql,
  type Statement,
  where,
} from "../db/sql.ts";
import { claimsIn, type ClaimSlot, isClaim } from "../model/claim.ts";
import type { Query, Resource } from "../model/model.ts";
import { columnsOf } from "../model/selection.ts";
import { isAmong, namedTableOf, stagedIdentifier, tableOf } from "../model/table.ts";
import type { ListForm } from "./list.ts";

/** Whether a row passed before a change, and passes after it. */
export interface Passes {
  was: boolean;
  is: boolean;
}

type Asked = ListForm["filters"];

const ids = "relata_ids";

/** Finds those of some rows that pass filters. */
export function amongStatement(
  resource: Resource,
  filters: Asked,
): Statement<Query, { id: string }> {
  const row = name(resource.name);
  const { sqlType } = resource.identifiers;
  return reads(
    titleOf(`narrow ${resource.name}`, filters),
    sql`
      select
        ${stagedIdentifier(resource, row)}::text as id
      from ${namedTableOf(resource)}
      ${
      where([
        isAmong(resource, row, slot(ids, `${sqlType}[]`)),
        ...conditions(resource, filters),
      ])
    }`,
    { isForm: true },
  );
}

/** Tells of changes whether their rows pass filters. */
export function passingStatement(
  resource: Resource,
  filters: Asked,
): Statement<Query, { id: string } & Passes> {
  return reads(
    titleOf(`narrow changes of ${resource.name}`, filters),
    sql`
      select
        relata_change.id::text as id,
        ${passes(resource, conditions(resource, filters))}
      from relata_change
      where relata_change.id = any(${slot(ids, "bigint[]")})`,
    { isForm: true },
  );
}

/** Tells of changes whether callers may read their rows. */
export function seenStatement(
  resource: Resource,
): Statement<{ asked: string }, { ordinal: number } & Passes> & { claims: ClaimSlot[] } {
  const row = name(resource.name);
  const found = passes(resource, [resource.view!.rule("read").holds(row)]);
  const claims = claimsIn(found);
  const columns = [sql`change`, ...claims.map(({ slot }) => name(slot))];
  const typed = [
    sql`change bigint`,
    ...claims.map(({ slot, type }) => sql`${name(slot)} ${raw(type)}`),
  ];
  const ofAsker = (each: Slot) => isClaim(each) ? sql`relata_asked.${name(each.slot)}` : undefined;
  const statement = reads<{ asked: string }, { ordinal: number } & Passes>(
    `judge changes of ${resource.name}`,
    sql`
      select
        relata_asked.ordinal::integer as ordinal,
        ${bound(found, ofAsker)}
      from rows from (
        json_to_recordset(${slot("asked", "json")}) as (
          ${join(typed, ",\n")}
        )
      ) with ordinality as relata_asked (${join(columns)}, ordinal)
      join relata_change
        on relata_change.id = relata_asked.change`,
  );
  return { ...statement, claims };
}

function titleOf(title: string, filters: Asked): string {
  return `${title} with ${filters.map(([parameter]) => parameter).join(", ")}`;
}

function conditions(resource: Resource, filters: Asked): Sql[] {
  return filters.flatMap(([, { conditions }, value]) => conditions(name(resource.name), value));
}

function passes(resource: Resource, conditions: (Sql | undefined)[]): Sql {
  const holds = (state: Sql) =>
    sql`
        exists (
          select
          from (
            ${rowIn(resource, state)}
          ) as ${name(resource.name)}
          ${where([sql`${state} is not null`, ...conditions])}
        )`;
  return sql`${holds(sql`relata_change.before`)} as was,
        ${holds(sql`relata_change.after`)} as is`;
}

/** The columns of a row that a change has as JSON, in the types of the table. Those that it lacks are null in a row that is
 * there, because Postgres looks at the domain of a column where there is none. */
function rowIn(resource: Resource, state: Sql): Sql {
  const stored = Object.entries(resource.fields).filter(([, { relation }]) => !relation?.isMany);
  const row = raw("relata_row");
  const table = tableOf(resource);
  return sql`
            select ${columnsOf(resource, row)}
            from json_populate_record(
              (select relata_typed::${table} from (select (null::${table}).*) as relata_typed),
              (
                select row_to_json(relata_named)
                from (
                  select ${
    join(stored.map(([field, { column }]) => sql`${state} -> ${field} as ${name(column)}`))
  }
                ) as relata_named
              )
            ) as ${row}`;
}
