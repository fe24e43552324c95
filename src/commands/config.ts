// `relata config`: prints the value of each setting, without secrets.
import { accessOf, processesOf, readConfig, settings } from "../config.ts";
import { print } from "../terminal/output.ts";
import { table } from "../terminal/table.ts";

/** Prints a line for each setting: its value, and whether it is set or the default. */
export async function printConfig(
  environment: Record<string, string | undefined>,
): Promise<void> {
  const config = readConfig(environment);
  const { authRequired } = accessOf(config);
  processesOf(config);
  // Defaults that depend on other settings
  const derived: Record<string, string | undefined> = {
    AUTH: authRequired ? "required" : "off",
    BASE_URL: config.baseUrl,
    TITLE: config.title,
    DATA_DIR: config.dataDir,
  };
  const rows = Object.entries(settings).map(([name, { fallback }]) => {
    const set = name === "DATABASE_URL" ? config.databaseUrl?.shown : environment[name];
    return [name, set ? "set" : "default", set || derived[name] || fallback];
  });
  await print(table(rows));
}
