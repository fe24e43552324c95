// The parts that the tests build documents from.
import type { Direction, Document } from "../house.ts";

/** A part of a document, of whatever shape the case is about. */
export type Part = Record<string, unknown>;
export type Schema = Part | boolean;

export const json = "application/json";

export function api(paths: Part, rest: Part = {}): Document {
  return { openapi: "3.1.0", info: { title: "Foos", version: "1.0.0" }, paths, ...rest };
}

/** The version whose schemas have `nullable`. */
export const old = { openapi: "3.0.3" };

/** A document with one operation, `GET /foos`. */
export function get(operation: Part, rest?: Part): Document {
  return api({ "/foos": { get: { responses: { 200: {} }, ...operation } } }, rest);
}

/** A document with one operation, `POST /foos`, that answers nothing. */
export function post(operation: Part, rest?: Part): Document {
  return api({ "/foos": { post: { responses: { 204: {} }, ...operation } } }, rest);
}

export function content(schema: Schema): Part {
  return { content: { [json]: { schema } } };
}

/** One schema in a request or in an answer, beside the components it refers to; of 3.0 if it is `nullable`. */
export function document(direction: Direction, schema: Schema, schemas: Part = {}): Document {
  const isOld = JSON.stringify(schema).includes('"nullable"');
  const rest = { components: { schemas }, ...isOld && old };
  return direction === "request"
    ? post({ requestBody: content(schema) }, rest)
    : get({ responses: { 200: content(schema) } }, rest);
}

export const places = {
  request: `POST /foos request ${json}`,
  response: `GET /foos response 200 ${json}`,
};

export function object(properties: Part, required = Object.keys(properties)) {
  return { type: "object", properties, required };
}

export const string = { type: "string" };
export const integer = { type: "integer" };
export const number = { type: "number" };
export const limit = { name: "limit", in: "query", schema: integer };
export const bar = object({ id: integer, name: string });
export const cat = object({ kind: { const: "cat" }, lives: integer });
export const dog = object({ kind: { const: "dog" }, bark: string });

export function ref(name: string): Part {
  return { $ref: name.includes(".") ? name : `#/components/schemas/${name}` };
}

export function list(items: Schema): Part {
  return { type: "array", items };
}

export function map(additionalProperties: Schema): Part {
  return { type: "object", additionalProperties };
}

export const tree = object({ value: string, children: list(ref("Tree")) });
const rose = object({ value: string, children: list(ref("Rose")) });
export const components = {
  Text: string,
  Bar: bar,
  Cat: cat,
  Dog: dog,
  Tree: tree,
  Rose: rose,
  Ring: { allOf: [ref("Ring"), string] },
};
