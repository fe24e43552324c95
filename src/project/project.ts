// What the server serves: the project in a folder, or that of the specification, which is in the program.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folderAt, folderOf, type TextFolder } from "../carried/files.ts";
import type { Config } from "../config.ts";
import { migrationsWith } from "../db/migrations.ts";
import type { Migration } from "../db/step.ts";
import type { Report, Resource } from "../model/model.ts";
import { resources } from "../resources/index.ts";
import { load } from "./load.ts";

type ProjectSettings = Pick<Config, "projectDir">;

export interface Project {
  resources: Resource[];
  reports: Report[];
  migrations: Migration[];
}

/** Opens the project that the settings name; throws a `UsageError` that says what is wrong with it. */
export async function openProject(settings: ProjectSettings): Promise<Project> {
  const { projectDir } = settings;
  const declared = projectDir === undefined ? { resources, reports: [] } : await load(projectDir);
  return { ...declared, migrations: migrationsOf(settings) };
}

/** The migrations of the server and of the project, whatever its declarations are. */
export function migrationsOf({ projectDir }: ProjectSettings): Migration[] {
  return migrationsWith(projectDir === undefined ? folderOf("sql") : sqlIn(projectDir));
}

/** The folder `sql/` of a project, which may have none. */
function sqlIn(folder: string): TextFolder {
  const path = join(folder, "sql");
  return existsSync(path) ? folderAt(path) : { names: () => [], text: String };
}
