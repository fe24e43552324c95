// `relata init`: adds to a folder what serves at once, and overwrites nothing.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderOf } from "../assets/files.ts";
import { sentenceOf, unusable } from "../errors/usage.ts";
import { print } from "../terminal/output.ts";

/** The declarations that an editor reads, by the names of the modules. */
const editorTypes = { "relata": "relata.d.ts", "relata/test": "test.d.ts" };

/** Writes the files that are not there, and prints which. A project that has resources gets no samples. */
export async function init(folder: string): Promise<void> {
  const isBegun = ["resources", "sql"].some((name) => existsSync(join(folder, name)));
  const template = folderOf("src/init");
  const files: [name: string, text: string][] = [
    ...template.names()
      .filter((name) => !(isBegun && name.includes("/")))
      .map((name): [string, string] => [name.replace(/^gitignore$/, ".$&"), template.text(name)]),
    ["relata.d.ts", declarations()],
  ];
  for (const [name, text] of files) {
    await print(`${add(join(folder, name), text) ? "Made" : "Kept"} ${join(folder, name)}`);
  }
  const quoted = /\s/.test(folder) ? `"${folder}"` : folder;
  mkdirSync(join(folder, "resources"), { recursive: true }); // without it, the samples would be served
  await print(folder === "." ? "Next: relata" : `Next: cd ${quoted} && relata`);
}

/** Writes a file, unless it is there; returns whether it did. */
export function add(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && existsSync(path)) return false;
    throw unusable(`"${path}" cannot be written: ${sentenceOf(error)}`, error);
  }
}

/** The types as one file that imports nothing. */
function declarations(): string {
  const folder = folderOf("src/types");
  return Object.entries(editorTypes)
    .map(([name, file]) => {
      const text = folder.text(file).trimEnd().replaceAll(/^(?=.)/gm, "  ");
      return `declare module "${name}" {\n${text}\n}\n`;
    })
    .join("\n");
}
