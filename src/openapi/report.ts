// A report, as the document describes it.
import { deprecationHeaders, deprecationsIn } from "../model/deprecation.ts";
import type { Column, Report } from "../model/model.ts";
import { nobody } from "../model/caller.ts";
import { mayAsk } from "../model/permission.ts";
import { mapValues } from "../model/record.ts";
import { MAXIMUM_ROWS } from "../statements/items.ts";
import { inputExtension, sqlExtension } from "./extension.ts";
import { contentHeadersOf, headersOf } from "./header.ts";
import { byAccess, type Described, parameters } from "./operation.ts";
import { type Json, reference } from "./json.ts";
import { annotations, jsonSchema } from "./schema.ts";

export function describeReport(report: Report): Described {
  const { name, title, summary, inputs, fields, access } = report;
  const query = mapValues(inputs, ({ parameter }) => parameter);
  const leaving = deprecationHeaders(deprecationsIn(fields));
  return {
    problems: ["invalid_parameter", ...(access ? byAccess.problems : [])],
    headers: {
      ...mapValues(leaving, (_, header) => header),
      ...(access && byAccess.headers),
    },
    isOpen: access && mayAsk(report, nobody),
    operation: {
      operationId: reportId(report),
      summary,
      tags: [name],
      parameters: parameters("query", query, (name) => ({
        ...(inputs[name]!.isRequired && { required: true }),
        ...inputExtension(inputs[name]!.field),
      })),
      responses: {
        200: answerOfRows(title, fields),
      },
      ...sqlExtension(report),
    },
  };
}

export function reportId({ title }: Report): string {
  return `report${title}`;
}

export function rowSchema({ name, fields }: Report): Json {
  return schemaOfRow(`A row of the report ${name}`, fields);
}

/** The schema of a row that plain SQL gives. */
export function schemaOfRow(description: string, fields: Record<string, Column>): Json {
  return {
    type: "object",
    description,
    properties: mapValues(
      fields,
      (field) => ({ ...jsonSchema(field.read), ...annotations(field) }),
    ),
    required: Object.keys(fields),
    examples: [exampleOfRow(fields)],
  };
}

export function exampleOfRow(fields: Record<string, Column>): Json {
  return mapValues(fields, ({ example }) => example);
}

/** The answer with all rows, whose schema has a name. */
export function answerOfRows(title: string, fields: Record<string, Column>): Json {
  const items = { type: "array", maxItems: MAXIMUM_ROWS, items: reference("schemas", title) };
  return {
    description: "All rows",
    headers: headersOf(200, contentHeadersOf({ packed: true })),
    content: {
      "application/json": {
        schema: { type: "object", properties: { items }, required: ["items"] },
        example: { items: [exampleOfRow(fields)] },
      },
    },
  };
}
