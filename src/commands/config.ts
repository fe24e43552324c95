// `relata config`: prints each setting as it was set, or its default, and nothing that is secret.
import { accessOf, processesOf, readConfig, settings } from "../config.ts";
import { connectTo } from "../database/open.ts";
import { print } from "../output.ts";
import { table } from "../table.ts";

/** Prints a line for each setting: its value, and whether somebody set it. */
export async function printConfig(
  environment: Record<string, string | undefined>,
): Promise<void> {
  const config = readConfig(environment);
  const { authRequired } = accessOf(config);
  processesOf(config);
  if (config.databaseUrl) connectTo(config.databaseUrl, { connections: 1, timeLimit: 1 });
  // The defaults that follow from other settings
  const derived: Record<string, string | undefined> = {
    AUTH: authRequired ? "required" : "off",
    BASE_URL: config.baseUrl,
  };
  const rows = Object.entries(settings).map(([name, { fallback }]) => {
    const set = environment[name];
    return [name, set ? "set" : "default", withoutSecrets(set || derived[name] || fallback)];
  });
  await print(table(rows));
}

/** Hides what follows the user in an address, up to the last "@", for a password may have any
 * character that somebody forgot to encode; and every value of its query. */
export function withoutSecrets(value: string): string {
  if (!/^postgres(ql)?:/.test(value)) return value;
  return value
    .replace(/^(\w+:\/\/[^:]*):.*@/, "$1:***@")
    .replace(/\?.*/, (query) => query.replace(/=[^&]*/g, "=***"));
}
