// The words of a declaration, as types: fields, relations, resources, verbs, pages, and the service that
// these are prepared for. Everything is plain data beside a few functions, so that the server, the
// document and the tests read the same table.
import type * as v from "valibot";
import type { Access } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Sql, Statement, Value } from "../db/sql.ts";
import type { FieldCode, ProblemCode } from "../errors/problem.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Scope, scopeOf } from "./scope.ts";

/** What is on its way out, and since when. */
export interface Deprecation {
  /** The day, in UTC: `2026-11-21`. */
  since: string;
  /** The day from which it may be gone. */
  sunset?: string;
  /** Where people read what to use instead. */
  link?: string;
}

/** A field, whatever its kind: what it is read as, what it shows of a row, what clients may send. */
export interface Field {
  /** For the document and the form; nobody else asks. */
  kind: string;
  /** The column that keeps it; without it, the one that bears the field's name. */
  column?: string;
  /** What an answer holds. */
  read: v.GenericSchema;
  /** A value of it in an answer, for the document. */
  example?: unknown;
  deprecation?: Deprecation;
  /** Whether a value may be long: a page of a list ends when it has enough of these. */
  isLong?: boolean;
  /** What it shows of a row, if not its column. */
  show?(place: Place): Shown;
  /** From the JSON that Postgres makes of it to what is answered, where they differ. */
  format?(json: unknown): unknown;
  /** What clients send; without it, it is only read. */
  write?: Write;
  relation?: Relation;
}

/** A field of a resource: it has a column. */
export interface Column extends Field {
  column: string;
}

/** Where a field stands in a statement. */
export interface Place {
  /** The row that it is a field of, as the statement names it. */
  row: Sql;
  column: Sql;
  /** A name for rows that it joins, which nothing else in the statement has. */
  joined: Sql;
}

/** An expression, and the rows that it takes besides its own; without these, there is no row at all. */
export interface Shown {
  value: Sql;
  join?: Sql;
}

export interface Write {
  /** From JSON to what is stored; the message of every issue is a code of `fieldProblems`. */
  schema: v.GenericSchema<unknown, Value>;
  /** The type of its values in a statement. */
  sqlType: "text" | "bigint";
  /** What a create or a replacement that leaves it out stores; without it, it is required. */
  default?: Value;
  /** Says what to send instead of a refused value. */
  explain(code: FieldCode, value: unknown): string;
  /** The codes of what does not hold of a value that was sent, or null. */
  refusal?(value: Sql): Sql;
}

export interface Relation {
  target: Resource;
  /** Whether it is read as the whole object. */
  nested: boolean;
  /** The rows it may refer to, each an `id` and the `text` that a person knows it by. */
  candidates: Sql;
}

/** What a file in `resources/` writes down, besides the name. */
export interface Declaration {
  /** The text field that a person knows a row by: lists filter, search and sort by it. */
  display?: string;
  fields: Record<string, Field>;
  routes: Record<string, Verb[]>;
}

/** A declaration and what follows from it. */
export interface Resource extends Declaration {
  /** The name of the resource and of its table. */
  name: string;
  /** The name as the document's schemas and operations bear it: `InvoiceLine`. */
  title: string;
  /** The field that identifies a row; its column is always `id`. */
  key: string;
  fields: Record<string, Column>;
  /** The fields that clients send. */
  sent: Record<string, Column & { write: Write }>;
  relations: Record<string, Relation>;
  schemas: {
    /** The object in an answer. */
    read: v.GenericSchema;
    /** The object that creates or replaces a row. */
    write: v.GenericSchema;
    /** The object that changes some fields of a row. */
    patch: v.GenericSchema;
  };
}

export type Method = keyof typeof scopeOf;

/** A request, once the router and the checks of HTTP have let it in. */
export interface Call {
  /** What the path has in the place of the braces: an identifier, checked; 0 where none are. */
  identifier: number;
  /** The query parameters, parsed by the verb's own schemas. */
  query: Query;
  /** The headers that the verb heeds and the request has, parsed by the verb's own schemas. */
  headers: HeaderValues;
  /** The parsed JSON body; undefined where the verb takes none. */
  body: unknown;
  /** The body, byte for byte; empty where the verb takes none. */
  bytes: Uint8Array;
  /** The identifier of the token that was sent; 0 where none is asked for. */
  caller: number;
}

export type Query = Record<string, string | number>;

export type HeaderValues = Record<string, string[]>;

/** What a verb gives back; `http/response.ts` makes the response of it. */
export type Answer =
  | {
    status: 200 | 201;
    body: string;
    /** What the body is, where it is not JSON. */
    mediaType?: string;
    /** The body as gzip packs it, where that is worth it. */
    gzipped?: Uint8Array<ArrayBuffer>;
    location?: string;
    next?: string | null;
    /** Tells this representation from any other (RFC 9110, section 8.8.3), without the quotes. */
    tag?: string;
  }
  | { status: 303; location: string }
  | { status: 204 };

export type Handler = (call: Call) => Promise<Answer>;

/** From the text of a query parameter to its value; the message of an issue says what to send. */
export type Parameter = v.GenericSchema<string, string | number>;

/** From the text of a header to what it lists; the message of an issue says what to send. */
export type Header = v.GenericSchema<string, string[]>;

/** What verbs and pages work with. */
export interface Service extends Access {
  database: Database;
  resources: Resource[];
  /** The address clients use, without a final slash, where it is known. */
  baseUrl: string | undefined;
  /** The path that links begin with: that of the address. */
  prefix: string;
  /** The origins whose scripts may ask. */
  corsOrigins: readonly string[];
  /** Hours that an Idempotency-Key is kept at least. */
  idempotencyHours: number;
  /** Tells when the process is about to end. */
  ending: AbortSignal;
  metrics: Metrics;
}

/** What the document says of a verb on a resource. */
export interface Operation {
  /** Names it among all operations, for the clients that are generated: `createFoo`. */
  id: string;
  summary: string;
  /** The shape of the body it takes. */
  body?: "write" | "patch";
  /** What it answers with when all is well. */
  answer: { status: 200 | 201 | 204; holds: "object" | "list" | "choices" | "nothing" };
  /** The relation whose candidates it lists. */
  candidatesOf?: string;
  /** What can go wrong besides what HTTP and the database can make go wrong everywhere. */
  problems: ProblemCode[];
}

export interface Verb {
  name: "list" | "create" | "read" | "last" | "replace" | "patch" | "delete" | "choices";
  method: Method;
  deprecation?: Deprecation;
  operation(resource: Resource): Operation;
  /** The media types of its body; a verb without them takes no body. */
  accepts?: readonly string[];
  /** The query parameters it knows; every other one is refused. */
  query?(resource: Resource): Record<string, Parameter>;
  /** The headers it heeds, besides those that every request may have. */
  headers?: Record<string, Header>;
  /** The statements that it runs; of a list, one for each order, with every filter. */
  statements(resource: Resource): Statement[];
  /** Makes, once, what serves every request. */
  prepare(resource: Resource, path: string, service: Service): Handler;
}

/** The page of this server that answers in a media type which another page lacks. */
export interface Redirect {
  mediaType: string;
  path: string;
}

/** What the server says of itself at a path; it answers GET and ignores the query. */
export interface Page {
  /** Names it among all operations of the document. */
  id: string;
  summary: string;
  /** What its answer holds. */
  holds: v.GenericSchema;
  /** The media types it answers in, where they are not JSON alone. */
  mediaTypes?: readonly string[];
  /** Whether its answers are packed by gzip, for clients that take that. */
  packed?: boolean;
  /** Where a client is sent that would rather have another media type than those. */
  redirect?: Redirect;
  /** The headers it heeds, besides those that every request may have. */
  headers?: Record<string, Header>;
  /** What a token has to let its bearer do; a page without it is open to all. */
  scope?: Scope;
  /** A text that the path can have in the place of the braces, for the document. */
  example?: string;
  /** All that it answers, where that can be told, by what the path has in the place of the braces. */
  answers?: Record<string, unknown>;
  /** Makes, once, what answers; it gets what the path has in the place of the braces. */
  prepare(service: Service): (parameter: string) => Answer | Promise<Answer>;
}
