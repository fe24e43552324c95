// What the server serves: the project in a folder, or that of the specification, which is in the program.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cwd } from "node:process";
import { folderAt, folderOf, textAt, type TextFolder } from "../assets/files.ts";
import type { Config } from "../config.ts";
import { UsageError } from "../errors/usage.ts";
import { migrationsWith } from "../migrate/migrations.ts";
import type { Migration } from "../migrate/step.ts";
import type { Action, Report, Resource } from "../model/model.ts";
import { resources } from "../resources/index.ts";
import { load, noResources } from "./load.ts";

type ProjectSettings = Pick<Config, "projectDir">;

export interface Project {
  resources: Resource[];
  reports: Report[];
  actions: Action[];
  migrations: Migration[];
  /** What `relata check` may find, because somebody has looked into it. */
  seen: string[];
}

/** Opens the project that the settings name; throws a `UsageError` that says what is wrong with it. */
export async function openProject(settings: ProjectSettings): Promise<Project> {
  const { projectDir } = settings;
  const declared = projectDir === undefined
    ? { resources, reports: [], actions: [] }
    : await load(projectDir);
  const seen = join(projectDir ?? "", "seen.txt");
  return {
    ...declared,
    migrations: migrationsOf(settings),
    seen: projectDir && existsSync(seen) ? textAt(seen).split(/\r?\n/) : [],
  };
}

/** The samples, and why they are what is served; undefined for a project. */
export function samplesIn({ projectDir }: ProjectSettings): string | undefined {
  if (projectDir !== undefined) return undefined;
  return `the samples of its specification, because "${cwd()}" has no folder "resources"`;
}

/** The migrations of the server and of the project, whatever its declarations are. Throws a `UsageError` if there is
 * no such project, or the working directory looks like one without them; that of the program has `sql/`, too. */
export function migrationsOf({ projectDir }: ProjectSettings): Migration[] {
  if (projectDir !== undefined && !existsSync(join(projectDir, "resources"))) {
    throw noResources(projectDir);
  }
  const part = ["sql", "relata.d.ts", "resource", "Resources"].find((name) => existsSync(name));
  if (projectDir === undefined && part !== undefined && !existsSync("sql/server")) {
    throw new UsageError(
      `"${cwd()}" has "${part}", but no folder "resources": make it, or name the project in PROJECT_DIR`,
    );
  }
  return migrationsWith(projectDir === undefined ? folderOf("sql") : sqlIn(projectDir));
}

/** The folder `sql/` of a project, which may have none. */
function sqlIn(folder: string): TextFolder {
  const path = join(folder, "sql");
  return existsSync(path) ? folderAt(path) : { names: () => [], text: String };
}
