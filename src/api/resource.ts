// The word `resource`: a declaration with the routes that most resources have.
import type { Declaration, Resource, Verb } from "../model/model.ts";
import { checkPath } from "../model/mistakes.ts";
import { declare } from "../model/resource.ts";
import { taken } from "../model/word.ts";
import { createBatch } from "./batch.ts";
import { merge, remove, replace } from "./change.ts";
import { choices } from "./choices.ts";
import { create } from "./create.ts";
import { follow } from "./follow.ts";
import { list } from "./list.ts";
import { last, read } from "./read.ts";

/** What a file declares: its fields, and its routes or the path for the usual ones. */
export type Declared =
  & Omit<Declaration, "routes">
  & ({ routes: Record<string, Verb[]> } | {
    /** The path of its list, under which the usual routes are: `/api/tracks/`. */
    path: string;
    /** Whether its rows are records, which are never changed. */
    record?: boolean;
  });

/** Makes a resource. Its table has the same name, unless the declaration names another. */
export function resource(name: string, declared: Declared): Resource {
  const title = `The resource "${name}"`;
  taken("resource", declared, title);
  if ("routes" in declared) {
    if (!("path" in declared) && !("record" in declared)) return declare(name, declared);
    throw new Error(`${title} has routes, and so neither a path nor "record"`);
  }
  const { path, record = false, ...declaration } = declared;
  if (path === undefined) throw new Error(`${title} needs a path, or routes`);
  checkPath(title, path);
  const relations = Object.keys(declaration.fields).filter((field) =>
    declaration.fields[field]?.relation
  );
  return declare(name, {
    ...declaration,
    routes: {
      ...(record ? routesOfRecord(path) : routesOfRow(path)),
      ...Object.fromEntries(
        relations.map((field) => [`${path}choices/${field}/`, [choices(field)]]),
      ),
    },
  });
}

function routesOfRow(path: string): Record<string, Verb[]> {
  return {
    [path]: [list(), create],
    [`${path}batch/`]: [createBatch],
    [`${path}{id}/`]: [read, replace, merge, remove],
  };
}

function routesOfRecord(path: string): Record<string, Verb[]> {
  return {
    [path]: [list({ sort: "-id" }), create, follow],
    [`${path}batch/`]: [createBatch],
    [`${path}last/`]: [last],
    [`${path}{id}/`]: [read],
  };
}
