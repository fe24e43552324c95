// A report, as the document describes it.
import type { ProblemCode } from "../errors/problem.ts";
import { deprecationHeaders, deprecationsIn } from "../model/deprecation.ts";
import type { Report } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { MAXIMUM_ROWS } from "../statements/report.ts";
import { inputTold } from "./extension.ts";
import { headersOf } from "./header.ts";
import { type Described, everywhere, parameters } from "./operation.ts";
import { refusals } from "./response.ts";
import { type Json, jsonSchema, reference, told } from "./schema.ts";
import type { Secured } from "./security.ts";

export function describeReport(report: Report, secured: Secured): Described {
  const { name, title, summary, inputs, fields } = report;
  const problems: ProblemCode[] = [...everywhere, ...secured.problems, "invalid_parameter"];
  const taken = mapValues(inputs, ({ parameter }) => parameter);
  const leaving = deprecationHeaders(deprecationsIn(fields));
  const items = {
    type: "array",
    maxItems: MAXIMUM_ROWS,
    items: reference("schemas", title),
  };
  return {
    problems,
    headers: { ...secured.headers, ...mapValues(leaving, (_, header) => header) },
    operation: {
      operationId: reportId(report),
      summary,
      tags: [name],
      ...secured.operation,
      parameters: parameters("query", taken, (name) => ({
        ...(inputs[name]!.isRequired && { required: true }),
        ...inputTold(inputs[name]!.kind),
      })),
      responses: {
        200: {
          description: "All rows",
          headers: headersOf(200),
          content: {
            "application/json": {
              schema: { type: "object", properties: { items }, required: ["items"] },
              example: { items: [exampleOf(report)] },
            },
          },
        },
        ...refusals(problems),
      },
    },
  };
}

export function reportId({ title }: Report): string {
  return `report${title}`;
}

/** The schema of a row. */
export function rowSchema(report: Report): Json {
  const { name, fields } = report;
  return {
    type: "object",
    description: `A row of the report ${name}`,
    properties: mapValues(fields, (field) => ({ ...jsonSchema(field.read), ...told(field) })),
    required: Object.keys(fields),
    examples: [exampleOf(report)],
  };
}

function exampleOf({ fields }: Report): Json {
  return mapValues(fields, ({ example }) => example);
}
