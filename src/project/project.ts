// What the server serves: the project in a folder, or that of the specification, which is in the program.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folderAt, folderOf, type TextFolder } from "../bundle/files.ts";
import type { Config } from "../config.ts";
import type { Resource } from "../model/model.ts";
import { resources } from "../resources/index.ts";
import { load } from "./load.ts";

export interface Project {
  resources: Resource[];
  /** Its own migrations. */
  sql: TextFolder;
}

/** Opens the project that the settings name; throws a `UsageError` that says what is wrong with it. */
export async function openProject(
  { projectDir }: Pick<Config, "projectDir">,
): Promise<Project> {
  if (projectDir === undefined) return { resources, sql: folderOf("sql") };
  const sql = join(projectDir, "sql");
  return {
    resources: await load(projectDir),
    sql: existsSync(sql) ? folderAt(sql) : { names: () => [], text: String },
  };
}
