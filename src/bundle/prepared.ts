// What a build carries and does not make itself: the template of the embedded database.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { templateFile } from "../assets/files.ts";

/** The path of the template, which `npm ci` has made; without it, it is made now. */
export function preparedTemplate(): string {
  const path = fileURLToPath(templateFile());
  if (!existsSync(path)) {
    const program = fileURLToPath(new URL("template.ts", import.meta.url));
    execFileSync(process.execPath, [program], { stdio: "inherit" });
  }
  return path;
}
