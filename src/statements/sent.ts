// Rows as they are sent, as JSON with a member for each column: what is wrong with them, and what becomes of
// them.
import { bound, join, name, raw, reads, slot, type Sql, sql, type Statement } from "../db/sql.ts";
import { callerSlot, claimsIn, type ClaimSlot, isClaim } from "../model/claim.ts";
import { keeperOf } from "../model/history.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { withOwned } from "../model/owned-texts.ts";
import { ownedBy } from "../model/resource.ts";
import { columnsOf, shownCreated } from "../model/selection.ts";
import { refusals, typedColumns } from "../model/sent.ts";
import { identifierOf, rowsOf, sentIdentifier } from "../model/table.ts";

/** What a write made. */
export interface Made {
  id: Identifier;
  /** The row as JSON text; null if a row that it refers to is newer than the statement. */
  text: string | null;
}

/** Checks the relations of rows that are not written. One that is for a row which is there already has its
 * identifier; of what the callers may not read of that, nothing is told. */
export function checkStatement(
  resource: Resource,
): Statement<{ rows: string; id: Identifier | null }, { ordinal: number; refused: string }> {
  const { name: own, view, identifiers: { sqlType } } = resource;
  const row = name(own);
  const there = sql`
    relata_there as (
      select ${columnsOf(resource, row)}
      from ${rowsOf(resource)}
      where ${identifierOf(resource, row)} = ${sentIdentifier(resource, slot("id", sqlType))}
    ),`;
  const stored = (column: string) => sql`(select ${name(column)} from relata_there)`;
  const needsRow = view !== undefined || ownedBy(resource).length > 0;
  const refused = refusedSent(resource, needsRow ? { stored } : {});
  return reads(
    `check ${own}`,
    sql`
      with ${needsRow ? there : sql``}${sentStage(sentRows(resource), refused)}
      select
        relata_ordinal as ordinal,
        relata_refused as refused
      from relata_sent
      where relata_refused <> ''`,
  );
}

/** The stage with what was sent, and why it is refused. */
export function sentStage(sent: Sql, refusals: Sql): Sql {
  return sql`
    relata_sent as (
      select
        sent.*,
        ${bySender(refusals)} as relata_refused
      from ${sent}
    )`;
}

/** A row, called `sent`, that is given as a JSON object, with the claims of its sender, if any are. */
export function sentRow(resource: Resource, row: Sql, claims: readonly ClaimSlot[] = []): Sql {
  return sql`json_to_record(${row}) as sent (
      ${withClaims(resource, claims)}
    )`;
}

/** Rows, called `sent`, with their ordinals in the JSON array that they are given in. */
export function sentRows(resource: Resource): Sql {
  const claims = claimsOfCreation(resource);
  const columns = join([
    ...Object.values(resource.writable).map(({ column }) => name(column)),
    ...claims.map(({ slot }) => name(slot)),
  ]);
  return sql`rows from (
      json_to_recordset(${slot("rows", "json")}) as (
        ${withClaims(resource, claims)}
      )
    ) with ordinality as sent (${columns}, relata_ordinal)`;
}

/** The claims of their senders that creates need beside the rows. */
export function claimsOfCreation(resource: Resource): readonly ClaimSlot[] {
  const known = claimsOf.get(resource);
  if (known) return known;
  const { view } = resource;
  const claims = claimsIn(join([
    keeperOf(resource) && sql`${callerSlot}`,
    view && creationRefusals(resource),
    view && shownCreated(resource),
    view && withOwned({ resource, rows: raw("relata_linked") }),
    view?.rule("create").refusal(name(resource.name)),
  ]));
  claimsOf.set(resource, claims);
  return claims;
}

const claimsOf = new WeakMap<Resource, readonly ClaimSlot[]>();

/** Joins what was sent for a row that was written, with the claims of its sender: of several rows, by its ordinal. */
export const ofSender = sql`join relata_input as sent using (relata_ordinal)`;
export const ofOnlySender = sql`cross join relata_sent as sent`;

/** SQL beside rows called `sent`, with the claims of their senders. */
export function bySender(piece: Sql): Sql {
  return bound(piece, (slot) => isClaim(slot) ? sql`sent.${name(slot.slot)}` : undefined);
}

/** What can be told of a row to create before it is written. */
export function creationRefusals(resource: Resource): Sql {
  const { members = [], refusal } = resource.view?.rule("create") ?? {};
  const isSent = members.every(({ field }) => Object.hasOwn(resource.writable, field));
  return refusedSent(
    resource,
    isSent && members.length > 0 ? { more: [refusal!(sql`sent`)] } : {},
  );
}

/** Why a row to write, called `sent`, is refused. */
export function refusedSent(resource: Resource, of: Parameters<typeof refusals>[2] = {}): Sql {
  return refusals(resource, sql`sent`, of);
}

function withClaims(resource: Resource, claims: readonly ClaimSlot[]): Sql {
  return join([
    ...typedColumns(resource),
    ...claims.map(({ slot, type }) => sql`${name(slot)} ${raw(type)}`),
  ], ",\n");
}
