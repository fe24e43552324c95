// The door: which command, and how it ends. Exit statuses: 0 done, 1 failed, 2 asked wrongly.
import process from "node:process";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { type Direction, directions, migrate } from "./commands/migrate.ts";
import { serve } from "./commands/serve.ts";
import { readConfig, settings } from "./config.ts";
import { UsageError } from "./usage.ts";

const help = `relata ${manifest.version}: ${manifest.description}

Usage
  relata [serve]           serve the API
${
  Object.entries(directions)
    .map(([name, { meaning }]) => `  relata migrate ${name.padEnd(9)} ${meaning}`)
    .join("\n")
}
  relata --help            print this page
  relata --version         print the version

Environment
${
  Object.entries(settings)
    .map(([name, { meaning, fallback }]) =>
      `  ${name.padEnd(14)} ${meaning}${fallback && ` [${fallback}]`}`
    )
    .join("\n")
}

Exit status
  0  done
  1  failed, for a reason outside the program
  2  asked wrongly: an unknown command or a bad setting`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help) return console.log(help);
  if (values.version) return console.log(manifest.version);
  const [command = "serve", direction = "", ...rest] = positionals;
  if (command === "serve" && positionals.length <= 1) return await serve(readConfig(process.env));
  if (command === "migrate" && isDirection(direction) && rest.length === 0) {
    return await migrate(readConfig(process.env), direction);
  }
  throw new UsageError(`Unknown command "${positionals.join(" ")}": see relata --help`);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: "boolean" }, version: { type: "boolean" } },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}: see relata --help`);
  }
}

function isDirection(name: string): name is Direction {
  return Object.hasOwn(directions, name);
}

try {
  await run(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  console.error(`relata: ${error instanceof Error ? error.message : error}`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
