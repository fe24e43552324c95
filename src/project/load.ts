// Loads what the files of a project's `resources/` declare, and checks it together.
import { existsSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { pages, rootPages } from "../api/pages.ts";
import { folderAt, textAt } from "../assets/files.ts";
import { sentenceOf, unusable, UsageError } from "../errors/usage.ts";
import type { Action, Payload, Report, Resource, Service } from "../model/model.ts";
import { checkInput, isAction } from "../model/action.ts";
import { isReport } from "../model/report.ts";
import { checkTargets, checkWithOthers, declaredTarget, isResource } from "../model/resource.ts";
import { checkAccess } from "../model/view.ts";
import { namesOf, ownNames } from "../openapi/document.ts";
import { mistake } from "./mistake.ts";
import { importer } from "./module.ts";

/** A module, in a folder or below; and what is none, or no part of what is served. */
const MODULE = /\.[cm]?[jt]sx?$/;
const NO_MODULE = /(^|\/)\.|\.(test|d)\.[cm]?ts$/;

/** What a module has that declares something. */
const DECLARATION = /["']relata["'][^]*^export default /m;

/** What a project declares, in the order of the names of the files. Throws a `UsageError` that names the file
 * at fault. */
export async function load(
  folder: string,
): Promise<Pick<Service, "resources" | "reports" | "actions">> {
  const root = existsSync(folder) ? realpathSync(folder) : folder;
  const moduleOf = importer(root);
  const loaded = new Map<string, Declared>();
  const ofServer = (keys: Iterable<string>) =>
    new Map(Array.from(keys, (key) => [key, "The server"]));
  const paths = [...Object.keys(pages), ...Object.keys(rootPages)];
  const taken = ofServer(paths.map(routeKey));
  const names = new Map<string, string>();
  const documented = ofServer(ownNames);

  async function declaredIn(file: string): Promise<void> {
    textAt(file); // an import puts other characters where it is not UTF-8
    const { default: declared } = await moduleOf(file);
    if (!isResource(declared) && !isReport(declared) && !isAction(declared)) {
      throw new Error("Its default export is no resource, report or action");
    }
    loaded.set(file, declared);
  }

  /** Each first: what can be a key depends on the paths of all. */
  function tellPaths(file: string): void {
    const declared = loaded.get(file)!;
    paths.push(...pathsOf(declared));
    if (isResource(declared)) declared.beside = paths;
  }

  /** Each first: what else is checked looks at the targets of others. */
  function checkRelations(file: string): void {
    const declared = loaded.get(file)!;
    if (isResource(declared)) checkTargets(declared);
  }

  function checkTogether(file: string): void {
    const declared = loaded.get(file)!;
    if (isResource(declared)) {
      checkWithOthers(declared);
      checkExported(declared);
      checkAccess(declared);
    }
    if (isAction(declared)) {
      checkInput(declared);
      checkExported(declared.input, "action");
    }
    checkAllHaveAccess(declared);
    const own = `"${basename(file)}"`;
    claim(names, declared.name, own, `declares the name "${declared.name}", too`);
    for (const name of namesOf(declared)) {
      claim(documented, name, own, `has something called "${name}" in the document, too`);
    }
    for (const path of pathsOf(declared)) {
      claim(taken, routeKey(path), own, `has the path "${path}", too`);
    }
  }

  /** What a relation refers to has paths of its own, and a place in the document. */
  function checkExported(payload: Payload, owner = "resource"): void {
    const all = [...loaded.values()];
    for (const [field, relation] of Object.entries(payload.relations)) {
      const target = declaredTarget(relation, payload);
      if (all.includes(target)) continue;
      throw new Error(
        `The relation "${field}" of the ${owner} "${payload.name}" refers to "${target.name}", ` +
          'which is the default export of no file in "resources"',
      );
    }
  }

  /** A table that somebody forgot would be open to all. */
  function checkAllHaveAccess(declared: Declared): void {
    const ruled = [...loaded.values()].find(({ access }) => access);
    if (!ruled || declared.access) return;
    throw new Error(
      `The ${wordOf(declared)} "${declared.name}" needs "access", as ` +
        `"${ruled.name}" has it: what is left out is open to everybody`,
    );
  }

  for (const check of [declaredIn, tellPaths, checkRelations, checkTogether]) {
    for (const file of filesIn(root)) {
      try {
        await check(file);
      } catch (error) {
        throw mistake(root, file, error);
      }
    }
  }
  const all = [...loaded.values()];
  return {
    resources: all.filter(isResource),
    reports: all.filter(isReport),
    actions: all.filter(isAction),
  };
}

/** What a file declares. */
type Declared = Resource | Report | Action;

function pathsOf(declared: Declared): string[] {
  return isResource(declared) ? Object.keys(declared.routes) : [declared.path];
}

function wordOf(declared: Declared): string {
  return isReport(declared) ? "report" : isAction(declared) ? "action" : "resource";
}

export function noResources(root: string): UsageError {
  return new UsageError(`The project "${root}" has no folder "resources"`);
}

/** The files that declare something: not the tests, and not the types. Refuses what would be passed over: a
 * declaration in a folder below, or in a file of another kind, that no file imports. */
function filesIn(root: string): string[] {
  const directory = join(root, "resources");
  if (!existsSync(directory)) {
    throw noResources(root);
  }
  const { names, text } = folderAt(directory);
  const isOwn = (name: string) => /^[^/]+\.ts$/.test(name);
  let passed;
  try {
    const modules = names().filter((name) => MODULE.test(name) && !NO_MODULE.test(name));
    passed = modules.find((name) =>
      !isOwn(name) && DECLARATION.test(text(name)) &&
      !modules.some((other) => text(other).includes(`/${basename(name)}`))
    );
    if (passed === undefined) return modules.filter(isOwn).map((name) => join(directory, name));
  } catch (error) {
    throw unusable(`The folder "${directory}" cannot be read: ${sentenceOf(error)}`, error);
  }
  throw new UsageError(
    `resources/${passed}: Only files directly in "resources" that end in ".ts" declare, and none imports this one`,
  );
}

/** Takes what only one may have. Who has it already is the subject of the error. */
function claim(owners: Map<string, string>, key: string, owner: string, predicate: string): void {
  const other = owners.get(key);
  if (other !== undefined) throw new Error(`${other} ${predicate}`);
  owners.set(key, owner);
}

/** A path as the router tells it from others. */
function routeKey(path: string): string {
  return path.replace(/\/$/, "").replaceAll(/\{\w+\}/g, "{}");
}
