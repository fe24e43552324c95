// `npm run package`: the npm package, `dist/relata-VERSION.tgz`. Its files lie as they do here, with the types
// taken out, so that the program finds `sql/` and `page/` as it does from source.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { carriedFolders } from "../assets/files.ts";
import { licenses } from "../assets/licenses.ts";
import { preparedTemplate } from "./prepared.ts";

const packageFolder = "dist/package";
const compilerSettings = "dist/tsconfig.json";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
rmSync(packageFolder, { recursive: true, force: true });
mkdirSync(packageFolder, { recursive: true });

writeFileSync(
  compilerSettings,
  JSON.stringify({
    extends: "../tsconfig.json",
    compilerOptions: {
      noEmit: false,
      outDir: "package",
      rootDir: "..",
      rewriteRelativeImportExtensions: true,
    },
    include: ["../src"],
    exclude: ["../src/page", "../src/init", "../src/bundle"],
  }),
);
execFileSync("node_modules/.bin/tsc", ["--project", compilerSettings], { stdio: "inherit" });
rmSync(compilerSettings);
const template = relative(".", preparedTemplate());
const others = ["README.md", "CHANGELOG.md", "LICENSE"];
for (const part of [...carriedFolders, template, ...others]) {
  cpSync(part, join(packageFolder, part), { recursive: true });
}

writeFileSync(join(packageFolder, "licenses.txt"), licenses());

const { name, version, description, license, type, dependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
writeFileSync(
  join(packageFolder, "package.json"),
  JSON.stringify(
    {
      ...{ name, version, description, license, type },
      engines: { node: ">=22.18" },
      bin: { relata: "src/relata.js" },
      exports: {
        ".": { types: "./src/types/relata.d.ts", default: "./src/words.js" },
        "./test": { types: "./src/types/test.d.ts", default: "./src/test.js" },
      },
      dependencies,
    },
    null,
    2,
  ),
);
execFileSync("npm", ["pack", "--silent", "--pack-destination", "dist", `./${packageFolder}`], {
  stdio: "inherit",
});
