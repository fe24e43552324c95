// The SQL that selects the fields of a resource.
import { join, name, raw, type Sql, sql, where } from "../db/sql.ts";
import type { Links, Resource, Shown } from "./model.ts";
import { storedIn } from "./resource.ts";
import { givenIdentifier, identifierOf, isKeyedByFields, ownName } from "./table.ts";

/** Selects one column for each field, with the name of the field, from rows of the resource. They may be in a
 * row that the statement wrote. The identifier is as its column has it, for joins. */
export function selection(resource: Resource, rows: Sql, written: Resource | undefined): Sql {
  const more = isKeyedByFields(resource)
    ? [sql`${identifierOf(resource, name(resource.name))} as ${IDENTIFIER}`]
    : [];
  return selectionOf(shownFields(resource, written), rows, { more });
}

/** The identifier of a row of a selection, as its column has it: a field of a key may show something else. */
export function selectedIdentifier(resource: Resource, row: Sql): Sql {
  return sql`${row}.${isKeyedByFields(resource) ? IDENTIFIER : name(resource.key)}`;
}

const IDENTIFIER = raw("relata_identifier");

/** A row of a selection, as its JSON shows it; null if there is none. Where a column may have its name, the whole row
 * is `row.*`. */
export function shownRow(resource: Resource, row: Sql, whole: Sql = row): Sql {
  const { fields, identifiers } = resource;
  if (!identifiers.cast && !isKeyedByFields(resource)) return whole;
  const columns = Object.keys(fields).map((field) =>
    sql`${valueOf(resource, field, sql`${row}.${name(field)}`)} as ${name(field)}`
  );
  return sql`(
    select item
    from (select ${join(columns)}) as item
    where ${selectedIdentifier(resource, row)} is not null
  )`;
}

/** The value of a field, with the identifier as it is shown. */
function valueOf(resource: Resource, field: string, value: Sql): Sql {
  return resource.fields[field]!.identifiers ? givenIdentifier(resource, value) : value;
}

/** The JSON text of a row with the name of the resource. A subquery builds it for each row, so that a row costs
 * the same whatever plan Postgres chooses for the statement. */
export function shown(resource: Resource, written?: Resource): Sql {
  return rowText(resource, shownFields(resource, written));
}

/** The JSON text of a row that the statement made, by itself or for another one to own; null if the row refers to one
 * that is newer than the statement, or to itself. */
export function shownCreated(resource: Resource, written = resource): Sql {
  return shownWritten(resource, written, "sent");
}

/** The same of a row that the statement changed, of which links may stay that were not sent. */
export function shownChanged(resource: Resource): Sql {
  return shownWritten(resource, resource, "sent or stored");
}

function shownWritten(resource: Resource, written: Resource, where: Links): Sql {
  const fields = shownFields(resource, written, where);
  return rowText(resource, fields, fields.flatMap(({ isSeen }) => isSeen ? [isSeen] : []));
}

/** The columns of a resource in its table, of a row of this name. */
export function columnsOf(resource: Resource, row: Sql): Sql {
  return join(storedIn(resource.fields).map(({ column }) => sql`${row}.${name(column)}`), ", ");
}

/** A resource that shows its fields as they are written: relations as identifiers, at every level. */
export function flattened(resource: Resource): Resource {
  return { ...resource, isFlat: true };
}

interface ShownField extends Shown {
  field: string;
}

function shownFields(
  resource: Resource,
  written: Resource | undefined,
  where: Links = "stored",
): ShownField[] {
  const row = name(resource.name);
  return Object.entries(resource.fields).map(([field, { column, show, value, relation }]) => {
    const joined = name(ownName(field));
    const links = Object.hasOwn(resource.writable, field) ? where : "stored";
    const isNested = (relation?.nested ?? false) && !resource.isFlat;
    const isColumn = resource.isFlat && relation && !relation.isMany;
    const context = { resource, written, links, isNested, row, column: name(column), joined };
    const own = sql`${row}.${context.column}`;
    const shown = isColumn ? undefined : show?.(context);
    return { field, ...shown ?? { value: value?.(own) ?? own } };
  });
}

function rowText(resource: Resource, fields: ShownField[], conditions: Sql[] = []): Sql {
  const row = name(resource.name);
  const shown = fields.map((each) => ({
    ...each,
    value: valueOf(resource, each.field, each.value),
  }));
  return sql`
    (
      select row_to_json(item.*)::text
      from (
        ${selectionOf(shown, sql`(select ${row}.*) as ${row}`, { conditions })}
      ) as item
    )`;
}

function selectionOf(
  fields: ShownField[],
  rows: Sql,
  { more = [], conditions = [] }: { more?: Sql[]; conditions?: Sql[] },
): Sql {
  const columns = fields.map(({ value, field }) => sql`${value} as ${name(field)}`);
  return sql`
    select
      ${join([...columns, ...more], ",\n")}
    from ${rows}
    ${join(fields.map(({ join }) => join), "\n")}
    ${where(conditions)}`;
}
