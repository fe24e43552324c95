// The word `resource`: a declaration with the routes that most resources have.
import { rulesFrom } from "../model/access.ts";
import { creationOf } from "../model/field.ts";
import type { Declaration, Resource, Verb } from "../model/model.ts";
import { bracedKey } from "../model/composite-key.ts";
import { checkEntries, checkNamed, checkPath } from "../model/mistakes.ts";
import type { Options } from "../model/options.ts";
import { makeResource, relationsWithin } from "../model/resource.ts";
import { checkedOptions } from "../model/word.ts";
import { createBatch } from "./batch.ts";
import { merge, remove, replace } from "./change.ts";
import { choices } from "./choices.ts";
import { create } from "./create.ts";
import { followChanges } from "./follow-changes.ts";
import { follow } from "./follow.ts";
import { changes } from "./history.ts";
import { list } from "./list.ts";
import { last, read } from "./read.ts";

/** Makes a resource, by its routes, or by the path for the usual ones. Its table has the same name, unless the
 * declaration names another. */
export function resource(name: string, options: Options["resource"]): Resource {
  checkNamed("resource", name);
  const subject = `The resource "${name}"`;
  checkEntries(subject, options?.access);
  const { path, record, routes, access, key, ...rest } = checkedOptions(
    "resource",
    options,
    subject,
  );
  const declaration = {
    ...rest,
    ...(access && { access: rulesFrom(access) }),
    ...(key && { keys: key }),
  };
  if (routes) {
    if (path === undefined && record === undefined) {
      return makeResource(name, { ...declaration, routes });
    }
    throw new Error(`${subject} has routes, and so neither a path nor "record"`);
  }
  if (path === undefined) return makeResource(name, { ...declaration, routes: {}, isPart: true });
  checkPath(subject, path);
  const relations = Object.keys(declaration.fields).filter((field) =>
    declaration.fields[field]?.relation && !declaration.fields[field].relation.isOwned
  );
  const choicesOf = (fields: string[]) =>
    Object.fromEntries(fields.map((field) => [`${path}choices/${field}/`, [choices(field)]]));
  const row = `${path}${key ? bracedKey(key) : "{id}"}/`;
  const routesOfPath = {
    ...(record ? routesOfRecord(path, row, declaration.fields) : routesOfRow(path, row)),
    ...(declaration.history && routesOfHistory(path, row)),
    ...choicesOf(relations),
  };
  return makeResource(
    name,
    { ...declaration, routes: routesOfPath },
    (resource) => choicesOf(relationsWithin(resource)),
  );
}

function routesOfRow(path: string, row: string): Record<string, Verb[]> {
  return {
    [path]: [list(), create],
    [`${path}batch/`]: [createBatch],
    [row]: [read, replace, merge, remove],
  };
}

function routesOfHistory(path: string, row: string): Record<string, Verb[]> {
  return {
    [`${path}changes/`]: [followChanges],
    [`${row}changes/`]: [changes],
  };
}

function routesOfRecord(
  path: string,
  row: string,
  fields: Declaration["fields"],
): Record<string, Verb[]> {
  return {
    [path]: [list({ sort: `-${creationOf(fields) ?? "id"}` }), create, follow],
    [`${path}batch/`]: [createBatch],
    [`${path}last/`]: [last],
    [row]: [read],
  };
}
