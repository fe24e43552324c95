// Whether Postgres takes a statement: it finds what the catalogue does not show, such as a mistake in the
// `where` of a relation.
import type { Database } from "../../db/database.ts";
import { isContentError, isFromFunctionOrPolicy } from "../../db/errors.ts";
import { Sql, type Statement, withNulls } from "../../db/sql.ts";
import type { Resource } from "../../model/model.ts";
import type { Standing } from "../../model/access.ts";
import { pathTo } from "../../model/path.ts";
import { writtenTables } from "../../model/resource.ts";
import { seenBy } from "../../model/view.ts";
import { pageStatement } from "../../statements/list.ts";
import { keySort, sortsOf } from "../../statements/sort.ts";
import type { Catalogue } from "../catalogue.ts";
import { levelsOf } from "../levels.ts";
import { fits } from "./columns.ts";
import { fails, type Finding } from "./finding.ts";
import { flat } from "./flat.ts";
import { plainWrites } from "./writes.ts";

/** Has Postgres plan the statements of a resource, also as callers of each standing have them, with relations as identifiers: the objects are told by the
 * statements of their own resources, and to plan all that nest would take minutes. Where the catalogue tells the rest,
 * plain writes find what it does not: rights to single columns, and functions in defaults. */
export async function compareStatements(
  database: Database,
  resource: Resource,
  catalogue: Catalogue,
  standings: Standing[],
): Promise<Finding[]> {
  const statements = [
    ...isTold(resource, catalogue) ? plainWrites(resource) : statementsOf(flat(resource)),
    ...resource.access
      ? standings.flatMap((standing) => statementsOf(seenBy(standing)(flat(resource))))
      : [],
  ];
  return await explainEach(database, `the statements of ${resource.name}`, statements);
}

/** What those who follow need is told by the catalogue. A resource without routes is read within others. */
function statementsOf(resource: Resource): Statement[] {
  const verbs = Object.values(resource.routes).flat();
  if (verbs.length === 0) return [firstPage(resource)];
  return verbs.flatMap((verb) => verb.name === "follow" ? [] : verb.statements(resource));
}

function firstPage(resource: Resource): Statement {
  const sort = sortsOf(resource)[keySort(resource)]!;
  return pageStatement(resource, {
    sort,
    start: undefined,
    filters: [],
    size: 1,
    isCounted: false,
  });
}

/** Whether the catalogue tells that Postgres takes what requests send, of a row and of those that it owns: no SQL of the
 * project or of a view, no policy, and no column of a type that its field does not know. */
function isTold(resource: Resource, catalogue: Catalogue): boolean {
  return levelsOf(resource).every(({ resource }) => isToldAlone(resource, catalogue));
}

function isToldAlone(resource: Resource, catalogue: Catalogue): boolean {
  const { fields, relations, writable, filter = [], sort = [] } = resource;
  const columns = [
    ...Object.values(fields).map((field) => ({ owner: resource, field })),
    ...[...filter, ...sort].map((path) => pathTo(resource, path)),
  ];
  return Object.values(relations).every(({ isNarrowed }) => !isNarrowed) &&
    Object.values(writable).every(({ write }) => !(write.default instanceof Sql)) &&
    writtenTables(resource).map((table) => catalogue.get(table)!).every(
      ({ keepsRows, policies }) => keepsRows && policies === null,
    ) &&
    columns.every(({ owner, field: { column, columnType } }) => {
      const found = catalogue.get(owner.table)!.columns[column];
      return !columnType || (found && fits(columnType, found));
    });
}

/** Finds each reason for which Postgres refuses some of these statements, with one of them. */
export async function explainEach(
  database: Database,
  title: string,
  statements: Statement[],
): Promise<Finding[]> {
  const distinct = [
    ...new Map(statements.map((statement) => [statement.text, statement])).values(),
  ];
  if (!await whyRefused(database, distinct)) return [];
  const reasons = new Map<string, string>();
  for (const statement of distinct) {
    const error = await whyRefused(database, [statement]);
    if (!error || isFromFunctionOrPolicy(error)) continue; // a function that takes no null
    if (!reasons.has(error.message)) reasons.set(error.message, statement.name);
  }
  return [...reasons].map(([reason, name]) => {
    const example = distinct.length > 1 ? `, such as "${name}"` : "";
    return fails(`Postgres refuses ${title}${example}: ${reason}`);
  });
}

/** Asks Postgres to plan statements, all in one question, and gives the error of the first that it refuses. A pooler
 * may give the next question to another session. */
async function whyRefused(database: Database, statements: Statement[]): Promise<Error | undefined> {
  try {
    await database.script(statements.map((each) => `explain ${withNulls(each)}`).join(";\n"));
    return undefined;
  } catch (error) {
    if (isContentError(error)) return error as Error;
    throw error;
  }
}
