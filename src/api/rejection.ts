// Why the database refused a row: turns the error of a write into the problem that the client gets. Nothing
// has to be declared: the error names the constraint, and the catalogue knows its columns and comment.
import type { Database } from "../db/database.ts";
import {
  isContentError,
  isFromFunctionOrPolicy,
  isRaised,
  type PostgresError,
  sqlState,
} from "../db/errors.ts";
import { type FieldCode, type FieldFailure, invalid, Problem } from "../errors/problem.ts";
import { type Identifier, splitIdentifier } from "../model/key.ts";
import { linksOf } from "../model/links.ts";
import type { Action, Call, Payload, Resource, Service } from "../model/model.ts";
import { pointerTo } from "../model/pointer.ts";
import { ownedBy, pathOf } from "../model/resource.ts";
import { keyColumnsOf } from "../model/table.ts";
import { type Constraint, constraintStatement, probeStatement } from "../statements/constraint.ts";
import { refusalIn } from "../statements/refusal.ts";
import { failureAt, refusedFields } from "./failures.ts";
import type { Row } from "./shape.ts";

/** The codes for the SQLSTATEs that a row, or a trigger at work on it, can cause. Class 54 has values too
 * long for an index; 2200H is a sequence at its end, which is about no row. */
const codes: [pattern: RegExp, code: FieldCode][] = [
  [/^(23505|23P01)$/, "taken"],
  [/^(?!2200H)(09|21|22|23|27|2F|38|39|44|54|P0)/, "rejected"],
];

interface FailedWrite {
  /** What was to be written; a delete has none. */
  row?: Row;
  /** The body that it comes from. */
  body?: unknown;
  /** The identifier of a row that was there; nothing can refer to a new one. */
  identifier?: Identifier;
  /** Turns the failure of a row into that of the body that it is in. */
  inBody?(failure: FieldFailure): FieldFailure;
}

/** Makes the function that gets the error of a write, and throws the problem that it means, or the error if
 * it is not about the row. */
export function problemThrower(
  resource: Resource,
  { database, resources, prefix }: Service,
): (error: unknown, write: FailedWrite) => Promise<never> {
  const probe = probeStatement(resource);
  // Of others, the caller hears nothing
  const known = resources.filter((each) =>
    resource.view === undefined || resource.view.of(each).view!.rule("read").of !== "none"
  );

  /** The to-many whose links are in a table, which has these names. */
  function linksIn(names: (string | null)[]): string[] {
    const all = linksOf(resource).filter(({ table }) => names.includes(table));
    const links = all.find(({ isWritable }) => isWritable) ?? all[0];
    return links ? [links.field] : [];
  }

  /** The field of a value that does not fit the type of its column: the error does not name it. */
  async function misfit({ code }: PostgresError, row: Row): Promise<string[]> {
    const fails = (values: Row) =>
      database.run(probe, { row: JSON.stringify(values) })
        .then(() => false, (found) => sqlState(found) === code);
    if (await fails({})) return []; // because of another column
    for (const column in row) {
      if (await fails({ [column]: row[column]! })) return fieldsOf(resource, [column]);
    }
    return [];
  }

  /** The problem of a row to which others refer, or to one that a foreign key deletes with it. Their lists are told
   * if they have any. Other tables are nobody's business. */
  function stillReferenced(
    error: PostgresError,
    found: Constraint,
    identifier: Identifier,
  ): Problem {
    const [from, to] = [found.tableNames ?? [], found.targetNames ?? []];
    // Of a tree, it may be one further down; in every language the error has its key
    const [, column, key] = /\((.*?)\)=\((.*)\)/.exec(error.detail ?? "") ?? [];
    const isKey = column === keyColumnsOf(resource).join(", ");
    const isItself = to.includes(resource.table) &&
      (!isKey ||
        plain(key) === plain(splitIdentifier(resource.identifiers, identifier).join(", ")));
    const lists = known.flatMap((each) => {
      const fields = Object.entries(each.relations).filter(([field, relation]) => {
        const { table, to } = relation.pairs(each, each.fields[field]!.column);
        return from.includes(table) && found.columns.includes(to);
      });
      if (fields.length === 0 && !from.includes(each.table)) return [];
      const queries = fields.map(([field]) =>
        `?${encodeURIComponent(field)}=${encodeURIComponent(identifier)}`
      );
      return [{ name: each.name, path: pathOf(each, "list"), queries: isItself ? queries : [""] }];
    });
    const rows = lists[0] ? `Rows of ${lists[0].name}` : "Other rows";
    const target = known.find(({ table }) => to.includes(table));
    const those = target ? `rows of ${target.name}, which` : "rows that";
    const what = `${isItself ? "" : `${those} would go with `}this ${resource.name}`;
    const detail = authorWords(error) || `${rows} still refer to ${what}`;
    const references = lists.flatMap(({ name, path, queries }) =>
      path === undefined
        ? []
        : queries.map((query) => ({ resource: name, href: prefix + path + query }))
    );
    return new Problem("still_referenced", detail, { references, cause: error });
  }

  function isSent(field: string, row: Row): boolean {
    return row[resource.writable[field]!.column] !== undefined;
  }

  /** The failure of what a foreign key refers to: no row has it. */
  function missing(fields: string[], row: Row, found: Constraint): FieldFailure {
    const [field = "", ...others] = fields;
    if (others.length === 0 && resource.relations[field]) {
      const value = row[resource.writable[field]!.column];
      return failureAt([field], "does_not_exist", resource, { [field]: value });
    }
    const to = found.targetNames ?? [];
    const target = resources.find(({ table }) => to.includes(table))?.name ?? `"${to[1] ?? to[0]}"`;
    const what = others.length === 0 ? "value" : `combination of ${listed(fields)}`;
    return {
      pointer: others.length === 0 ? pointerTo(field) : "",
      code: "does_not_exist",
      detail: found.comment ?? `No ${target} has this ${what}`,
    };
  }

  return async (error, { row, body, identifier, inBody = (failure) => failure }) => {
    const reasons = refusalIn(error);
    if (reasons) throw invalid(refusedFields(resource, reasons, body).map(inBody));
    if (reasons === "") throw invalid([inBody(rejection(resource))]);
    const code = fieldCodeOf(error);
    if (!code) throw error;
    const origin = error as PostgresError;
    const { code: state } = origin;
    const found = await lookUp(database, origin);
    const isOwn = found.tableNames?.includes(resource.table) ?? false;
    const isReference = state === "23503" || state === "23001";
    const isTarget = [resource, ...ownedBy(resource)].some(({ table }) =>
      found.targetNames?.includes(table)
    );
    if (isReference && identifier !== undefined && (!row || (isTarget && !isOwn))) {
      throw stillReferenced(origin, found, identifier);
    }
    const words = authorWords(origin);
    const owned = ownedAt(resource, found.tableNames ?? []);
    if (owned) {
      const fields = fieldsOf(owned.rows, found.columns);
      const detail = words || (found.comment ?? sentence(owned.rows, state, true, fields));
      throw invalid([inBody({ pointer: pointerTo(owned.field), code, detail })], error);
    }
    const fields = isOwn
      ? fieldsOf(resource, found.columns)
      : found.tableNames
      ? linksIn(found.tableNames)
      : /^2[23]/.test(state)
      ? await misfit(origin, row ?? {})
      : [];
    const [field] = fields.length === 1 ? fields : [];
    const isConstraint = words || origin.constraint_name !== undefined;
    if (state === "23514" && !isConstraint && found.columns[0] && fields.length === 0) {
      const detail = "The database has no partition for the row";
      throw new Problem("unavailable", detail, { cause: error });
    }
    if (isReference && isOwn && !words && row && fields.some((field) => isSent(field, row))) {
      throw invalid([inBody(missing(fields, row, found))], error);
    }
    const detail = words || (found.comment ?? sentence(resource, state, isOwn, fields));
    const pointer = field === undefined ? "" : pointerTo(field);
    throw invalid([inBody({ pointer, code, detail })], error);
  };
}

/** Makes the same for an action: what was refused is told at the input of the column. */
export function actionThrower(
  { body: inBody }: Action,
  { database, resources }: Service,
): (error: unknown, call: Pick<Call, "body">) => Promise<never> {
  return async (error, { body }) => {
    const code = error instanceof Problem ? undefined : fieldCodeOf(error);
    if (!code) throw error;
    const origin = error as PostgresError;
    const { code: state } = origin;
    const found = await lookUp(database, origin);
    const names = found.tableNames ?? [];
    const fields = fieldsOf(inBody, found.columns);
    const [field] = fields.length === 1 ? fields : [];
    const words = authorWords(origin) || found.comment;
    // In every language, the error has the key that is missing, or that others still refer to
    const [, key] = /\((.*?)\)=\(/.exec(origin.detail ?? "") ?? [];
    const isMissing = state === "23503" && key === found.columns[0];
    if (field !== undefined && isMissing && inBody.relations[field] && !words) {
      throw invalid([failureAt([field], "does_not_exist", inBody, Object(body))], error);
    }
    const isReferenced = /^(23503|23001)$/.test(state) && !isMissing;
    const name = resources.find(({ table }) => names.includes(table))?.name ?? "row";
    const detail = words ||
      (isReferenced
        ? `Rows of ${name} still refer to this row`
        : sentence({ name }, state, true, fields));
    const pointer = field === undefined || isReferenced ? "" : pointerTo(field);
    throw invalid([{ pointer, code, detail }], error);
  };
}

/** The fields of columns; none, if any has no field. */
function fieldsOf({ writable }: Payload, columns: (string | null)[]): string[] {
  const fields = columns.map((column) =>
    Object.keys(writable).find((field) => writable[field]!.column === column)
  );
  return fields.every((field) => field !== undefined) ? fields : [];
}

/** The rows of a table, or with links in it, that rows of a resource own, and the field in which they do. */
function ownedAt(
  resource: Resource,
  names: (string | null)[],
): { field: string; rows: Resource } | undefined {
  for (const [field, relation] of Object.entries(resource.relations)) {
    if (!relation.isOwned) continue;
    const within = relation.target(resource);
    const rows = [within, ...ownedBy(within)].find((rows) =>
      [rows.table, ...Object.values(rows.relations).map(({ through }) => through)]
        .some((table) => table !== undefined && names.includes(table))
    );
    if (rows) return { field, rows };
  }
}

/** An identifier without what columns of citext and of character(n) leave out of account. */
function plain(identifier: Identifier | undefined): string {
  return String(identifier).trimEnd().toLowerCase();
}

/** What became of a row that the database left out for a reason that no field declares: a trigger or a policy. */
export function rejection({ name }: Resource): FieldFailure {
  return { pointer: "", code: "rejected", detail: `The database rejected this ${name}` };
}

/** The failure of a new row with the key of one that is there. */
export function taken(resource: Resource): FieldFailure {
  const [key, ...others] = resource.keys as [string, ...string[]];
  const pointer = others.length > 0 ? "" : pointerTo(key);
  return { pointer, code: "taken", detail: sentence(resource, "23505", true, resource.keys) };
}

/** What the author of a function says; empty for an error of Postgres itself. */
function authorWords(error: Error): string {
  return isRaised(error) ? error.message : "";
}

/** Whether an error is about a row that the database refused. */
export function isAboutRow(error: unknown): boolean {
  return fieldCodeOf(error) !== undefined;
}

/** The code of what the database refused; undefined for an error that is not about the row. */
function fieldCodeOf(error: unknown): FieldCode | undefined {
  if (!isContentError(error)) return undefined;
  const [, code] = codes.find(([pattern]) => pattern.test(sqlState(error))) ?? [];
  return code ?? (isFromFunctionOrPolicy(error) ? "rejected" : undefined);
}

/** What was refused, in the names of fields. */
function sentence(
  { name }: { name: string },
  state: string,
  own: boolean,
  fields: string[],
): string {
  const those = listed(fields);
  if (state === "23505" && those && !own) return `Another ${name} has one of these ${those}`;
  if (state === "23505" && those) {
    return `Another ${name} has ${fields.length === 1 ? "this" : "the same"} ${those}`;
  }
  if (own && /^(23505|23P01)$/.test(state)) {
    return `Another ${name} is in conflict with this ${those || "one"}`;
  }
  if (fields.length > 1) return `The database rejected this combination of ${those}`;
  return `The database rejected this ${those ? "value" : name}`;
}

function listed(fields: string[]): string {
  return fields.join(", ").replace(/, (?!.*, )/, " and ");
}

async function lookUp(database: Database, error: PostgresError): Promise<Constraint> {
  const [found] = await database.run(constraintStatement, {
    schema: error.schema_name ?? null,
    table: error.table_name ?? null,
    column: error.column_name ?? null,
    domain: error["data type_name"] ?? null,
    constraint: error.constraint_name ?? null,
  });
  return found!;
}
