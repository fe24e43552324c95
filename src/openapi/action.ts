// An action, as the document describes it.
import { idempotencyKey } from "../api/keyed.ts";
import { nobody } from "../model/caller.ts";
import { deprecationHeaders, deprecationsIn } from "../model/deprecation.ts";
import type { Action, Filter, KnownField, Payload } from "../model/model.ts";
import { parameterOf } from "../model/parameter.ts";
import { mayAsk } from "../model/permission.ts";
import { mapValues } from "../model/record.ts";
import { exampleKey, withArticle } from "../model/resource.ts";
import { pathExtension, sqlExtension } from "./extension.ts";
import { headersOf } from "./header.ts";
import { type Json, reference } from "./json.ts";
import { byAccess, type Described, parameters, withBody } from "./operation.ts";
import { answerOfRows, exampleOfRow, schemaOfRow } from "./report.ts";
import { jsonSchema, payloadSchema, sentExample } from "./schema.ts";

export function describeAction(action: Action): Described {
  const { name, title, summary, access, input, body, inPath, fields, isSingle } = action;
  const takesBody = Object.keys(body.writable).length > 0;
  const leaving = deprecationHeaders([
    ...deprecationsIn(input.fields),
    ...deprecationsIn(fields ?? {}),
  ]);
  return {
    problems: [
      "invalid_parameter",
      "invalid_header",
      "in_progress",
      ...withBody,
      ...(isSingle || inPath.length > 0 ? ["not_found" as const] : []),
      ...(access ? byAccess.problems : []),
    ],
    headers: {
      ...mapValues(leaving, (_, header) => header),
      ...(access && byAccess.headers),
    },
    isOpen: access && mayAsk(action, nobody),
    operation: {
      operationId: actionId(action),
      summary,
      tags: [name],
      parameters: [
        ...inPath.map((name) => pathParameter(input, name)),
        ...parameters("header", idempotencyKey),
      ],
      ...(takesBody && {
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: reference("schemas", inputTitle(action)),
              example: sentExample(body),
            },
          },
        },
      }),
      responses: fields
        ? { 200: isSingle ? answerOfRow(title, fields) : answerOfRows(title, fields) }
        : { 204: { description: "Done", headers: headersOf(204) } },
      ...sqlExtension(action),
    },
  };
}

export function actionId({ title }: Action): string {
  return `send${title}`;
}

/** The schemas of an action by their names: what its body has, and the rows that it answers with. */
export function actionSchemas(action: Action): Record<string, Json> {
  const { name, title, body, fields } = action;
  return {
    ...(Object.keys(body.writable).length > 0 && {
      [inputTitle(action)]: {
        ...payloadSchema(body, `What the action ${name} takes`),
        examples: [sentExample(body)],
      },
    }),
    ...(fields && { [title]: schemaOfRow(`A row of the action ${name}`, fields) }),
  };
}

function inputTitle({ title }: Action): string {
  return `${title}Input`;
}

function answerOfRow(title: string, fields: NonNullable<Action["fields"]>): Json {
  return {
    description: "The row",
    headers: headersOf(200),
    content: {
      "application/json": { schema: reference("schemas", title), example: exampleOfRow(fields) },
    },
  };
}

function pathParameter(input: Payload, name: string): Json {
  const field = input.writable[name] as PathField;
  const { relation, description, deprecation } = field;
  const target = relation?.target(input);
  const { description: _, ...schema } = jsonSchema(target?.identifiers.text ?? parameterOf(field));
  return {
    name,
    in: "path",
    required: true,
    description: description ?? (target && `The identifier of ${withArticle(target)}`),
    ...(deprecation && { deprecated: true }),
    schema: { ...schema, ...(target && { examples: [exampleKey(target)] }) },
    ...pathExtension(field, input),
  };
}

/** Only what a query can have is in a path. */
type PathField = KnownField & { filter: Filter };
