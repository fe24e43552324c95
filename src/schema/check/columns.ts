// The columns of a table compared with the fields that they hold: types, null, and who gives them values.
import { Sql, textLiteral } from "../../db/sql.ts";
import type { LinkTable } from "../../model/links.ts";
import type { ColumnType, Resource } from "../../model/model.ts";
import { isWholeNumeric, rankType } from "../../model/number.ts";
import { capitalized, storedIn } from "../../model/resource.ts";
import type { Table, TableColumn } from "../catalogue.ts";
import { type Owned, ownerColumns, type RowLevel } from "../levels.ts";
import { quotedNames } from "../privileges.ts";
import { mayFill } from "../trigger.ts";
import { differs, fails, type Finding } from "./finding.ts";

/** Compares the columns of the fields, and those that no field has. */
export function compareColumns(level: RowLevel, table: Table): Finding[] {
  const { resource, writes } = level;
  const creates = writes.includes("insert");
  const declared = Object.entries(resource.fields).flatMap(
    ([field, { column, columnType, identifiers, show, value }]) => {
      const found = table.columns[column];
      if (!found || !columnType) return [];
      const isOnlyRead = !Object.hasOwn(resource.writable, field) && !show && !value;
      const pair = { field, column, table: table.name, isOnlyRead };
      return [
        // Where no row is created, no identifiers run out
        ...compareType(
          pair,
          identifiers && !creates ? identifiers.referenceType : columnType,
          found,
        ),
        ...table.keepsRows ? compareNull(resource, pair, found) : [],
      ];
    },
  );
  if (!table.keepsRows || !creates) return declared;
  const written = [
    ...storedIn(resource.writable).map(({ column }) => column),
    ...ownerColumns(level),
  ];
  const lacksPartition = table.outgrown !== null && !written.includes(table.outgrown);
  return [
    ...declared,
    ...unfilledColumns(table, written, "create"),
    ...lacksPartition ? [fails(`No partition of "${table.name}" takes new rows: add one`)] : [],
  ];
}

/** Compares the column with the ranks of owned rows. */
export function compareRankColumn({ field, order }: Owned, table: Table): Finding[] {
  const found = order === undefined ? undefined : table.columns[order];
  if (!found) return [];
  const pair = { field, column: found.name, table: table.name, isOnlyRead: false };
  return compareType(pair, rankType, found);
}

export function compareLinkColumns(
  { resource, writes }: RowLevel,
  { field, from, to, order, isWritable, target }: LinkTable,
  table: Table,
): Finding[] {
  const types: Record<string, ColumnType> = {
    [from]: resource.identifiers.referenceType,
    [to]: target.identifiers.referenceType,
    ...order !== undefined && { [order]: rankType },
  };
  const written = Object.keys(types);
  const differing = written.flatMap((column) => {
    const found = table.columns[column];
    const pair = { field, column, table: table.name, isOnlyRead: false };
    return found ? compareType(pair, types[column]!, found) : [];
  });
  if (writes.length === 0 || !isWritable) return differing;
  return [...differing, ...unfilledColumns(table, written, "link")];
}

/** A column, and the field that it holds. */
interface Pair {
  field: string;
  column: string;
  table: string;
  /** Whether it is read as it is, and never written: then no type makes requests fail. */
  isOnlyRead: boolean;
}

/** Whether requests can do all with a column that they do with the field. */
export function fits(
  { types, converted, choices }: ColumnType,
  { type, fullType, labels }: TableColumn,
): boolean {
  if (choices && labels) return true;
  return [...types, ...converted].some((each) => each === type || each === fullType);
}

function compareType(
  { field, column, table, isOnlyRead }: Pair,
  { types, converted, choices, isHeld, maximum = 0, isUnmodified = false }: ColumnType,
  { type, fullType, labels, isChecked }: TableColumn,
): Finding[] {
  const place = `the column "${column}" of "${table}"`;
  if (choices && labels) {
    const [lacking, other] = [except(choices, labels), except(labels, choices)];
    return [
      ...lacking.length > 0
        ? [differs(`The enum of ${place} lacks ${quotedNames(lacking)}, which "${field}" takes`)]
        : [],
      ...other.length > 0
        ? [
          differs(
            `The enum of ${place} has ${quotedNames(other)}, which "${field}" does not take`,
          ),
        ]
        : [],
    ];
  }
  if (type === "citext" && fullType !== type) {
    const schema =
      `"${fullType}", and without its schema in the search_path of the role that serves`;
    return [fails(`${capitalized(place)} is ${schema}, pages leave rows out`)];
  }
  const isWhole = types.includes("bigint") && isWholeNumeric(fullType);
  if (types.includes(fullType) || (!isUnmodified && types.includes(type)) || isWhole) {
    const [, length] = /^character varying\((\d+)\)$/.exec(fullType) ?? [];
    if (Number(length) < maximum) {
      return [
        differs(
          `${capitalized(place)} is "${fullType}", and cuts off blanks that the field "${field}" ` +
            `takes: declare it with maximum: ${length}`,
        ),
      ];
    }
    if (!choices || isChecked || isHeld) return [];
    const all = choices.map(textLiteral).join(", ");
    return [
      differs(
        `No check holds ${place} to the choices of the field "${field}": ` +
          `add check ("${column}" ${type.endsWith("[]") ? `<@ array[${all}]` : `in (${all})`})`,
      ),
    ];
  }
  const sentence = `${capitalized(place)} is "${fullType}", but the field "${field}" wants "${
    types[0]
  }"`;
  return [isOnlyRead || converted.includes(type) ? differs(sentence) : fails(sentence)];
}

function compareNull(
  { fields, key, writable }: Resource,
  { field, column, table }: Pair,
  { isNotNull, isGenerated, isFilled }: TableColumn,
): Finding[] {
  const title = `The column "${column}" of "${table}"`;
  const { nullable = false } = fields[field]!;
  const isWritable = Object.hasOwn(writable, field);
  if (isWritable && isGenerated) {
    return [
      fails(`${title} is generated, but the field "${field}" is written: declare it readonly`),
    ];
  }
  if (!isNotNull && !nullable) {
    return [differs(`${title} may be null, but the field "${field}" is not nullable`)];
  }
  if (isNotNull && nullable && isWritable) {
    return [
      differs(
        `${title} is not null, but the field "${field}" is nullable: null would be refused`,
      ),
    ];
  }
  if (field === key && !isFilled && writable[key]?.write.default instanceof Sql) {
    return [differs(`${title} has no default, but the field "${field}" has that of the database`)];
  }
  return [];
}

/** The columns without which no row can be inserted, but for those that a trigger names. Of one in another language than
 * PL/pgSQL, nobody can tell what it gives. */
function unfilledColumns(table: Table, written: string[], what: "create" | "link"): Finding[] {
  return Object.entries(table.columns).flatMap(([column, { isNotNull, isFilled }]) => {
    if (!isNotNull || isFilled || written.includes(column)) return [];
    const sentence = `The column "${column}" of "${table.name}" is not null and has no default, ` +
      "and no field writes it";
    const filling = table.triggers.filter((trigger) => mayFill(trigger, column));
    if (filling.some(({ source }) => source !== null)) return [];
    return filling.length > 0
      ? [differs(`${sentence}: unless a trigger gives it a value, every ${what} is refused`)]
      : [fails(`${sentence}: every ${what} is refused`)];
  });
}

function except(all: string[], others: string[]): string[] {
  return all.filter((each) => !others.includes(each));
}
