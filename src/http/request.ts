// Reads the parts of a request before a verb sees it: its path, what it accepts, its query, its body.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { isLoopback } from "../config.ts";
import { Problem, shortened } from "../errors/problem.ts";
import type { Header, HeaderValues, Parameter, Query } from "../model/model.ts";
import type { Endpoint } from "./routes.ts";

/** The path and the query of a URL as they were sent, neither resolved nor decoded. */
export function splitUrl(url: string): { path: string; query: string } {
  const [, origin, path, query = ""] = URL_PARTS.exec(url)!;
  return { path: path || (origin ? "/" : "*"), query };
}

const URL_PARTS = /^(\w+:\/\/[^/?#]+)?([^?#]*)\??([^#]*)/;

/** Makes the check of the Host header (RFC 9112, section 3.2). Two of them arrive as a list, which is refused;
 * whether the header is required is up to the runtime. Where no token is needed, as only this machine can
 * connect, a script of another site could do so by a name that resolves to the loopback. */
export function hostCheck(isOpen: boolean, baseUrl: string | undefined) {
  const own = baseUrl && new URL(baseUrl).hostname;
  return (headers: Headers): void => {
    const sent = headers.get("host");
    if (sent === null) return; // so it is no browser
    const [, name] = HOST_HEADER.exec(sent.toLowerCase()) ?? [];
    if (name === undefined) {
      throw new Problem("malformed_request", 'The header "Host" takes a host and an optional port');
    }
    if (!isOpen || isLoopback(name) || name === own) return;
    const detail = `The host "${shortened(name)}" is not this server's, unless BASE_URL names it`;
    throw new Problem("misdirected_request", detail);
  };
}

const HOST_HEADER = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i;

/** The endpoint whose media types a request prefers; the first one if it has no preference. Refuses a request
 * that accepts none of them (RFC 9110, section 12.5.1). */
export function preferredOf(endpoints: readonly Endpoint[], headers: Headers): Endpoint {
  const accept = headers.get("accept");
  const first = endpoints[0]!;
  if (!accept || accept === "*/*" || accept === first.mediaTypes[0]) return first;
  const ranges = weights(accept);
  const weighOne = (mediaType: string) =>
    [mediaType, mediaType.replace(/\/.*/, "/*"), "*/*"]
      .map((range) => ranges.get(range))
      .find((weight) => weight !== undefined) ?? 0;
  const weigh = ({ mediaTypes }: Endpoint) => Math.max(...mediaTypes.map(weighOne));
  const best = endpoints.reduce((one, other) => weigh(other) > weigh(one) ? other : one);
  if (weigh(best) > 0) return best;
  const all = endpoints.flatMap(({ mediaTypes }) => mediaTypes);
  throw new Problem("not_acceptable", `This path answers in ${all.join(" or ")} only`);
}

/** Whether a request accepts gzip, and does not prefer a body without a coding (RFC 9110, section 12.5.3). */
export function acceptsGzip(headers: Headers): boolean {
  const codings = weights(headers.get("accept-encoding") ?? "");
  const gzip = codings.get("gzip") ?? codings.get("*") ?? 0;
  return gzip > 0 && gzip >= (codings.get("identity") ?? 0);
}

/** The names in a header with their weights, from 0 to 1. A name that is listed twice, with different
 * parameters, gets its greatest weight; a weight that is not a number is ignored. */
function weights(header: string): Map<string, number> {
  const all = new Map<string, number>();
  const elements = unquotedSplit(header, ",").filter((element) => element.trim() !== "");
  for (const element of elements.slice(0, MOST_PARTS)) {
    const [name = "", ...parameters] = elementParts(element);
    const [, weight = 1] = parameters.map((text) => WEIGHT.exec(text)).find(Boolean) ?? [];
    all.set(name, Math.max(Number(weight), all.get(name) ?? 0));
  }
  return all;
}

const WEIGHT = /^q=(\d+(?:\.\d*)?|\.\d+)$/;

/** A name and its parameters, in lower case. */
function elementParts(element: string): string[] {
  const parts = unquotedSplit(element.toLowerCase(), ";").slice(0, MOST_PARTS);
  return parts.map((part) => part.trim());
}

/** The most elements of a header, and parts of one, that are read. */
const MOST_PARTS = 100;

/** Splits a text at separators outside quotes (RFC 9110, section 5.6.4). It reads each character once; a
 * regular expression would read to the end again from each quote that is not closed. */
function unquotedSplit(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [start, quoted] = [0, false];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    else if (quoted) index += Number(character === "\\");
    else if (character === separator) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** Reads the query; refuses parameters that the verb does not know, repeated ones and malformed ones.
 * Empty parts are skipped (URL Standard, section 5.1). `endpoints` are all those of the method. */
export function parseQuery(
  query: string,
  parameters: Record<string, Parameter>,
  endpoints: readonly Endpoint[],
): Query {
  const values: Query = {};
  if (query === "") return values;
  for (const part of query.split("&")) {
    if (part === "") continue;
    const [name, value] = decode(part);
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter) throw unknownParameter(name, endpoints);
    if (Object.hasOwn(values, name)) throw invalidParameter(`The query repeats "${name}"`);
    const result = v.safeParse(parameter, value);
    if (!result.success) {
      throw invalidParameter(`The query parameter "${name}" takes ${result.issues[0].message}`);
    }
    values[name] = result.output;
  }
  return values;
}

/** Reads the headers that an endpoint uses; refuses malformed ones. */
export function parseHeaders(headers: Headers, known: Record<string, Header>): HeaderValues {
  const values: HeaderValues = {};
  for (const name in known) {
    const text = headers.get(name);
    if (text === null) continue;
    const result = v.safeParse(known[name]!, text);
    if (!result.success) {
      const detail = `The header "${name}" takes ${result.issues[0].message}`;
      throw new Problem("invalid_header", detail);
    }
    values[name] = result.output;
  }
  return values;
}

export interface Body {
  /** The JSON value; undefined if the endpoint takes no body. */
  body: unknown;
  bytes: Uint8Array;
}

/** The body of a request whose endpoint takes none. */
export const NO_BODY: Body = { body: undefined, bytes: new Uint8Array() };

/** Ignores a byte order mark, as readers of JSON may (RFC 8259, section 8.1). */
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON body; throws 415 for its media type, 413 for its length, 400 for its content. If none is needed, an
 * empty one is an object without members, whatever its type is, unless another site sends it: a browser asks whether
 * that may send JSON, and for no form. */
export async function readBody(
  request: Request,
  accepts: readonly string[],
  limit: number,
  takesNone = false,
): Promise<Body> {
  const { headers } = request;
  const mayBeEmpty = takesNone && !/-site$/.test(headers.get("sec-fetch-site") ?? "");
  if (!mayBeEmpty) checkMediaType(headers, accepts);
  const bytes = await readBytes(request, limit).catch((error) => {
    if (error instanceof Problem) throw error;
    throw new Problem("malformed_body", "The body did not arrive whole");
  });
  if (bytes.length === 0 && takesNone) return { body: {}, bytes };
  if (bytes.length === 0) throw new Problem("malformed_body", "The body is empty");
  if (mayBeEmpty) checkMediaType(headers, accepts);
  try {
    return { body: JSON.parse(UTF_8.decode(bytes)), bytes };
  } catch {
    throw new Problem("malformed_body", "The body is not JSON text in UTF-8");
  }
}

function checkMediaType(headers: Headers, accepts: readonly string[]): void {
  const [type, ...parameters] = elementParts(headers.get("content-type") ?? "");
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice(8);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  const coding = headers.get("content-encoding") || "identity";
  const isCoded = coding.toLowerCase() !== "identity";
  if (accepts.includes(type!) && isUtf8 && !isCoded) return;
  const detail = isCoded
    ? `Send the body as it is, without the coding "${shortened(coding)}"`
    : `Send the body as ${accepts.join(" or ")}, in UTF-8`;
  throw new Problem("unsupported_media_type", detail, {
    headers: {
      Accept: accepts.join(", "),
      // Only for a coding that is not accepted (RFC 9110, section 12.5.3)
      ...(isCoded && { "Accept-Encoding": "identity" }),
    },
  });
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? NaN);
  if (announced > limit) throw tooLarge(limit);
  // If the header is sent twice, the length is not known
  if (announced <= limit) return await request.bytes();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(limit: number): Problem {
  return new Problem("content_too_large", `Send at most ${limit} bytes`);
}

function decode(part: string): [name: string, value: string] {
  const mark = part.indexOf("=");
  const pair = mark < 0 ? [part, ""] : [part.slice(0, mark), part.slice(mark + 1)];
  try {
    return pair.map((text) => decodeURIComponent(text.replaceAll("+", " "))) as [string, string];
  } catch {
    throw invalidParameter("The query is not percent-encoded text in UTF-8");
  }
}

function unknownParameter(name: string, endpoints: readonly Endpoint[]): Problem {
  const other = endpoints.find(({ parameters = {} }) => Object.hasOwn(parameters, name));
  return invalidParameter(
    other
      ? `The query parameter "${name}" goes with the header "Accept: ${other.mediaTypes[0]}"`
      : `No query parameter is named "${shortened(name)}" here`,
  );
}

function invalidParameter(detail: string): Problem {
  return new Problem("invalid_parameter", detail);
}
