// The table of a resource, and its key. In every statement its rows have the name of the resource, whatever the
// table is called.
import { name, raw, type Slot, type Sql, sql, tableName, textOf } from "../db/sql.ts";
import type { Resource } from "./model.ts";

/** The table, as a statement names it: `"music"."tracks"`. */
export function tableOf({ table }: Resource): Sql {
  return tableName(table);
}

/** The same as the text that functions of Postgres take. */
export function tableText(resource: Resource): string {
  return textOf(tableOf(resource));
}

/** The table by the name of the resource, for what writes it: `"music"."tracks" as "track"`. */
export function namedTableOf(resource: Resource): Sql {
  const table = tableOf(resource);
  return resource.table === resource.name ? table : sql`${table} as ${name(resource.name)}`;
}

/** All its rows, for what locks them and what has looked who may read them. */
export function allRowsOf(resource: Resource, as: Sql): Sql {
  return sql`${tableOf(resource)} as ${as}`;
}

/** Its rows, as far as the callers may read them, for whatever reads them; by the name of the resource unless they get
 * another one. The SQL of a project may name any of their columns. */
export function rowsOf(resource: Resource, as?: Sql): Sql {
  const row = name(resource.name);
  const condition = resource.view?.rule("read").holds(row);
  if (!condition) return as ? allRowsOf(resource, as) : namedTableOf(resource);
  return sql`(
    select ${row}.*
    from ${namedTableOf(resource)}
    where ${condition}
  ) as ${as ?? row}`;
}

/** Whether some callers may not read all of its rows. */
export function mayHide({ access }: Resource): boolean {
  return access !== undefined && !access.read.some(({ who, rows }) => who === "anyone" && !rows);
}

/** Whether the callers whose view it is do not. */
export function isNarrowed({ view }: Resource): boolean {
  return view !== undefined && view.rule("read").of !== "all";
}

export function keyColumnOf({ key, fields }: Resource): string {
  return fields[key]!.column;
}

/** The columns whose values no two rows have. */
export function keyColumnsOf(resource: Resource): string[] {
  const { key, keys = [key], fields } = resource;
  return keys.map((field) => fields[field]!.column);
}

export function identifierOf(resource: Resource, row: Sql): Sql {
  return sql`${row}.${name(keyColumnOf(resource))}`;
}

/** The identifier of a row, in the type in which a statement gives it. */
export function givenIdentifier({ identifiers }: Resource, identifier: Sql): Sql {
  const { cast, sqlType } = identifiers;
  return cast ? sql`${identifier}::${raw(sqlType)}` : identifier;
}

/** The columns by which rows are in the order in which they were created. */
export function creationOrder(resource: Resource): Sql[] {
  const { creation, fields, name: row } = resource;
  const identifier = identifierOf(resource, name(row));
  return creation
    ? [sql`${name(row)}.${name(fields[creation]!.column)}`, identifier]
    : [identifier];
}

/** An identifier that was sent, as it is compared with those of the rows. */
export function sentIdentifier(resource: Resource, sent: Sql | Slot): Sql {
  const { cast } = resource.identifiers;
  return cast ? cast(sent, valueOfType(tableOf(resource), keyColumnOf(resource))) : sql`${sent}`;
}

/** One in a cursor. Postgres refuses what the column cannot hold: no page ended with that. */
export function cursorIdentifier(resource: Resource, sent: Slot): Sql {
  return resource.identifiers.cast
    ? inColumn(sql`${sent}`, tableOf(resource), keyColumnOf(resource))
    : sql`${sent}`;
}

/** Several that were sent in an array, each in the same way. */
export function sentIdentifiers(resource: Resource, sent: Sql | Slot): Sql {
  if (!resource.identifiers.cast) return sql`${sent}`;
  return sql`array(
    select ${sentIdentifier(resource, sql`relata_sent.id`)}
    from unnest(${sent}) as relata_sent (id)
  )`;
}

/** A value in the type of a column that the declaration does not know. */
export function inColumn(value: Sql, table: Sql, column: string): Sql {
  return sql`relata_cast(${value}::text, ${valueOfType(table, column)})`;
}

/** No value, of the type of a column. A cast would not do: `null::"line"` is of the geometric type. */
function valueOfType(table: Sql, column: string): Sql {
  return sql`(select relata_typed.${name(column)} from ${table} as relata_typed where false)`;
}

/** The default of a column, as a row that is created without a value gets it. */
export function columnDefault(resource: Resource, column: string): Sql {
  const table = tableOf(resource);
  return sql`relata_default(${textOf(table)}, ${column}, ${valueOfType(table, column)})`;
}

/** The name in a statement of what a field brings in. No other name of ours has a "$", and no field has. */
export function ownName(field: string): string {
  return `relata$${field}`;
}
