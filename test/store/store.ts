// A second API for the tests, a music store, with every kind of field and of relation.
import { type Project, readProject, startProject } from "../projects.ts";
import type { Service } from "../service.ts";
import { rows } from "./rows.ts";
import { rules } from "./rules.ts";

export const store: Project = {
  ...await readProject(new URL(".", import.meta.url), "store"),
  rows,
  rules,
};

export const { path: folder, resources, reports, actions, up, down } = store;

/** The store on a fresh database. */
export function startStore(): Promise<Service> {
  return startProject(store);
}
