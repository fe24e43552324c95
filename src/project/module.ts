// Imports a file of a project, to which "relata" is this very program. Types are stripped, not checked.
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isBinary } from "../assets/files.ts";
import * as words from "../words.ts";

/** The address of the module that `import … from "relata"` gives. */
const WORDS = "relata:words";

/** Gives the module of any file in a folder. */
export function importer(root: string): (file: string) => Promise<{ default?: unknown }> {
  const own = `${pathToFileURL(root)}/`;
  Object.assign(globalThis, { [Symbol.for(WORDS)]: words });
  const source = [
    `const words = globalThis[Symbol.for("${WORDS}")];`,
    ...Object.keys(words).map((word) => `export const ${word} = words.${word};`),
  ].join("\n");
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "relata"
        ? { url: WORDS, format: "module", shortCircuit: true }
        : next(specifier, context),
    load(url, context, next) {
      if (url === WORDS) return { format: "module", source, shortCircuit: true };
      // Whatever the nearest package.json says: `npm init` writes that files are CommonJS
      const isOwn = url.startsWith(own) && url.endsWith(".ts");
      return next(url, isOwn ? { ...context, format: "module-typescript" } : context);
    },
  });
  // The single binary has no `import` from the disk, and Deno's `require` does not ask the hooks
  const require = createRequire(join(root, "resources", "/"));
  return async (file) => isBinary ? require(file) : await import(pathToFileURL(file).href);
}
