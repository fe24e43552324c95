// `npm run build`: the whole program as one file, `dist/relata`. The source is bundled, and Node
// puts it into a copy of itself with the migrations, the documentation, the licences, the files of the
// embedded Postgres and the template of its database.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { carriedFolders, embeddedFiles, folderOf } from "../assets/files.ts";
import { licenses } from "../assets/licenses.ts";
import { preparedTemplate } from "./prepared.ts";

const output = "dist/relata";
const bundle = "dist/relata.mjs";
const engineFile = "dist/engine.mjs";
const blueprint = "dist/relata.json";
const licenseTexts = "dist/licenses.txt";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
mkdirSync("dist", { recursive: true });

await build({
  entryPoints: { relata: "src/main.ts", engine: "src/embedded/engine.ts" },
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node26",
  // PGlite asks for the path of its module, which has none: the thread of Postgres is started from a text
  banner: {
    js: 'const place = process.getBuiltinModule("url").pathToFileURL(process.execPath).href;',
  },
  define: { "import.meta.url": "place" },
});

writeFileSync(licenseTexts, licenses({ withNode: true }));
const pglite = dirname(fileURLToPath(import.meta.resolve("@electric-sql/pglite")));
writeFileSync(
  blueprint,
  JSON.stringify({
    main: bundle,
    mainFormat: "module",
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: Object.fromEntries([
      ["engine", engineFile],
      ["licenses", licenseTexts],
      ["template", preparedTemplate()],
      ...carriedFolders.flatMap((folder) =>
        folderOf(folder).names().map((name) => [`${folder}/${name}`, join(folder, name)])
      ),
      ...embeddedFiles.map((name) => [name, join(pglite, name)]),
    ]),
  }),
);
execFileSync(process.execPath, ["--build-sea", blueprint], {
  stdio: ["ignore", "ignore", "inherit"],
});
for (const intermediate of [bundle, engineFile, blueprint, licenseTexts]) rmSync(intermediate);
const checksum = hash("sha256", readFileSync(output));
writeFileSync(`${output}.sha256`, `${checksum}  ${basename(output)}\n`);
console.log(`Made ${output}, and its checksum, ${output}.sha256`);
