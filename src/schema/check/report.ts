// The SQL of a report compared with the fields that it shows.
import type { Database } from "../../db/database.ts";
import { isFromFunctionOrPolicy } from "../../db/errors.ts";
import { unmodified } from "../../model/field.ts";
import type { Column, Report } from "../../model/model.ts";
import { reportStatement, typesStatement } from "../../statements/report.ts";
import { differs, type Finding } from "./finding.ts";
import { explainEach } from "./statements.ts";

/** Finds what Postgres refuses in a report, else the columns whose types do not fit their fields. */
export async function compareReport(database: Database, report: Report): Promise<Finding[]> {
  const title = `the report "${report.name}"`;
  const refused = await explainEach(database, title, [reportStatement(report)]);
  if (refused.length > 0) return refused;
  const nulls = Object.fromEntries(report.rows.slots.map(({ slot }) => [slot, null]));
  const [types] = await database.run(typesStatement(report), nulls).catch((error) => {
    if (isFromFunctionOrPolicy(error)) return []; // a function that takes no null
    throw error;
  });
  if (!types) return [];
  return Object.entries(report.fields)
    .flatMap(([field, column]) => compareType(title, field, column, types[field]!));
}

/** The difference of a column that plain SQL gives, if its type does not fit its field. */
export function compareType(
  title: string,
  field: string,
  { column, columnType }: Column,
  type: string,
): Finding[] {
  if (
    !columnType || columnType.choices ||
    [...columnType.types, ...columnType.converted].map(unmodified).includes(type)
  ) return [];
  return [
    differs(
      `The column "${column}" of ${title} is "${type}", but the field "${field}" wants ` +
        `"${columnType.types[0]}"`,
    ),
  ];
}
