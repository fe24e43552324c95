// Loads what the files of a project's `resources/` declare, and checks it together.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { pages, rootPages } from "../api/pages.ts";
import { sentenceOf, unusable, UsageError } from "../errors/usage.ts";
import type { Report, Resource } from "../model/model.ts";
import { isReport } from "../model/report.ts";
import { checkRelations, isResource } from "../model/resource.ts";
import { importer } from "./module.ts";

/** What a project declares, in the order of the names of the files. Throws a `UsageError` that names the file
 * at fault. */
export async function load(
  folder: string,
): Promise<{ resources: Resource[]; reports: Report[] }> {
  const root = existsSync(folder) ? realpathSync(folder) : folder;
  const moduleOf = importer(root);
  const loaded = new Map<string, Resource | Report>();
  const taken = new Set([...Object.keys(pages), ...Object.keys(rootPages)].map(routed));
  const names = new Set<string>();

  async function declaredIn(file: string): Promise<void> {
    const { default: declared } = await moduleOf(file);
    if (!isResource(declared) && !isReport(declared)) {
      throw new Error("Its default export is neither a resource nor a report");
    }
    loaded.set(file, declared);
  }

  function checkWithOthers(file: string): void {
    const declared = loaded.get(file)!;
    if (isResource(declared)) checkRelations(declared);
    claim(names, declared.name, `Another file declares the name "${declared.name}", too`);
    const paths = isReport(declared) ? [declared.path] : Object.keys(declared.routes);
    for (const path of paths) {
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
  const all = [...loaded.values()];
  return { resources: all.filter(isResource), reports: all.filter(isReport) };
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

/** The error about a file of the project: that in which it was thrown, else that which was loaded. */
function mistake(root: string, loaded: string, error: unknown): UsageError {
  const stack = `${Object(error).stack}`.replaceAll(pathToFileURL(root).href, root);
  const thrown = stack.slice(stack.indexOf(root) + root.length);
  const [, name, line] = /^[/\\](\S+\.ts):(\d+)/.exec(thrown) ?? [];
  const place = name ? `${name}:${line}` : relative(root, loaded);
  return new UsageError(`${place}: ${reasonOf(error)}`, { cause: error });
}

/** What is wrong, in one line: Deno shows the source of a syntax error, too. */
function reasonOf(error: unknown): string {
  const sentence = sentenceOf(error).split(/ \| \d+ \| /, 1)[0]!.replace(/^SyntaxError: /, "");
  const [, other] = /^Cannot access '(\w+)' before initialization/.exec(sentence) ?? [];
  if (!other) return sentence;
  return `"${other}" refers to this resource: refer to it as relation(() => ${other})`;
}

function claim(taken: Set<string>, key: string, sentence: string): void {
  if (taken.has(key)) throw new Error(sentence);
  taken.add(key);
}

/** A path as the router tells it from others. */
function routed(path: string): string {
  return path.replace(/\/$/, "").replace(/\{.*\}/, "{}");
}
