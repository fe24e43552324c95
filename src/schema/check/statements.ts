// Whether Postgres takes a statement: it finds what the catalogue does not show, such as a mistake in the
// `where` of a relation.
import type { Database } from "../../db/database.ts";
import { isContentError, isFromFunctionOrPolicy } from "../../db/errors.ts";
import type { Statement } from "../../db/sql.ts";
import type { Resource } from "../../model/model.ts";
import { fails, type Finding } from "./finding.ts";

/** Has Postgres plan every statement of a resource. What those who follow need is told by the catalogue. */
export async function compareStatements(
  database: Database,
  resource: Resource,
): Promise<Finding[]> {
  const statements = Object.values(resource.routes).flat().flatMap((verb) =>
    verb.name === "follow" ? [] : verb.statements(resource)
  );
  return await explainEach(database, `the statements of ${resource.name}`, statements);
}

/** Finds each reason for which Postgres refuses some of these statements, with one of them. */
export async function explainEach(
  database: Database,
  title: string,
  statements: Statement[],
): Promise<Finding[]> {
  const reasons = new Map<string, string>();
  const distinct = new Map(statements.map((statement) => [statement.text, statement]));
  for (const statement of distinct.values()) {
    const { text, name, slots } = statement;
    const nulls = Object.fromEntries(slots.map(({ slot }) => [slot, null]));
    try {
      // One request, because a pooler may give the next one to another session
      await database.run({ ...statement, text: `explain ${text}`, replans: true }, nulls);
    } catch (error) {
      if (isFromFunctionOrPolicy(error)) continue; // a function that takes no null
      if (!isContentError(error)) throw error;
      const { message } = error as Error;
      if (!reasons.has(message)) reasons.set(message, name);
    }
  }
  return [...reasons].map(([reason, name]) => {
    const example = distinct.size > 1 ? `, such as "${name}"` : "";
    return fails(`Postgres refuses ${title}${example}: ${reason}`);
  });
}
