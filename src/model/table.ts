// The table of a resource, and its key. In every statement its rows have the name of the resource, whatever the
// table is called.
import { join, name, raw, type Slot, type Sql, sql, tableName, textOf } from "../db/sql.ts";
import { type Key, keysOfParts } from "./key.ts";
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

/** The column that identifies a row, where one does. */
export function keyColumnOf({ key, fields }: Resource): string {
  return fields[key]!.column;
}

/** The columns whose values no two rows have. */
export function keyColumnsOf({ keys, fields }: Resource): string[] {
  return keys.map((field) => fields[field]!.column);
}

/** Whether fields that the resource has anyway are its key, in place of an identifier. */
export function isKeyedByFields({ keys, fields }: Resource): boolean {
  return !fields[keys[0]!]!.identifiers;
}

/** Whether Postgres gives every identifier, from a sequence. */
export function isGivenByPostgres({ identifiers, takesKeys }: Resource): boolean {
  return identifiers.isChronological && !takesKeys;
}

/** What an identifier of a row is made of, as it is sorted by. */
export function identifierColumns(resource: Resource, row: Sql): Sql[] {
  return keyColumnsOf(resource).map((column) => sql`${row}.${name(column)}`);
}

/** The identifier of a row, as it is compared. */
export function identifierOf(resource: Resource, row: Sql): Sql {
  return tuple(identifierColumns(resource, row));
}

/** Several values that are compared together; Postgres finds them by an index of all. */
export function tuple(values: readonly Sql[]): Sql {
  return values.length === 1 ? values[0]! : sql`(${join(values, ", ")})`;
}

/** The identifier of a row, as a stage of a statement has it: null if there is no row. */
export function stagedIdentifier(resource: Resource, row: Sql): Sql {
  const { parts } = resource.identifiers;
  const columns = identifierColumns(resource, row);
  if (!parts) return columns[0]!;
  const values = columns.map((column, index) => sql`${column}::${raw(parts[index]!.sqlType)}`);
  return sql`
    case when ${columns[0]!} is not null then json_build_array(${join(values, ", ")})::text end`;
}

/** The same in the type in which a statement gives it. */
export function givenIdentifier({ identifiers }: Resource, staged: Sql): Sql {
  const { cast, sqlType } = identifiers;
  return cast ? sql`${staged}::${raw(sqlType)}` : staged;
}

/** The columns by which rows are in the order in which they were created. */
export function creationOrder(resource: Resource): Sql[] {
  const { creation, fields, name: row } = resource;
  const identifier = identifierColumns(resource, name(row));
  return creation
    ? [sql`${name(row)}.${name(fields[creation]!.column)}`, ...identifier]
    : identifier;
}

/** An identifier that was sent, as it is compared with those of the rows. */
export function sentIdentifier(resource: Resource, sent: Sql | Slot): Sql {
  return tuple(comparedParts(resource, sent));
}

function comparedParts(resource: Resource, sent: Sql | Slot): Sql[] {
  return inColumns(
    resource,
    sent,
    ({ cast }, value, column) => cast?.(value, valueOfType(tableOf(resource), column)),
  );
}

/** Each part of an identifier that was sent, in the form of its column, if it has one. */
function inColumns(
  resource: Resource,
  sent: Sql | Slot,
  form: (key: Key, value: Sql, column: string) => Sql | undefined,
): Sql[] {
  const parts = keysOfParts(resource.identifiers);
  const columns = keyColumnsOf(resource);
  return sentParts(resource, sent).map((value, index) =>
    form(parts[index]!, value, columns[index]!) ?? value
  );
}

/** One in a cursor, by what it is made of. Postgres refuses what a column cannot hold: no page ended with that. */
export function cursorParts(resource: Resource, sent: Slot): Sql[] {
  return inColumns(
    resource,
    sent,
    ({ cast }, value, column) => cast && inColumn(value, tableOf(resource), column),
  );
}

/** What an identifier is made of that was sent, each in the type in which it is sent. */
export function sentParts({ identifiers: { parts } }: Resource, sent: Sql | Slot): Sql[] {
  return parts?.map(({ sqlType }, index) =>
    sql`(${sent}::json ->> ${raw(String(index))})::${raw(sqlType)}`
  ) ?? [sql`${sent}`];
}

/** Whether identifiers are compared in another form than they are sent in. */
export function areConverted({ identifiers: { cast, parts } }: Resource): boolean {
  return cast !== undefined || parts !== undefined;
}

/** That a row is one of those whose identifiers were sent in an array. */
export function isAmong(resource: Resource, row: Sql, sent: Slot): Sql {
  const identifier = identifierOf(resource, row);
  if (!areConverted(resource)) return sql`${identifier} = any(${sent})`;
  return sql`${identifier} in (
      select ${join(comparedParts(resource, sql`relata_sent.id`), ", ")}
      from unnest(${sent}) as relata_sent (id)
    )`;
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
