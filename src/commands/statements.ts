// `relata statements`: prints every statement that the server runs for requests, ready for `explain` in
// psql, which puts its variables where the slots are: `:'ids'`.
import { actionStatements } from "../api/action.ts";
import type { Config } from "../config.ts";
import { cancelWaiting, whatItWaitsFor } from "../db/client.ts";
import { notify } from "../db/news.ts";
import { readable, type Statement } from "../db/sql.ts";
import { UsageError } from "../errors/usage.ts";
import { findTokens } from "../http/access.ts";
import { appliedMigrations, historyIsKept } from "../migrate/migrations.ts";
import { keptBy } from "../api/history.ts";
import { isFor, standingName, standingsIn } from "../model/access.ts";
import type { Action, Resource } from "../model/model.ts";
import { admits, entriesOf, needOf } from "../model/permission.ts";
import { type Seen, seenBy } from "../model/view.ts";
import { openProject } from "../project/project.ts";
import { findTables } from "../schema/catalogue.ts";
import { findFunctions } from "../schema/functions.ts";
import { actionMends } from "../statements/action.ts";
import { constraintStatement } from "../statements/constraint.ts";
import { eachStatement, trialStatement } from "../statements/create.ts";
import { onceStatements } from "../statements/once.ts";
import { reportStatement } from "../statements/report.ts";
import { print } from "../terminal/output.ts";

/** A statement, what runs it, and the standing of callers for whom it does, if these have their own. */
type Use = [use: string, statement: Statement, standing?: string];

/** The statements of the server itself. */
const ownStatements: Use[] = [
  ["any request with a token", findTokens],
  ...onceStatements.map((each): Use => ["any write with an Idempotency-Key", each]),
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

/** Prints the statements of a resource, a report or an action; without a name, those of all, and of the server. */
export async function statements(config: Config, name: string | undefined): Promise<void> {
  const { resources, reports, actions } = await openProject(config);
  const declared = [...resources, ...reports, ...actions];
  const isChosen = (each: { name: string }) => name === undefined || each.name === name;
  if (name !== undefined && !declared.some(isChosen)) {
    const names = declared.map(({ name }) => name).join(", ");
    throw new UsageError(`No resource, report or action is named "${name}": there are ${names}`);
  }
  const standings = standingsIn(declared);
  const views: View[] = standings.map((standing) => [standingName(standing), seenBy(standing)]);
  const used = [
    ...resources.filter(isChosen).flatMap((resource) => usesOf(resource, views)),
    ...reports.filter(isChosen).map((
      report,
    ): Use => [`GET ${report.path}`, reportStatement(report)]),
    ...actions.filter(isChosen).flatMap((action) => {
      const entries = entriesOf(action) ?? [];
      const letIn = standings.map((standing) => entries.some((each) => isFor(each, standing)));
      return [
        ...usesOfAction(action, views.filter((_, index) => letIn[index])),
        ...actionMends(action, resources).map((each): Use => [`POST ${action.path}`, each]),
      ];
    }),
  ];
  const all = Map.groupBy(
    [...used, ...(name === undefined ? ownStatements : [])],
    ([, { name, text }]) => `${name}\n${text}`,
  );
  const texts = [...all.values()].map((uses) => {
    const [, statement] = uses[0]!;
    const each = [...new Set(uses.map(([use]) => use))];
    const standings = [...new Set(uses.flatMap(([, , standing]) => standing ?? []))];
    // What is the same for all needs no name
    const title = standings.length === 0 || standings.length > views.length
      ? statement.name
      : `${statement.name} as ${standings.join(" or ")}`;
    return `-- ${title}: ${each.join(", ")}\n${readable(statement)};`;
  });
  await print(texts.join("\n\n"));
}

/** The resources as callers of a standing see them. */
type View = [standing: string, seen: Seen];

/** The statements of an action; where it has access, those of each standing that this lets in. */
function usesOfAction(action: Action, views: View[]): Use[] {
  const use = `POST ${action.path}`;
  if (!action.access) return actionStatements(action).map((statement): Use => [use, statement]);
  return [["service", undefined] as const, ...views].flatMap(([standing, seen]) =>
    actionStatements(action, seen).map((statement): Use => [use, statement, standing])
  );
}

/** The statements of a resource, by its routes; where it has access, those of each standing that it lets in. */
function usesOf(resource: Resource, views: View[]): Use[] {
  return Object.entries(resource.routes).flatMap(([path, verbs]) =>
    verbs.flatMap((verb) => {
      const use = `${verb.method} ${path}`;
      const usesAs = (resource: Resource, standing?: string) =>
        [...verb.statements(resource), ...verb.writes ? keptBy(resource) : []].map((
          statement,
        ): Use => [
          use,
          statement,
          ...standing === undefined ? [] as const : [standing] as const,
        ]);
      if (!resource.access) return usesAs(resource);
      const need = needOf(resource, verb);
      const ofCallers = views.filter(([, seen]) => admits(need, seen));
      return [
        ...usesAs(resource, "service"),
        ...ofCallers.flatMap(([standing, seen]) => usesAs(seen(resource), standing)),
      ];
    })
  );
}
