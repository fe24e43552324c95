// Loads the files of a project's `resources/`. Types are stripped, not checked.
import { existsSync, readdirSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { pages, rootPages } from "../api/pages.ts";
import { isBinary } from "../bundle/files.ts";
import { sentenceOf, unusable, UsageError } from "../errors/usage.ts";
import type { Resource } from "../model/model.ts";
import { checkRelations, isResource } from "../model/resource.ts";
import * as words from "../words.ts";
import { mistake } from "./mistake.ts";

/** The module that `import … from "relata"` gives in a project: the words of this very program. */
const WORDS = "relata:words";
const shared = Symbol.for(WORDS);

/** The resources of a project, in the order of the names of their files. Throws a `UsageError` that names
 * the file at fault. */
export async function load(folder: string): Promise<Resource[]> {
  const root = resolve(folder);
  const moduleOf = loaderIn(root);
  const loaded = new Map<string, Resource>();
  const taken = new Set([...Object.keys(pages), ...Object.keys(rootPages)].map(routed));
  const names = new Set<string>();

  async function declaredIn(file: string): Promise<void> {
    const { default: declared } = await moduleOf(file);
    if (!isResource(declared)) throw new Error("Its default export is no resource");
    loaded.set(file, declared);
  }

  function checkWithOthers(file: string): void {
    const resource = loaded.get(file)!;
    checkRelations(resource);
    checkParameters(resource);
    claim(names, resource.name, `Another resource is named "${resource.name}", too`);
    for (const path of Object.keys(resource.routes)) {
      claim(taken, routed(path), `There is something else at the path "${path}"`);
    }
  }

  for (const check of [declaredIn, checkWithOthers]) {
    for (const file of filesIn(root)) {
      try {
        await check(file);
      } catch (error) {
        throw mistake(root, file, error);
      }
    }
  }
  return [...loaded.values()];
}

/** The files that declare something: not the tests, and not the types. */
function filesIn(root: string): string[] {
  const directory = join(root, "resources");
  if (!existsSync(directory)) {
    throw new UsageError(`The project "${root}" has no folder "resources"`);
  }
  try {
    return readdirSync(directory)
      .filter((name) => /\.ts$/.test(name) && !/\.(test|d)\.ts$/.test(name))
      .sort()
      .map((name) => join(directory, name));
  } catch (error) {
    throw unusable(`The folder "${directory}" cannot be read: ${sentenceOf(error)}`, error);
  }
}

/** Loads modules to which "relata" is this program. The single binary has no `import` from the disk, and
 * Deno's `require` does not ask the hooks. */
function loaderIn(root: string): (file: string) => Promise<{ default?: unknown }> {
  Object.assign(globalThis, { [shared]: words });
  const source = [
    `const words = globalThis[Symbol.for("${WORDS}")];`,
    ...Object.keys(words).map((word) => `export const ${word} = words.${word};`),
  ].join("\n");
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "relata"
        ? { url: WORDS, format: "module", shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === WORDS ? { format: "module", source, shortCircuit: true } : next(url, context),
  });
  const require = createRequire(join(root, "resources", "/"));
  return async (file) => isBinary ? require(file) : await import(pathToFileURL(file).href);
}

/** Lists have parameters by what the other resources are, so now their filters and sorts can be told. */
function checkParameters(resource: Resource): void {
  for (const verb of Object.values(resource.routes).flat()) verb.query?.(resource);
}

function claim(taken: Set<string>, key: string, sentence: string): void {
  if (taken.has(key)) throw new Error(sentence);
  taken.add(key);
}

/** A path as the router tells it from others. */
function routed(path: string): string {
  return path.replace(/\/$/, "").replace(/\{.*\}/, "{}");
}
