// `relata check`: compares the declarations of the project with the database.
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { withDatabase } from "../db/open.ts";
import { migrateUp } from "../migrate/migrations.ts";
import { standingsIn } from "../model/access.ts";
import { openProject, type Project } from "../project/project.ts";
import { compareAction } from "../schema/check/action.ts";
import { compareSchema } from "../schema/check/check.ts";
import { type Finding, isSeen } from "../schema/check/finding.ts";
import { compareReport } from "../schema/check/report.ts";
import { compareRows } from "../schema/check/rows.ts";
import { compareStatements } from "../schema/check/statements.ts";
import { print } from "../terminal/output.ts";

/** Prints a sentence for each difference, apart those that somebody has seen, and last the indexes that lists want, as
 * SQL. Resolves to the exit status: 1 if there are differences that nobody has seen. */
export async function check(config: Config): Promise<number> {
  const project = await openProject(config);
  const findings = await withDatabase(config, async ({ database, embedded }) => {
    if (embedded) await migrateUp(database, project.migrations); // nobody else can
    return await differences(database, project);
  });
  const isKnown = (finding: Finding) => isSeen(finding, project.seen);
  const seen = findings.filter(isKnown);
  const others = findings.filter((finding) => !isKnown(finding));
  const differing = others.filter(({ wish }) => !wish);
  const wishes = others.flatMap(({ wish }) => wish ?? []);
  await print([
    ...differing.map(({ sentence }) => sentence),
    ...differing.length === 0 ? ["The database is as the declarations want it"] : [],
    ...seen.map(({ sentence }) => `Seen: ${sentence}`),
    ...wishes.length > 0 ? ["", "-- Lists would be faster with these indexes", ...wishes] : [],
  ].join("\n"));
  return differing.length > 0 ? 1 : 0;
}

/** All that differs. What the catalogue shows is told first, then what Postgres refuses, then what the rows hold; where
 * requests fail because of one, the next would say the same in the words of Postgres. */
export async function differences(
  database: Database,
  project: Omit<Project, "seen">,
): Promise<Finding[]> {
  const { findings, catalogue } = await compareSchema(database, project);
  if (findings.some(({ fails }) => fails)) return findings;
  const { resources, reports, actions } = project;
  const more: Finding[] = [];
  const standings = standingsIn([...resources, ...reports, ...actions]);
  for (const resource of resources) {
    const refused = await compareStatements(database, resource, catalogue, standings);
    more.push(...refused);
    if (refused.length === 0) more.push(...await compareRows(database, resource, catalogue));
  }
  for (const report of reports) more.push(...await compareReport(database, report));
  for (const action of actions) more.push(...await compareAction(database, action, standings));
  return [...findings, ...more];
}
