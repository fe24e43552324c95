// The projects of the tests: each is a folder with resources and one migration, as `src/README.md` says, and what its
// tests know of it besides.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as assert from "uvu/assert";
import { type Action, openProject, type Report, type Resource } from "./house.ts";
import { type Service, startService } from "./service.ts";

/** A project as its folder has it. */
export interface Folder {
  path: string;
  resources: Resource[];
  reports: Report[];
  actions: Action[];
  /** Its migration, and what undoes it. */
  up: string;
  down: string;
}

type Row = Record<string, unknown>;

/** What the tables of a project demand, and no declaration tells: for the tests that have all rows in memory. */
export interface Rules {
  /** The sets of fields whose values are unique, by resource. */
  unique?: Record<string, string[][]>;
  /** The field that a check refuses a row for. */
  rejects?: Record<string, (row: Row) => string | undefined>;
  /** What happens to a row, by its relation, when the row that it refers to is deleted. Others prevent it. */
  onDelete?: Record<string, "cascade" | "set null">;
  /** Which rows a relation may refer to, where these are not all. */
  candidates?: Record<string, (target: Row) => boolean>;
}

export interface Project extends Folder {
  /** What clients create at first, by path. Examples of the document refer to these. */
  rows: Record<string, object[]>;
  rules: Rules;
}

/** Reads the project in a folder. */
export async function readProject(folder: URL, name: string): Promise<Folder> {
  const path = fileURLToPath(folder);
  const { resources, reports, actions } = await openProject({ projectDir: path });
  return {
    path,
    resources,
    reports,
    actions,
    up: readScript(path, `0001_${name}.up`),
    down: readScript(path, `0001_${name}.down`),
  };
}

/** Reads a file of SQL of the project at a path. */
export function readScript(path: string, name: string): string {
  return readFileSync(join(path, "sql", `${name}.sql`), "utf8");
}

/** Ten rows of what others refer to, where a project has them. */
export function tenRowsOf({ path }: Folder): string {
  return readScript(path, "ten");
}

/** A project on a fresh database. */
export async function startProject({ resources, reports, actions, up }: Folder): Promise<Service> {
  const service = await startService({ resources, reports, actions });
  await service.sql.unsafe(up);
  return service;
}

/** Creates the first rows. */
export async function createAll(
  rows: Project["rows"],
  { send }: Pick<Service, "send">,
): Promise<void> {
  for (const [path, sent] of Object.entries(rows)) {
    for (const row of sent) assert.is((await send(`POST ${path}`, row)).status, 201);
  }
}

/** The relation of a resource, as rules name it. */
export function ruleOf({ name }: Resource, field: string): string {
  return `${name}.${field}`;
}
