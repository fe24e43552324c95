// The headers that answers bear besides those of their status, and how a response says so.
import { mapValues } from "../record.ts";
import { references } from "./response.ts";
import type { Json } from "./schema.ts";

/** From the name of a header to the name of its component. */
export type Headers = Record<string, string>;

const toScripts = {
  "Vary": "Vary",
  "Access-Control-Allow-Origin": "AllowedOrigin",
  "Access-Control-Expose-Headers": "ExposedHeaders",
};

const toPreflight = {
  ...toScripts,
  "Access-Control-Allow-Methods": "AllowedMethods",
  "Access-Control-Allow-Headers": "AllowedHeaders",
  "Access-Control-Max-Age": "MaxAge",
};

/** What scripts of other origins are told, where some may ask. */
export function scriptHeaders(corsOrigins: readonly string[], method: string): Headers {
  if (corsOrigins.length === 0) return {};
  return method === "options" ? toPreflight : toScripts;
}

/** An operation whose own responses bear more headers. */
export function operationWith(operation: Json, headers: Headers): Json {
  const responses = mapValues(
    operation["responses"] as Record<string, Json>,
    (response) => response["$ref"] ? response : responseWith(response, headers),
  );
  return { ...operation, responses };
}

/** A response that bears more headers. */
export function responseWith(response: Json, headers: Headers): Json {
  return { ...response, headers: { ...response["headers"] as Json, ...references(headers) } };
}
