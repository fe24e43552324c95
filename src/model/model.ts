// The types of a declaration, fields, relations, resources, verbs and pages, and of what a verb gets and gives.
// They are plain data and a few functions, so the server, the document and the tests read the same tables.
import type * as v from "valibot";
import type { Access } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { News } from "../db/news.ts";
import type { Sql, Statement, Value } from "../db/sql.ts";
import type { FieldCode, ProblemCode } from "../errors/problem.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Rules } from "./access.ts";
import type { Caller } from "./caller.ts";
import type { Claim } from "./claim.ts";
import type { Identifier, Key } from "./key.ts";
import type { Scope, scopeOf } from "./scope.ts";
import type { View } from "./view.ts";

/** That a field or a verb will go away, and when. */
export interface Deprecation {
  /** The day on which it was deprecated, in UTC: `2026-11-21`. */
  since: string;
  /** The day from which it may be missing. */
  sunset?: string;
  /** The address of a text that says what to use instead. */
  link?: string;
}

/** A field of any kind: how it is read, and what clients may send. */
export interface Field {
  /** For the document, the form and `relata declare`; no request asks for it. */
  kind: string;
  /** Its column; by default it has the name of the field, for a relation with `_id` after it. A to-many has none:
   * statements have its identifiers in a column of their own. */
  column?: string;
  /** What its column has to be; a to-many has none. */
  columnType?: ColumnType;
  /** What people call it, if that is not its name. */
  label?: string;
  /** What it is, for people who read the document. */
  description?: string;
  /** What its values are amounts of, for people. */
  unit?: string;
  /** The value in an answer. */
  read?: v.GenericSchema;
  /** Whether its value may be null. */
  nullable?: boolean;
  /** A value as an answer may show it, for the document. */
  example?: unknown;
  deprecation?: Deprecation;
  /** What its values are, if it identifies a row. */
  identifiers?: Key;
  /** Whether it holds text by which people can know a row. */
  isText?: boolean;
  /** SQL for the bytes of a value, if it may be long. Then a page of a list may end early, because of its size. */
  bytes?(column: Sql): Sql;
  /** The SQL for its value, if that is not its column as it is. */
  value?(column: Sql): Sql;
  /** The SQL for what it shows, if that is not of its column alone. */
  show?(context: Context): Shown;
  /** What clients may send; without it, the field is read-only. */
  write?: Write;
  /** How lists filter by it; without it, none filters or sorts by it, and it is no parameter of a report. */
  filter?: Filter;
  relation?: Relation;
  /** What else it is, once all resources are declared. The values of a relation are what identifies its target, and that
   * may be declared further down. */
  whenDeclared?(owner: Payload): Partial<Field>;
}

/** What the column of a field has to be. */
export interface ColumnType {
  /** The types that hold its values, as Postgres writes them; the first is the usual one. */
  types: string[];
  /** Other types that Postgres converts: requests work, but the column does not hold the same values. */
  converted: string[];
  /** The strings that its values are among. The column is an enum of these, or has a check. */
  choices?: string[];
  /** Whether a foreign key holds the column to these. */
  isHeld?: boolean;
  /** The most characters of a value, where no column may cut blanks off a longer one. */
  maximum?: number;
  /** Whether a type with a modifier, such as `numeric(6,2)`, is another one. */
  isUnmodified?: boolean;
  /** The condition that a value of the column is one of the field's, for types that hold others. */
  holds?(column: Sql): Sql;
}

/** A field whose values are known: any but a relation, and once all resources are declared, every one. */
export interface KnownField extends Field {
  read: v.GenericSchema;
}

/** A field of a resource, with its column. */
export interface Column extends KnownField {
  column: string;
}

/** Where a row has its links, and the rows that it owns: in their tables; where the statement writes these, in a column
 * of the row, which is null for a row that keeps them. */
export type Links = "stored" | "sent" | "sent or stored";

/** The SQL around a field: names to build its expression with. */
export interface Context {
  /** The resource that has the field. */
  resource: Resource;
  /** The resource whose rows the statement writes, if it writes any: it still sees the links that they had
   * before. */
  written: Resource | undefined;
  /** Where the links of the row are, and the rows that it owns. */
  links: Links;
  /** Whether a relation shows objects, not identifiers. */
  isNested: boolean;
  /** The name of its row in the statement. */
  row: Sql;
  column: Sql;
  /** A unique name for the rows that it joins. */
  joined: Sql;
}

/** An expression, and the left join that it needs. */
export interface Shown {
  value: Sql;
  join?: Sql;
  /** A condition: the statement sees the row that this one refers to as it is. It does not see one that is
   * newer, or that it writes itself. */
  isSeen?: Sql;
}

export interface Write {
  /** Turns JSON into the JSON that a statement takes. The message of each issue is a code of `fieldProblems`. */
  schema: v.GenericSchema;
  /** The type in which a statement takes its values. */
  sqlType: string;
  /** Stored if a create or a replace leaves the field out; without it, the field is required. It is a value, a
   * function that gives one, a claim, or SQL that Postgres evaluates for each row that is created: of the last two, a
   * replace keeps what is stored. */
  default?: unknown;
  /** Whether only the claim fills it: clients do not send it. */
  isFilled?: boolean;
  /** The detail for a refused value: what to send instead. */
  explain(code: FieldCode, value: unknown): string;
  /** The type that the SQL of an action gets it in, if that is another one. */
  givenType?: string;
  /** SQL that gives a value the type of the column, if Postgres does not do so by itself. */
  stored?(value: Sql, table: Sql, column: string): Sql;
  /** The detail for a refused value within the array that a to-many takes. */
  explainElement?: Write["explain"];
  /** SQL for what is wrong with a value, as `bar:does_not_exist`, or null if it is right. */
  refusal?(value: Sql, field: string, of: Sent): Sql;
  /** How a merge patch that has an object for the field changes what is stored. */
  merge?: {
    /** SQL for the new value, as JSON. */
    value(stored: Sql, sent: Sql): Sql;
    /** SQL for what is wrong with that, of which it gets the text, as `plan:too_long`; null if nothing is. */
    refusal(text: Sql, field: string): Sql;
  };
}

/** The row that a value was sent for. */
export interface Sent {
  resource: Resource;
  /** SQL for what a column of it has, if it is there already: an identifier that it has may stay, also if its callers
   * may not read what it refers to. */
  stored?: ((column: string) => Sql) | undefined;
  /** The identifier of the row that owns it, if that is there already. */
  owner?: Sql | undefined;
}

/** How the values of a field are taken from a query, and compared with its column. */
export interface Filter {
  /** Parses a value. The message of an issue says what to send. */
  value: Parameter;
  /** The type in which a statement takes a value; without it, Postgres infers that of the column. */
  sqlType?: string;
  /** Whether lists take ranges of its values. */
  isOrdered: boolean;
  /** Whether few rows have the same value, although there are no ranges of them: an index finds them. */
  isSelective?: boolean;
  /** What lists ask instead of comparing a value: what it contains, or only whether there is one. Then none sorts by
   * it. */
  asks?: "what it contains" | "whether it is null";
  /** The column as it is compared, if its own order is not the same in every database. */
  compared?(column: Sql): Sql;
  /** How long a value lasts, as an SQL interval, if answers show less than the column holds. */
  span?: string;
}

export interface Relation {
  /** What it refers to, for a relation of this resource. */
  target(resource: Payload): Resource;
  /** Whether an answer holds the whole object, not only the identifier. */
  nested: boolean;
  /** Whether it refers to any number of rows: then the table of the resource has no column for it. */
  isMany: boolean;
  /** Whether these rows belong to the row, and are written whole. */
  isOwned?: boolean;
  /** The resource of these rows, as it is declared. */
  owns?(resource: Payload): Resource;
  /** Their relation to the row, and the column with their rank. */
  by?: string;
  order?: string | undefined;
  /** Whether these rows are in an order of their own. */
  isOrdered: boolean;
  /** The table of links that has it, perhaps with a schema: `music.track_tag`. Without it, a column has. */
  through?: string;
  /** Where its pairs are: each has the identifier of a row of this resource, which of a relation to one row are its key,
   * and that of a row it refers to. */
  pairs(resource: Resource, column: string): Omit<Pairs, "from"> & Partial<Pick<Pairs, "from">>;
  /** SQL that tells of a row whether it refers to one of these; a column tells it of a relation to one row. */
  among?(resource: Resource, row: Sql, values: Sql): Among;
  /** The stages of a write to rows that it adds, after those rows themselves. */
  stages?(level: Level, field: string): Stages;
  /** SQL for the bytes of what it shows of a row. */
  bytes(of: BytesOf): Sql;
  /** Whether some rows of the target are no candidates. */
  isNarrowed: boolean;
  /** A query for the rows that a relation of this resource may refer to: the `id`, and the `text` that
   * people know the row by. */
  candidates(resource: Payload): Sql;
}

/** What relations add to a write of rows: the stages after rows that are new, after rows that may have been there, and
 * after rows that went. */
export type Stages = Record<"create" | "replace" | "remove", Sql> & {
  /** The stages before the write that lock what belongs to rows. */
  hold?: Sql;
};

/** Rows of a resource within a statement that writes them. */
export interface Level {
  resource: Resource;
  /** What the names of its stages end with. */
  suffix: string;
  /** The stage with the rows that are left, and what was sent for each relation that no column has. */
  linked: Sql;
  /** The stage with the identifiers of the rows that were there, under a lock. */
  held: Sql;
  /** The stage with the identifiers of the rows that go. */
  deleted: Sql;
  /** The JSON of what is sent for the only row, if only that tells what is to be written. */
  sent?: Sql | undefined;
  /** The stages that relations add to the write of another level. */
  stagesOf(level: Omit<Level, "stagesOf">, which: keyof Stages): Sql;
}

/** Whether a row refers to some rows, and how it is found by them. */
export interface Among {
  exists: Sql;
  /** A join to what refers to them, with the column that does, a condition on it, and the identifier of the row. */
  join: Sql;
  column: Sql;
  condition: Sql;
  id: Sql;
}

export interface BytesOf {
  resource: Resource;
  row: Sql;
  column: Sql;
  /** A name for a row that it refers to, and SQL for the bytes of that. */
  other: Sql;
  bytes: Sql;
}

/** The table that has the pairs of a relation, and its columns. */
export interface Pairs {
  table: string;
  /** The identifier of the row that has the field. */
  from: string;
  /** That of the row it refers to. */
  to: string;
  /** The position of that row, if these are in an order of their own. */
  order?: string | undefined;
}

/** What a file in `resources/` declares, besides the name. */
export interface Declaration {
  /** What people call all of its rows, if that is not its path. */
  label?: string;
  /** What it is, for people who read the document. */
  description?: string;
  /** Its table or view, perhaps with a schema: `music.tracks`. By default it has the name of the resource. */
  table?: string;
  /** The text field that people know a row by. Lists filter, search and sort by it. */
  display?: string;
  /** What lists filter by, besides the display field and the relations: fields, or paths through relations
   * to one row, such as `album__artist`. */
  filter?: string[];
  /** What lists sort by, besides the identifier and the display field: fields or such paths. */
  sort?: string[];
  /** Who may do what to which rows; without it, everybody as far as the scope of a token goes. */
  access?: Rules;
  fields: Record<string, Field>;
  /** The fields that together identify a row, if none is declared as its identifier. */
  keys?: string[];
  /** Whether what requests do to its rows is kept, and can be followed. */
  history?: boolean;
  routes: Record<string, Verb[]>;
  /** Whether it has neither a path nor routes: then another one owns its rows. */
  isPart?: boolean;
}

/** A field that a claim fills. */
export type Claimed = Column & { write: Write & { default: Claim } };

/** A declaration, and what is derived from it. */
export interface Resource extends Declaration {
  /** The name of the resource, and of its rows in every statement. */
  name: string;
  table: string;
  /** The name in the schemas and operations of the document: `InvoiceLine`. */
  title: string;
  /** The field that identifies a row, if one does; within its owner, always one. */
  key: string;
  /** All that identify it. */
  keys: string[];
  /** What their values are. */
  identifiers: Key;
  /** Whether clients may give those of a row which they create. */
  takesKeys: boolean;
  /** The field that tells when a row was created, where the order of the identifiers does not. */
  creation?: string;
  fields: Record<string, Column>;
  /** The fields that clients may send. */
  writable: Record<string, Column & { write: Write }>;
  /** Those of them that a claim fills where clients leave them out. */
  claimed: Record<string, Claimed>;
  relations: Record<string, Relation>;
  /** The paths of all that a project declares, and of the server: some may be in place of one of its rows. */
  beside: readonly string[];
  /** What the callers may do, if it is the resource as some see it. */
  view?: View;
  /** If it is the resource as rows of it are within the one that owns them: the resource as it is declared, and the
   * columns with the row that owns a row, and with its rank. */
  owned?: { of: Resource; column: string; order: string | undefined };
  /** The resource whose changes its rows are. */
  changesOf?: Resource;
  /** Whether its relations show identifiers, as they are written. */
  isFlat?: boolean;
  schemas: {
    /** The body that creates or replaces a row. */
    write: v.GenericSchema;
    /** The body that changes some fields of a row. */
    patch: v.GenericSchema;
  };
}

/** The fields that clients send together: those of a resource, or the input of an action. Only a resource has a key. */
export type Payload =
  & Pick<Resource, "name" | "fields" | "writable" | "claimed" | "relations" | "schemas">
  & Partial<Pick<Resource, "keys" | "identifiers" | "takesKeys">>
  & { view?: Pick<View, "of"> };

/** A statement of plain SQL that writes, at a path of its own. */
export interface Action {
  name: string;
  /** The name in the schemas and operations of the document: `ApproveJob`. */
  title: string;
  path: string;
  summary: string;
  /** Who may send it; of its rights, it has `update`. */
  access?: Rules;
  /** All that its SQL takes. */
  input: Payload;
  /** What of that is in the body. */
  body: Payload;
  /** What of that is in the path, in the order there. */
  inPath: string[];
  /** The columns that its SQL returns; without them, nothing is answered. */
  fields?: Record<string, Column>;
  /** Whether its SQL returns one row, and its answer is that. */
  isSingle: boolean;
  /** The tables that its SQL writes. */
  tables: string[];
  /** The SQL, with a slot for each input. */
  statement: Sql;
}

/** Rows that plain SQL gives, at a path of their own. */
export interface Report {
  name: string;
  /** The name in the schemas and operations of the document: `SalesByMonth`. */
  title: string;
  path: string;
  summary: string;
  /** What its SQL takes, by the names of the query parameters. */
  inputs: Record<string, Input>;
  /** Who may ask it. */
  access?: Rules;
  /** What it shows of a row. */
  fields: Record<string, Column>;
  /** The SQL of its rows, with a slot for each input. */
  rows: Sql;
}

/** A parameter of a report that a request may leave out. */
export interface Optional {
  optional: Field;
}

/** A query parameter of a report. */
export interface Input {
  field: Field;
  parameter: Parameter;
  isRequired: boolean;
  /** What its slot gets if the request leaves it out. */
  default: Value;
}

type Method = keyof typeof scopeOf;

/** A request that has been routed and checked: what a verb gets. */
export interface Call {
  /** What the path has in place of the braces, the first if there are several; "" if it has none. */
  parameter: string;
  /** What that identifies: a row, if the path is that of one. */
  identifier: Identifier;
  /** What the path of an action or a page has in place of the braces, by the names there; of an action, parsed. */
  path: Query;
  /** The query parameters, parsed by the schemas of the verb. */
  query: Query;
  /** The headers that the verb uses, as far as they were sent, parsed by the schemas of the verb. */
  headers: HeaderValues;
  /** The parsed JSON body; undefined if the verb takes none. */
  body: unknown;
  /** The body as it was sent; empty if the verb takes none. */
  bytes: Uint8Array;
  /** Who sends it. */
  caller: Caller;
  /** Whether the request would still be allowed, for an answer that goes on. */
  isAllowed(): Promise<boolean>;
}

export type Query = Record<string, Value>;

export type HeaderValues = Record<string, string[]>;

/** What a verb returns; `http/response.ts` turns it into a response. */
export type Answer =
  | {
    status: 200 | 201;
    body: string;
    /** Without it, the body is JSON. */
    mediaType?: string;
    /** The origin to which a page may send requests, besides this server. */
    connects?: string | undefined;
    /** The body, compressed by gzip, if that is worth it. */
    gzipped?: Uint8Array<ArrayBuffer>;
    location?: string;
    /** The row that was created. */
    row?: Identifier;
    next?: string | null;
    /** The entity tag (RFC 9110, section 8.8.3), without its quotes. */
    tag?: string;
    /** Whether caches may keep it for good, because its address has its tag. */
    isLasting?: boolean;
  }
  /** Bytes that go on to come. */
  | { status: 200; stream: ReadableStream<Uint8Array<ArrayBuffer>>; mediaType: string }
  | { status: 303; location: string }
  | { status: 204 };

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Parses a query parameter. The message of an issue says what to send. */
export type Parameter = v.GenericSchema<string, Value>;

/** Parses a header into its list. The message of an issue says what to send. */
export type Header = v.GenericSchema<string, string[]>;

/** How people sign in on the page. */
export interface SignIn {
  /** What `iss` is in the answers of the issuer. */
  issuer: string;
  /** Where people sign in, where the page gets their token, and where they sign out, if there is such a place. */
  authorization: string;
  token: string;
  end: string | undefined;
  /** The parameters of the authorization request that the operator gives, as a query. */
  parameters: string;
}

/** The parts of the server that verbs and pages use. */
export interface Service extends Access {
  database: Database;
  /** That rows were created, here or by another process. */
  news: News;
  resources: Resource[];
  /** Tells why requests would fail, if they would; rejects if the database is away. */
  whyUnready(): Promise<string | undefined>;
  reports: Report[];
  actions: Action[];
  /** The claims that declarations use, by name or JSON pointer: access keeps these of a token. */
  claims: readonly string[];
  /** The name of the API, if it has one of its own. */
  title?: string;
  /** The address that clients use, without a final slash; undefined if it is not known. */
  baseUrl: string | undefined;
  /** The path of that address, with which every link begins. */
  prefix: string;
  /** The origins whose scripts may send requests. */
  corsOrigins: readonly string[];
  /** The hours that an Idempotency-Key is kept, at least. */
  idempotencyHours: number;
  /** The days that the changes of rows are kept, at least. */
  historyDays: number;
  /** Aborts when the process is about to end. */
  ending: AbortSignal;
  metrics: Metrics;
  /** Tells how people sign in on the page, where they can. */
  signIn?: (() => SignIn | undefined) | undefined;
}

/** A verb of a resource, as the document describes it. */
export interface Operation {
  /** A unique name, which generated clients use: `createFoo`. */
  id: string;
  summary: string;
  /** The schema of the body. */
  body?: "write" | "replace" | "patch" | "batch";
  /** Its successful answer. */
  answer: {
    status: 200 | 201 | 204;
    holds: "object" | "batch" | "list" | "choices" | "stream" | "changes" | "nothing";
  };
  /** The resource of the rows that it holds, if it is another one. */
  of?: Resource;
  /** Whether it answers 201 in place of 200 where it created what it holds. */
  mayCreate?: boolean;
  /** The relation, if it lists candidates. */
  candidatesOf?: string;
  /** The problems of this verb, besides those that any request can meet. */
  problems: ProblemCode[];
}

/** What a verb may do to rows. */
export type RowWrite = "insert" | "update" | "delete";

export interface Verb {
  name:
    | "list"
    | "create"
    | "batch"
    | "read"
    | "last"
    | "replace"
    | "patch"
    | "delete"
    | "choices"
    | "follow"
    | "changes"
    | "followChanges";
  method: Method;
  /** Whether its path has the identifier of a row. */
  isOfOneRow?: boolean;
  /** What it does to rows, besides reading. */
  writes?: RowWrite;
  /** The media types of its answers; without them, JSON. */
  mediaTypes?: readonly string[];
  /** Whether its answers are compressed by gzip for clients that accept it. */
  packed?: boolean;
  deprecation?: Deprecation;
  operation(resource: Resource): Operation;
  /** The media types of the body; without them, it takes no body. */
  accepts?: readonly string[];
  /** Its query parameters; every other one is refused. */
  query?(resource: Resource): Record<string, Parameter>;
  /** The request headers that it uses, besides those that every request may have. */
  headers?: Record<string, Header>;
  /** The statements that it runs. A list has many forms: one for each sort and each filter is here. */
  statements(resource: Resource): Statement[];
  /** Called once; returns the handler of all requests. */
  prepare(resource: Resource, path: string, service: Service): Handler;
}

/** Something that the server says about itself at a path. It answers GET and ignores the query. */
export interface Page {
  /** A unique name among the operations of the document. Those of resources do not begin with "get". */
  id: string;
  summary: string;
  /** The schema of its body. */
  holds: v.GenericSchema;
  /** The media types of its answers; without them, JSON. */
  mediaTypes?: readonly string[];
  /** Whether its answers are compressed by gzip for clients that accept it. */
  packed?: boolean;
  /** Whether caches may keep its answers for good, where its path has their tag. */
  mayLast?: boolean;
  /** The page for clients that prefer another media type. */
  redirect?: { mediaType: string; path: string };
  /** The request headers that it uses, besides those that every request may have. */
  headers?: Record<string, Header>;
  /** The scope that a token needs; without it, the page is open to everyone. */
  scope?: Scope;
  /** Whether it tells what a token allows, if one is sent and tokens are needed at all. */
  tellsCaller?: boolean;
  /** An example for the part of the path in braces, for the document; with a slash between, if there are several. */
  example?: string;
  /** All its answers, by the part of the path in braces, if they are known. */
  answers?: Record<string, unknown>;
  /** Called once; returns the handler of all requests. */
  prepare(service: Service): Handler;
}
