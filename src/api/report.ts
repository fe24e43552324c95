// Reports: the rows of plain SQL, all or none of them.
import { READ_ONLY, sqlState } from "../db/errors.ts";
import { Problem } from "../errors/problem.ts";
import type { Handler, Query, Report, Service } from "../model/model.ts";
import { claimValues } from "../model/claim.ts";
import { mapValues } from "../model/record.ts";
import { MAXIMUM_ROWS, reportStatement } from "../statements/report.ts";

export function reporting(report: Report, { database }: Service): Handler {
  const statement = reportStatement(report);
  return async ({ query, caller }) => {
    const values = { ...parameterValues(report, query), ...claimValues(statement, caller) };
    const rows = await database.run(statement, values).catch((error) => {
      throw sqlState(error) === READ_ONLY ? defect(error) : error;
    });
    if (rows.length > MAXIMUM_ROWS) throw tooManyRows(report);
    const missing = rows.find(({ missing }) => missing !== null)?.missing;
    if (missing) {
      const { name } = report;
      throw defect(new Error(`The report "${name}" gives null as "${missing}", not nullable`));
    }
    return { status: 200, body: `{"items":[${rows.map(({ text }) => text).join()}]}` };
  };
}

function parameterValues({ inputs }: Report, query: Query): Query {
  return mapValues(inputs, ({ isRequired, default: fallback }, name) => {
    if (Object.hasOwn(query, name)) return query[name]!;
    if (!isRequired) return fallback;
    throw new Problem("invalid_parameter", `The query parameter "${name}" is required`);
  });
}

/** A report is never cut: who reads a part of it would take that for the whole. */
function tooManyRows({ inputs }: Report): Problem {
  const names = Object.keys(inputs).map((name) => `"${name}"`);
  const narrow = names.length > 0 ? `: narrow it by ${names.join(" or ")}` : "";
  return new Problem("invalid_parameter", `There are more than ${MAXIMUM_ROWS} rows${narrow}`);
}

/** The problem of a report that is wrong itself. */
function defect(cause: unknown): Problem {
  return new Problem("internal", "The server failed to answer", { cause });
}
