// The word `report`: plain SQL at a path, with its parameters and the fields of its rows. What can be told of
// it without a database is checked here.
import * as v from "valibot";
import { type Slot, slot, Sql, sql } from "../db/sql.ts";
import { isField } from "./field.ts";
import type { Column, Field, Input, Report } from "./model.ts";
import { type Optional, parameterOf } from "./parameter.ts";
import { mapValues } from "./record.ts";
import { titleOf } from "./resource.ts";
import { mistakeOf, placed } from "./word.ts";

type Parameters = Record<string, Field | Optional>;

/** What a file declares, besides the name. */
export interface Declared<Given extends Parameters> {
  /** Where it answers GET: `/reports/sales/`. */
  path: string;
  /** What it tells, for people who read the document. */
  summary: string;
  /** The query parameters that its SQL takes. */
  parameters?: Given;
  /** The columns of its rows that it shows. */
  fields: Record<string, Field>;
  /** Writes the SQL of its rows, with a placeholder for each parameter. */
  rows(tag: typeof sql, placeholders: Record<keyof Given, Slot>): Sql;
}

/** Makes a report, which answers with the rows that its SQL gives. */
export function report<Given extends Parameters = Record<string, never>>(
  name: string,
  declared: Declared<Given>,
): Report {
  if (!/^[a-z]\w*$/.test(name)) {
    throw new Error(`A report has a name such as "sales_by_month", not "${name}"`);
  }
  const title = `The report "${name}"`;
  for (const [field, made] of Object.entries({ ...declared?.parameters, ...declared?.fields })) {
    const mistake = mistakeOf(made);
    if (mistake) throw placed(`The field "${field}" of the report "${name}"`, mistake);
  }
  const checked = v.safeParse(declaration, declared);
  if (!checked.success) throw new Error(`${title} ${wrongWith(checked.issues[0])}`);
  const { path, summary, fields } = declared;
  const parameters: Parameters = declared.parameters ?? {};
  const placeholders = mapValues(
    parameters,
    (parameter, name) => placeholder(name, fieldOf(parameter)),
  );
  checkValues(title, parameters, fields);
  const rows = rowsOf(title, declared.rows as Declared<Parameters>["rows"], placeholders);
  const made: Report = {
    name,
    title: titleOf(name),
    path,
    summary,
    inputs: mapValues(parameters, inputOf),
    fields: mapValues(fields, (field, name): Column => ({ column: name, ...field })),
    rows,
  };
  reports.add(made);
  return made;
}

/** Whether a value is a report, as `report` makes it. */
export function isReport(value: unknown): value is Report {
  return reports.has(value as Report);
}

const reports = new WeakSet<Report>();

/** A field that is a value of its own: what a relation shows is not in the rows of a report. */
const field = v.custom<Field>(
  (value) => isField(value) && !value.relation,
  "a field such as date(), and no relation",
);

const parameter = v.custom<Field | Optional>((value) => {
  const given = (value as Optional | null)?.optional ?? value;
  return isField(given) && !given.relation && !given.nullable;
}, "a field such as date() or optional(date()), neither a relation nor nullable");

const declaration = v.strictObject({
  path: v.pipe(
    v.string("a path"),
    v.regex(/^\/([^{}]+\/)?$/, 'a path that begins and ends with "/", without braces,'),
  ),
  summary: v.string("a text"),
  parameters: v.optional(v.record(v.string(), parameter, "parameters by their names")),
  fields: v.pipe(
    v.record(v.string(), field, "fields by their names"),
    v.check((fields) => Object.keys(fields).length > 0, "at least one field"),
  ),
  rows: v.function("a function that gives SQL"),
});

/** What is wrong with a declaration, after its name. */
function wrongWith(issue: v.InferIssue<typeof declaration>): string {
  const option = v.getDotPath(issue);
  if (option === null) return "has no declaration";
  if (issue.expected === "never") return `has no option "${option}"`;
  return issue.input === undefined
    ? `lacks its "${option}"`
    : `takes ${issue.message} as "${option}"`;
}

/** Checks the defaults that parameters have, and the examples of fields, which the document shows. */
function checkValues(title: string, parameters: Parameters, fields: Record<string, Field>): void {
  for (const [name, parameter] of Object.entries(parameters)) {
    const { write } = fieldOf(parameter);
    if (write?.default === undefined || v.is(write.schema, write.default)) continue;
    throw new Error(`${title} has a default of "${name}" that is not a value that it takes`);
  }
  for (const [name, { write, example }] of Object.entries(fields)) {
    if (!write || v.is(write.schema, example)) continue;
    throw new Error(`${title} needs an example of "${name}" that is one of its values`);
  }
}

function fieldOf(parameter: Field | Optional): Field {
  return "optional" in parameter ? parameter.optional : parameter;
}

function inputOf(parameter: Field | Optional): Input {
  const field = fieldOf(parameter);
  const fallback = field.write?.default;
  return {
    kind: field.kind,
    parameter: parameterOf(field),
    isRequired: !("optional" in parameter) && fallback === undefined,
    default: fallback ?? null,
  };
}

function placeholder(name: string, { filter, write }: Field): Slot {
  return slot(name, filter.sqlType ?? write?.sqlType);
}

/** The SQL of the rows. Every request runs the same, so it may not depend on whether a placeholder is there:
 * it has to be the text that it is with null in the place of each. */
function rowsOf(
  title: string,
  write: Declared<Parameters>["rows"],
  placeholders: Record<string, Slot>,
): Sql {
  const rows = write(sql, placeholders);
  if (!(rows instanceof Sql)) throw new Error(`${title} has rows that are no SQL: write sql\`…\``);
  const unused = Object.keys(placeholders).find((name) =>
    rows.slots.every(({ slot }) => slot !== name)
  );
  if (unused) throw new Error(`${title} has the parameter "${unused}", which its rows do not use`);
  if (withNull(write, placeholders) === rows.texts.join("null")) return rows;
  throw new Error(
    `${title} has rows that depend on whether a parameter is there: compare it in SQL, as in ` +
      "${to} is null",
  );
}

/** The text of the rows with null for each placeholder; undefined if there is none. */
function withNull(
  write: Declared<Parameters>["rows"],
  placeholders: Record<string, Slot>,
): string | undefined {
  try {
    const nulls = mapValues(placeholders, () => null);
    return write(sql, nulls as unknown as Record<string, Slot>).texts.join();
  } catch {
    return undefined; // it looks into a placeholder
  }
}
