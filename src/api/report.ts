// Reports: the rows of plain SQL, all or none of them.
import { READ_ONLY, sqlState } from "../db/errors.ts";
import { Problem } from "../errors/problem.ts";
import type { Handler, Query, Report, Service } from "../model/model.ts";
import { claimValues } from "../model/claim.ts";
import { mapValues } from "../model/record.ts";
import { type Item, MAXIMUM_ROWS } from "../statements/items.ts";
import { reportStatement } from "../statements/report.ts";

export function reporting(report: Report, { database }: Service): Handler {
  const statement = reportStatement(report);
  return async ({ query, caller }) => {
    const values = { ...parameterValues(report, query), ...claimValues(statement, caller) };
    const rows = await database.run(statement, values).catch((error) => {
      throw sqlState(error) === READ_ONLY ? defect(error) : error;
    });
    if (rows.length > MAXIMUM_ROWS) throw tooManyRows(Object.keys(report.inputs));
    return { status: 200, body: itemsBody(`The report "${report.name}"`, rows) };
  };
}

function parameterValues({ inputs }: Report, query: Query): Query {
  return mapValues(inputs, ({ isRequired, default: fallback }, name) => {
    if (Object.hasOwn(query, name)) return query[name]!;
    if (!isRequired) return fallback;
    throw new Problem("invalid_parameter", `The query parameter "${name}" is required`);
  });
}

/** The body of all rows; throws the problem of one that has null where it must not. */
export function itemsBody(subject: string, rows: Item[]): string {
  return `{"items":[${textsOf(subject, rows).join()}]}`;
}

export function textsOf(subject: string, rows: Item[]): string[] {
  const missing = rows.find(({ missing }) => missing !== null)?.missing;
  if (missing) throw defect(new Error(`${subject} gives null as "${missing}", not nullable`));
  return rows.map(({ text }) => text);
}

/** Rows are never cut: who reads a part of them would take that for the whole. */
export function tooManyRows(inputs: string[]): Problem {
  const names = inputs.map((name) => `"${name}"`);
  const narrow = names.length > 0 ? `: narrow it by ${names.join(" or ")}` : "";
  return new Problem("invalid_parameter", `There are more than ${MAXIMUM_ROWS} rows${narrow}`);
}

/** The problem of SQL that is wrong itself. */
export function defect(cause: unknown): Problem {
  return new Problem("internal", "The server failed to answer", { cause });
}
