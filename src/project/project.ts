// What the server serves: the project in a folder, or that of the specification, which is in the program.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownSql, type SqlFolder } from "../bundle/files.ts";
import type { Config } from "../config.ts";
import { sentenceOf, unusable } from "../errors/usage.ts";
import type { Report, Resource } from "../model/model.ts";
import { resources } from "../resources/index.ts";
import { load } from "./load.ts";

export interface Project {
  resources: Resource[];
  reports: Report[];
  /** Its own migrations. */
  sql: SqlFolder;
}

/** Opens the project that the settings name; throws a `UsageError` that says what is wrong with it. */
export async function openProject(
  { projectDir }: Pick<Config, "projectDir">,
): Promise<Project> {
  if (projectDir === undefined) return { resources, reports: [], sql: ownSql };
  return { ...await load(projectDir), sql: sqlOnDisk(projectDir) };
}

/** The folder `sql/` of a project; one that is not there has no migrations. */
function sqlOnDisk(folder: string): SqlFolder {
  const path = join(folder, "sql");
  return {
    names: () => existsSync(path) ? readable(path, () => readdirSync(path).sort()) : [],
    text: (name) => readable(join(path, name), () => readFileSync(join(path, name), "utf8")),
  };
}

function readable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw unusable(`"${path}" cannot be read: ${sentenceOf(error)}`, error);
  }
}
