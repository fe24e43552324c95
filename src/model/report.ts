// The word `report`: plain SQL at a path, with its parameters and the fields of its rows. What can be told of
// it without a database is checked here.
import { slot, type Value } from "../db/sql.ts";
import { rights, rulesFrom } from "./access.ts";
import { isOwnDefault } from "./default.ts";
import { checkEntries, checkField, checkName, checkNamed, checkPath } from "./mistakes.ts";
import type { Column, Field, Input, KnownField, Optional, Report } from "./model.ts";
import type { Options, Parameters, Rows } from "./options.ts";
import { parameterOf } from "./parameter.ts";
import { mapValues } from "./record.ts";
import { titleOf } from "./resource.ts";
import { checkedOptions } from "./word.ts";
import { writtenSql } from "./written.ts";

/** The options, with the names of the parameters. */
type NamedOptions<Given> = Omit<Options["report"], "parameters" | "rows"> & {
  parameters?: Given;
  rows: Rows<keyof Given & string>;
};

/** Makes a report, which answers with the rows that its SQL gives. */
export function report<Given extends Parameters = Record<string, never>>(
  name: string,
  options: NamedOptions<Given>,
): Report {
  checkNamed("report", name);
  checkName(`The name "${name}" of a report`, name);
  const subject = `The report "${name}"`;
  checkEntries(subject, options?.access);
  const { path, summary, access, parameters = {}, fields, rows: write } = checkedOptions(
    "report",
    options,
    subject,
  );
  checkPath(subject, path);
  if (Object.keys(fields).length === 0) throw new Error(`${subject} needs a field`);
  const rules = access && rulesFrom(access);
  if (rules?.read.some(({ rows, field }) => rows || field !== undefined)) {
    throw new Error(`${subject} has access by rows: its SQL narrows them, by claim`);
  }
  if (rules?.read.length === 0 && rights.some((right) => rules[right].length > 0)) {
    throw new Error(`${subject} has access to write, but not to read, which is all that it takes`);
  }
  const shown = mapValues(
    fields,
    (field, column) => shownField("report", name, column, field),
  );
  const taken = mapValues(parameters, (parameter, query) => {
    checkName(`The name "${query}" of a parameter of the report "${name}"`, query);
    const own = `The parameter "${query}" of the report "${name}"`;
    const field = valueField(own, isOptional(parameter) ? parameter.optional : parameter, "report");
    if (field.nullable) throw new Error(`${own} is nullable: declare it optional`);
    const { filter, write } = field;
    if (isOwnDefault(write?.default)) {
      throw new Error(`${own} has a default in SQL or by a claim: name a value`);
    }
    if (!filter || filter.asks === "whether it is null") {
      throw new Error(`${own} holds ${field.kind}, which no query has`);
    }
    return { field: { ...field, filter }, isRequired: !isOptional(parameter) };
  });
  const placeholders = mapValues(
    taken,
    ({ field: { filter, write } }, name) => slot(name, filter.sqlType ?? write?.sqlType),
  );
  const rows = writtenSql(write, placeholders, {
    isNone: `${subject} has rows that are no SQL: write sql\`…\``,
    isUnused: (name) => `${subject} has the parameter "${name}", which its rows do not use`,
    depends:
      `${subject} has rows that depend on whether a parameter is there: compare it in SQL, as in ` +
      "${to} is null",
  });
  const made: Report = {
    name,
    ...(rules && { access: rules }),
    title: titleOf(name),
    path,
    summary,
    inputs: mapValues(taken, ({ field, isRequired }): Input => {
      const fallback = field.write?.default;
      return {
        field,
        parameter: parameterOf(field),
        isRequired: isRequired && fallback === undefined,
        default: (fallback ?? null) as Value, // as a query has it, and so no object
      };
    }),
    fields: shown,
    rows,
  };
  reports.add(made);
  return made;
}

export function isReport(value: unknown): value is Report {
  return reports.has(value as Report);
}

const reports = new WeakSet<Report>();

/** The field of a column that plain SQL gives. */
export function shownField(
  word: "report" | "action",
  owner: string,
  name: string,
  field: Field,
): Column {
  const of = `of the ${word} "${owner}"`;
  checkName(`The name "${name}" of a field ${of}`, name);
  return { column: name, ...valueField(`The field "${name}" ${of}`, field, word) };
}

/** Checks a field that is a value of its own: what a relation shows is not in the rows of plain SQL. */
function valueField(subject: string, field: Field, word: "report" | "action"): KnownField {
  checkField(subject, field);
  if (field.relation) throw new Error(`${subject} is a relation, which no ${word} has`);
  return field as KnownField;
}

function isOptional(parameter: Field | Optional): parameter is Optional {
  return Object.hasOwn(Object(parameter), "optional");
}
