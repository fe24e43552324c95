// The vocabulary of a project, for editors and for `tsc`. It imports nothing: what a word makes is opaque.

// Resources

/** Declares a resource: the rows of a table as JSON, with routes to read and write them. Each file in
 * `resources/` has one as its default export.
 *
 * ```ts
 * export default resource("track", {
 *   path: "/api/tracks/",
 *   display: "name",
 *   fields: {
 *     id: identifier(),
 *     name: text({ maximum: 200 }),
 *     album: relation(album),
 *   },
 * });
 * ```
 *
 * @param name Its name, and that of its table: `invoice_line`. */
export function resource(name: string, options: ResourceOptions): Resource;

/** A resource has a `path`, with which it gets the usual routes, or `routes`; it needs neither if another one owns its
 * rows. */
export type ResourceOptions =
  & DeclarationOptions
  & ({
    /** The path of its list, `/api/tracks/`. Under it are `batch/` to create many rows at once, `{id}/` for one row, with
     * a `key` such as `{user},{team}/`, and `choices/<field>/` for the candidates of each relation. */
    path: string;
    /** Whether its rows are records, which are never changed: created and read, the newest at `last/`, and
     * followed, for which `follow` names what the table needs. */
    record?: boolean;
    routes?: never;
  } | {
    /** The verbs at each path: `{ "/api/tracks/": [list(), create], "/api/tracks/{id}/": [read] }`. */
    routes: Record<string, Verb[]>;
    path?: never;
    record?: never;
  } | {
    path?: never;
    record?: never;
    routes?: never;
  });

export interface DeclarationOptions {
  /** What people call all of its rows on the page: `"Invoice lines"`. By default the last word of its path. */
  label?: string;
  /** What it is, for people who read the document. */
  description?: string;
  /** The text field that people know a row by. Lists filter, search and sort by it. */
  display?: string;
  /** The table, if its name is another; perhaps with its schema: `music.tracks`. It may be a view. */
  table?: string;
  /** Who may do what to which rows: an entry, several of which one is enough, or entries for each right. If one
   * resource, report or action of a project has it, each needs it; what no entry lets a caller do, only a service may,
   * which is who has a token without claims. */
  access?: Access;
  /** Its fields by their names, one of them the identifier, if it has no `key`. */
  fields: Record<string, Field>;
  /** In place of an identifier, the fields that together identify a row, in the order of the index that keeps two rows
   * from the same: relations to one row, texts, UUIDs, integers, dates, choices, never null. One is enough:
   * `key: ["user"]`, a relation, is at most one row for each. Clients give them on create. */
  key?: string[];
  /** Whether what requests do to its rows is kept, with who did it and what the row was before. At `{id}/changes/` it is
   * listed, for whom `access` lets by `history`; at `changes/` it is followed by who may read the rows. */
  history?: boolean;
  /** What lists filter by, besides the display field and the relations: fields, or paths through relations
   * to one row, such as `album__artist`. */
  filter?: string[];
  /** What lists sort by, besides the identifier and the display field: fields or such paths. */
  sort?: string[];
}

// Fields: what each holds

/** The identifier of a row, by default an integer that the database gives. Its column is `id`, unless it has another;
 * it has to be unique, and never null. */
export function identifier(options?: IdentifierOptions): Field;

export interface IdentifierOptions extends ReadOptions<number | string> {
  /** What identifiers are: integers, UUIDs or texts. A client may send a UUID, or else the server makes one (of
   * version 7); it has to send a text. */
  type?: "integer" | "uuid" | "text";
  /** Whether the database gives them, which are integers; without that, clients send them. */
  generated?: boolean;
  /** That what a client does not send is the default of the column: of a UUID or a text. */
  default?: "database";
  /** The most characters of a text. */
  maximum?: number;
  /** A regular expression for texts. It needs an `example`. */
  pattern?: string;
}

/** Text, stored as it was sent, neither trimmed nor normalised. Column: `text`. */
export function text(options?: TextOptions): Field;

export interface TextOptions extends WriteOptions<string> {
  /** The fewest characters, counted as Unicode code points. */
  minimum?: number;
  /** The most characters. */
  maximum?: number;
  /** A regular expression, found anywhere in the text unless it has anchors. It needs an `example`. */
  pattern?: string;
}

/** One of a few strings: `choice(["draft", "final"])`. Column: `text` with a check, or an enum. */
export function choice(choices: string[], options?: WriteOptions<string>): Field;

/** A number without a fraction, within ±(2^53 − 1). Column: `bigint`, or a smaller one. */
export function integer(options?: NumberOptions): Field;

/** A number, read back as the same double. Column: `double precision`. */
export function number(options?: NumberOptions): Field;

export interface NumberOptions extends WriteOptions<number> {
  /** The least value. */
  minimum?: number;
  /** The greatest value. */
  maximum?: number;
  /** What it is an amount of, for people: `"ms"`. */
  unit?: string;
}

/** A decimal number, such as an amount of money: a string, `"12.50"`, because JSON readers take numbers as
 * doubles. Column: `numeric(digits, places)`; without these, `numeric`, which keeps the digits that are sent, up to
 * 1,000. */
export function decimal(options?: DecimalOptions): Field;

export type DecimalOptions =
  & WriteOptions<string>
  & {
    /** What it is an amount of, for people: `"EUR"`. */
    unit?: string;
  }
  & ({
    /** The digits of the greatest value, with those after the point. */
    digits: number;
    /** The digits after the point. A value with more of them is refused, not rounded. */
    places: number;
  } | {
    digits?: never;
    places?: never;
  });

/** True or false. Column: `boolean`. */
export function boolean(options?: WriteOptions<boolean>): Field;

/** A day of the calendar, `"2026-11-21"`, from year 1 to 9999. Column: `date`. */
export function date(options?: WriteOptions<string>): Field;

/** A time of the day, `"09:30:00"`, with up to six decimals, up to `"24:00:00"`. Column: `time`. */
export function time(options?: WriteOptions<string>): Field;

/** A moment: written with any offset and up to six decimals, read in UTC, `"2026-11-21T09:30:00.000Z"`, with six
 * decimals if it has microseconds. Column: `timestamptz`, or `timestamp`, which counts as UTC. */
export function timestamp(options?: WriteOptions<string>): Field;

/** A uuid of any version, taken in any case and read in lower case. Column: `uuid`. */
export function uuid(options?: WriteOptions<string>): Field;

/** Bytes: a string, in base64 with its padding (RFC 4648, section 4). Column: `bytea`. */
export function bytes(options?: BytesOptions): Field;

export interface BytesOptions extends WriteOptions<string> {
  /** The most bytes. */
  maximum?: number;
}

/** A value of any other type: a string, the text that Postgres gives it. What the type does not take is refused.
 *
 * @param type The type as Postgres writes it: `"inet"`, `"bit varying(5)"`, `"music.key[]"`. */
export function pgType(type: string, options?: WriteOptions<string>): Field;

/** Any JSON but null. A PATCH is a merge patch within its objects, too: members that are null go, the others stay
 * (RFC 7396); a PUT replaces all of it. Lists filter by what it contains. Column: `jsonb`, or `json`. */
export function json(options?: JsonOptions): Field;

export interface JsonOptions extends WriteOptions<unknown> {
  /** Whether only objects are taken, or only arrays. */
  only?: "object" | "array";
  /** The most bytes of its text, as Postgres writes a `jsonb`; by default 100,000. */
  maximum?: number;
}

/** An array of what another kind takes: `array(text({ maximum: 40 }))`. Null is no element. Lists filter by what it
 * contains. Column: an array of the type of that kind, `text[]`, in one dimension. */
export function array(element: Field, options?: ArrayOptions): Field;

export interface ArrayOptions extends WriteOptions<unknown[]> {
  /** The fewest elements. */
  minimum?: number;
  /** The most elements; by default 1,000. */
  maximum?: number;
}

/** When the database created the row, `"2026-11-21 09:30:00"` in UTC; never written. Column: `timestamptz`
 * with a default. */
export function created(options?: ReadOptions<string>): Field;

// Fields: relations

/** A relation to one row: written as an identifier, and read, in the same field, as the object. Column: a
 * foreign key, `<field>_id`. A unique constraint on it makes the relation one-to-one.
 *
 * @param target A resource, `() => other` where two refer to each other, or `"self"`. Of two that do, the type
 * of each has to be written: `const other: Resource = resource(…)`. */
export function relation(
  target: Resource | (() => Resource) | "self",
  options?: RelationOptions,
): Field;

export interface RelationOptions extends CandidateOptions, FieldOptions {
  /** The identifier that a POST or PUT without the field stores, or a claim or SQL that gives it, as in other fields;
   * without a default, it is required. */
  default?: number | string | Claim | DefaultSql;
}

/** A relation to any number of rows: written as an array of identifiers, and read as the array of objects.
 * It has no column: a table has its links. What is sent replaces all of them.
 *
 * @param target Another resource, or `() => other`. */
export function many(target: Resource | "self" | (() => Resource), options: ManyOptions): Field;

export interface ManyOptions extends CandidateOptions, DescriptionOptions {
  /** The table of the links, perhaps with its schema. It needs no key, and may have one of its own. */
  through: string;
  /** Its foreign key to the row that has the field; by default `<resource>_id`. */
  from?: string;
  /** Its foreign key to the row that is linked; by default `<target>_id`. */
  to?: string;
  /** The column with the rank of a link, from 1. Without it, links are in the order of identifiers. */
  order?: string;
}

/** Rows that belong to one row: written as an array of objects, whole, and read in the same field. What is sent replaces
 * all of them: one with the identifier of a row that is there replaces it, one without is created, and the others are
 * deleted. Where the other resource has a `key`, the rest of that is the identifier, and always sent. It has no column:
 * the table of the other resource has a foreign key to this one.
 *
 * ```ts
 * lines: owned(() => line, { parent: "invoice", order: "place" })
 * ```
 *
 * @param target Another resource, or `() => other`. It needs no path of its own. */
export function owned(target: Resource | (() => Resource), options: OwnedOptions): Field;

export interface OwnedOptions extends DescriptionOptions {
  /** The field of the other resource that is the relation to this one. */
  parent: string;
  /** The column with the rank of a row, from 1. Without it, the rows are in the order of identifiers. */
  order?: string;
}

export interface CandidateOptions {
  /** Whether an answer holds the object or the identifier; by default the object. */
  read?: "object" | "identifier";
  /** A condition that narrows the candidates, for writes and choices alike: ``(sql) => sql`genre.active` ``.
   * Without it, every row of the target is one. */
  where?: (sql: SqlTag) => Sql;
}

// Fields: what is true of any of them

/** A field that may also be null. If a POST or PUT leaves it out, its default is stored, else null. */
export function nullable(field: Field): Field;

/** A field that is read and never written: a generated column, a default or a trigger fills it, or, with
 * `default: claim("sub")`, what the token of its sender says. */
export function readonly(field: Field): Field;

/** A field or a verb that works as before, and will go. The document and headers say so. */
export function deprecated<What extends Field | Verb>(
  what: What,
  options: DeprecationOptions,
): What;

export interface DeprecationOptions {
  /** The day on which it was deprecated, in UTC: `2026-11-21`. */
  since: string;
  /** The day from which it may be missing. */
  sunset?: string;
  /** The address of a text that says what to use instead. */
  link?: string;
}

export interface DescriptionOptions {
  /** What people call it on the page: `"Unit price"`. By default its name. */
  label?: string;
  /** What the field is, for people who read the document. */
  description?: string;
}

export interface FieldOptions extends DescriptionOptions {
  /** The column, if its name is not that of the field. */
  column?: string;
}

export interface ReadOptions<Value> extends FieldOptions {
  /** An example for the document. */
  example?: Value;
}

export interface WriteOptions<Value> extends ReadOptions<Value> {
  /** What a POST or PUT without the field stores; without a default, the field is required. SQL is evaluated for
   * each row that is created, and a PUT keeps what is stored: ``(sql) => sql`now()` ``. So does a claim of the
   * sender, `claim("sub")`; without the claim, the field is required. */
  default?: Value | Claim | DefaultSql;
}

/** Gives the SQL of a default, which has no subquery. */
export type DefaultSql = (sql: SqlTag) => Sql;

// Reports

/** Declares a report: the rows of a query as JSON, `{ "items": […] }`, at most 1,000. It only reads.
 *
 * ```ts
 * export default report("sales", {
 *   path: "/api/reports/sales/",
 *   summary: "What was sold in each month",
 *   parameters: { from: optional(date()) },
 *   fields: { month: date(), total: decimal({ digits: 12, places: 2 }) },
 *   rows: (sql, { from }) => sql`
 *     select date_trunc('month', day) as month, sum(price) as total
 *     from sale
 *     where ${from} is null or day >= ${from}
 *     group by 1
 *     order by 1`,
 * });
 * ```
 *
 * @param name Its name: `sales_by_month`. */
export function report<Given extends Record<string, Field | Optional> = Record<string, never>>(
  name: string,
  options: ReportOptions<Given>,
): Report;

export interface ReportOptions<Given> {
  /** Where it answers GET. */
  path: string;
  /** What it tells, for people who read the document. */
  summary: string;
  /** Who may ask for it: entries without rows, because its SQL alone decides about those. */
  access?: Access;
  /** The query parameters that its SQL takes: fields, or optional ones. */
  parameters?: Given;
  /** The columns of its rows, by their names. One that may be null is nullable. */
  fields: Record<string, Field>;
  /** Gives the SQL, with a placeholder for each parameter, which is null if the request leaves it out. It is
   * called when the server starts, so it cannot ask whether a parameter is there; the SQL can. `claim` gives a
   * placeholder for a claim of the caller, as in `access`. */
  rows: (sql: SqlTag, placeholders: Record<keyof Given, Sql>, claim: ClaimSql) => Sql;
}

/** A parameter that a request may leave out. */
export function optional(field: Field): Optional;

// Actions

/** Declares an action: SQL that writes, behind POST. All of it is one transaction: if anything is refused, nothing
 * stays.
 *
 * ```ts
 * export default action("approve", {
 *   path: "/api/jobs/{job}/approve/",
 *   summary: "Approve a job",
 *   input: { job: relation(job), note: nullable(text()) },
 *   tables: ["job"],
 *   statement: (sql, { job, note }, claim) => sql`
 *     update job
 *     set approved_by = ${claim("sub")}, note = ${note}
 *     where id = ${job}`,
 * });
 * ```
 *
 * @param name Its name: `approve`. */
export function action<Given extends Record<string, Field> = Record<string, never>>(
  name: string,
  options: ActionOptions<Given>,
): Action;

export interface ActionOptions<Given> {
  /** Where it answers POST. A name in braces is one of its input, which is taken from there. */
  path: string;
  /** What it does, for people who read the document. */
  summary: string;
  /** Who may send it: entries without rows, because its SQL alone decides about those. */
  access?: Access;
  /** What it takes: fields of any kind that clients send, and relations to one row. What is not in the path is in the
   * body. */
  input?: Given;
  /** The columns that its SQL returns, by their names. Without them, it answers 204. */
  fields?: Record<string, Field>;
  /** Whether its SQL returns one row, and the answer is that; no row is 404, and nothing stays. */
  single?: boolean;
  /** The tables that its SQL writes, for `relata migrate grants`. */
  tables?: string[];
  /** Gives the SQL, which is one statement, perhaps of several by `with`. It has a placeholder for each input, of a
   * relation the identifier, which is null if the input is. It is called when the server starts, so it cannot ask
   * whether an input is there; the SQL can. `claim` gives a placeholder for a claim of the caller. */
  statement: (sql: SqlTag, placeholders: Record<keyof Given, Sql>, claim: ClaimSql) => Sql;
}

// Access: who may do what to which rows

/** Every request, with a token or without.
 *
 * @param rows The rows that it is about; without them, all: `anyone({ state: "published" })`. */
export function anyone(rows?: AccessRows): Entry;

/** Every request with a token that stands for somebody.
 *
 * ```ts
 * access: authenticated({ owner: claim("sub") })
 * ```
 *
 * @param rows The rows that it is about; without them, all. */
export function authenticated(rows?: AccessRows): Entry;

/** Those among them whose token has a role: `role("admin")`.
 *
 * @param rows The rows that it is about; without them, all. */
export function role(name: string, rows?: AccessRows): Entry;

/** Who may read the row that a relation refers to reads; who may update it creates, updates and deletes:
 * `inherit("invoice")` of the lines of an invoice.
 *
 * @param field The field of a relation to one row. */
export function inherit(field: string): Entry;

/** A claim of the caller, which is what its token says: what a field must have, or what fills it. A claim that is a
 * list has each of its values; one that is missing, or that the field cannot have, equals nothing.
 *
 * @param name Its name, `sub`, or a JSON pointer, `/realm_access/roles`. */
export function claim(name: string): Claim;

/** Entries for all that is done to rows, or for each right. Entries add up. */
export type Access = Entry | readonly Entry[] | AccessByRight;

export interface AccessByRight {
  /** Who reads which rows. */
  read?: Entry | readonly Entry[];
  /** Who creates, updates and deletes which, where those three say nothing else. */
  write?: Entry | readonly Entry[];
  /** Who creates which. */
  create?: Entry | readonly Entry[];
  /** Who updates which, by PUT or PATCH; also what an update makes of them has to be one of these. */
  update?: Entry | readonly Entry[];
  /** Who deletes which. */
  delete?: Entry | readonly Entry[];
  /** Who reads what became of rows, of all of them: entries without rows. */
  history?: Entry | readonly Entry[];
}

/** Some rows: fields, or paths through relations to one row such as `project__owner`, with what each must have; or
 * SQL about a row that has the name of the resource, which is called when the server starts:
 * ``(sql, claim) => sql`note.level <= ${claim("level", integer())}` ``. */
export type AccessRows =
  | Record<string, string | number | boolean | null | Claim>
  | ((sql: SqlTag, claim: ClaimSql) => Sql);

/** A placeholder for a claim: a text, or what a kind of field holds; with the kind in brackets, an array of the values
 * of a list. What is missing, or is not of the kind, is null. */
export type ClaimSql = (name: string, kind?: Field | [Field]) => Sql;

// Verbs: what a route does

/** GET: a page of rows, filtered and sorted as the request says. */
export function list(options?: ListOptions): Verb;

export interface ListOptions {
  /** The order of requests that name none, one that lists have; `-id` has the last identifiers first. By default
   * `id`. */
  sort?: string;
}

/** GET: the candidates of a relation, as a map from the identifier to a text that people know it by.
 *
 * @param field The name of the relation's field. */
export function choices(field: string): Verb;

/** GET at `{id}`: one row. */
export const read: Verb;

/** GET: the newest row. */
export const last: Verb;

/** GET with `Accept: text/event-stream`: the records as they are created, as server-sent events. It may stand
 * beside `list()`. Its table has an order in which nothing is put before what was sent:
 *
 * ```sql
 * alter table sale
 *   add column relata_epoch bigint not null default relata_epoch(),
 *   add column relata_transaction xid8 not null default pg_current_xact_id();
 *
 * create index on sale (relata_epoch, relata_transaction, id);
 * ``` */
export const follow: Verb;

/** Lists what became of one row, of a resource with a history: `{id}/changes/`. */
export const changes: Verb;

/** Follows what becomes of rows, of a resource with a history, for who accepts `text/event-stream`: `changes/`. */
export const followChanges: Verb;

/** POST: creates one row. */
export const create: Verb;

/** POST: creates many rows, all or none. */
export const createBatch: Verb;

/** PUT at `{id}`: replaces the whole row; never creates one. */
export const replace: Verb;

/** PATCH at `{id}`: changes the fields that are sent, and keeps the others. */
export const merge: Verb;

/** DELETE at `{id}`: deletes the row, unless others refer to it. */
export const remove: Verb;

// What the words make and take

/** A resource, which relations refer to. */
export interface Resource {
  readonly name: string;
  readonly title: string;
}

/** A report, as its file exports it. */
export interface Report {
  readonly name: string;
  readonly summary: string;
}

/** An action, as its file exports it. */
export interface Action {
  readonly name: string;
  readonly summary: string;
}

/** Whom something is allowed, and for which rows. */
export interface Entry {
  readonly who: string;
}

/** What a token says of the caller. */
export interface Claim {
  readonly claim: string;
}

/** A parameter that may be left out. */
export interface Optional {
  readonly optional: Field;
}

/** A field of any kind. */
export interface Field {
  readonly kind: string;
}

/** A verb of the API. */
export interface Verb {
  readonly name: string;
  readonly method: string;
}

/** A piece of SQL. */
export interface Sql {
  readonly texts: readonly string[];
}

/** Makes a piece of SQL: a value in it is a constant, another piece is SQL. */
export type SqlTag = (
  strings: TemplateStringsArray,
  ...values: (Sql | string | number | boolean | null)[]
) => Sql;
