// `relata statements`: prints every statement that the server runs for requests, ready for `explain` in
// psql, which puts its variables where the slots are: `:'ids'`.
import { forgetStatement } from "../api/keyed.ts";
import type { Config } from "../config.ts";
import { cancelWaiting, whatItWaitsFor } from "../db/client.ts";
import { notify } from "../db/news.ts";
import { readable, type Statement } from "../db/sql.ts";
import { UsageError } from "../errors/usage.ts";
import { findTokens } from "../http/access.ts";
import { appliedMigrations, historyIsKept } from "../migrate/migrations.ts";
import type { Resource } from "../model/model.ts";
import { openProject } from "../project/project.ts";
import { findTables } from "../schema/catalogue.ts";
import { findFunctions } from "../schema/functions.ts";
import { constraintStatement } from "../statements/constraint.ts";
import { eachStatement, trialStatement } from "../statements/create.ts";
import { reportStatement } from "../statements/report.ts";
import { print } from "../terminal/output.ts";

type Use = [use: string, statement: Statement];

/** The statements of the server itself. */
const ownStatements: Use[] = [
  ["any request with a token", findTokens],
  ["any create with an Idempotency-Key", forgetStatement],
  ["any creates that fail together", eachStatement],
  ["any batch that the database refuses", trialStatement],
  ["any write that the database refuses", constraintStatement],
  ["any create that others follow", notify],
  ["any statement that is not answered in time", whatItWaitsFor],
  ["any write that waits for a lock", cancelWaiting],
  ["any look whether the database is ready", findTables],
  ["any look whether the database is ready", findFunctions],
  ["any look whether the database is ready", historyIsKept],
  ["any look whether the database is ready", appliedMigrations],
];

/** Prints the statements of a resource or a report; without a name, those of all, and of the server. */
export async function statements(config: Config, name: string | undefined): Promise<void> {
  const { resources, reports } = await openProject(config);
  const isChosen = (each: { name: string }) => name === undefined || each.name === name;
  if (name !== undefined && ![...resources, ...reports].some(isChosen)) {
    const names = [...resources, ...reports].map(({ name }) => name).join(", ");
    throw new UsageError(`No resource or report is named "${name}": there are ${names}`);
  }
  const used = [
    ...resources.filter(isChosen).flatMap(usesOf),
    ...reports.filter(isChosen).map((
      report,
    ): Use => [`GET ${report.path}`, reportStatement(report)]),
  ];
  const all = Map.groupBy(
    [...used, ...(name === undefined ? ownStatements : [])],
    ([, { text }]) => text,
  );
  const texts = [...all.values()].map((uses) => {
    const statement = uses[0]![1];
    return `-- ${statement.name}: ${uses.map(([use]) => use).join(", ")}\n${readable(statement)};`;
  });
  await print(texts.join("\n\n"));
}

/** The statements of a resource, by its routes. */
function usesOf(resource: Resource): Use[] {
  return Object.entries(resource.routes).flatMap(([path, verbs]) =>
    verbs.flatMap((verb) =>
      verb.statements(resource).map((statement): Use => [`${verb.method} ${path}`, statement])
    )
  );
}
