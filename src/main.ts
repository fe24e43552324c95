// The door: which command, and how it ends.
import process from "node:process";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { printConfig } from "./commands/config.ts";
import { contractCheck } from "./commands/contract.ts";
import { migrate } from "./commands/migrate.ts";
import { openapi } from "./commands/openapi.ts";
import { serve } from "./commands/serve.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./commands/token.ts";
import { readConfig, settings } from "./config.ts";
import { UsageError } from "./usage.ts";

/** The options, of which each command takes its own. */
const options = {
  help: { type: "boolean" },
  version: { type: "boolean" },
  json: { type: "boolean" },
  scope: { type: "string", multiple: true },
  name: { type: "string" },
  expires: { type: "string" },
} as const;

type Options = ReturnType<typeof parse>["values"];

interface Command {
  words: string;
  /** What follows the words, by name. */
  operands?: string[];
  /** The options it takes, and the value of each as the help shows it. */
  options?: Partial<Record<keyof Options, string>>;
  meaning: string;
  /** Resolves to the exit status, 0 if to nothing. */
  run(operands: string[], options: Options): Promise<number | void>;
}

const commands: Command[] = [
  {
    words: "serve",
    meaning: "serve the API; so does relata alone",
    run: () => serve(readConfig(process.env)),
  },
  {
    words: "migrate up",
    meaning: "apply every pending migration",
    run: () => migrate(readConfig(process.env), "up"),
  },
  {
    words: "migrate down",
    meaning: "revert the newest migration",
    run: () => migrate(readConfig(process.env), "down"),
  },
  {
    words: "migrate status",
    meaning: "list the migrations",
    run: () => migrate(readConfig(process.env), "status"),
  },
  {
    words: "config",
    meaning: "print the settings in force, without secrets",
    run: () => Promise.resolve(printConfig(process.env)),
  },
  {
    words: "openapi",
    meaning: "print the contract as an OpenAPI document",
    run: () => Promise.resolve(openapi(readConfig(process.env))),
  },
  {
    words: "contract check",
    operands: ["OLD", "NEW"],
    options: { json: "" },
    meaning: "judge whether one OpenAPI document keeps the contract of another",
    run: ([old = "", now = ""], { json = false }) => contractCheck(old, now, { json }),
  },
  {
    words: "token create",
    options: { scope: "read|write", name: "TEXT", expires: "DAYS|TIME" },
    meaning: "make a token, to read if not to write as well, and show it this once",
    run: (_, options) => tokenCreate(readConfig(process.env), options),
  },
  {
    words: "token list",
    meaning: "list the tokens, but not what they are",
    run: () => tokenList(readConfig(process.env)),
  },
  {
    words: "token revoke",
    operands: ["ID"],
    meaning: "end a token for good",
    run: ([id = ""]) => tokenRevoke(readConfig(process.env), id),
  },
];

const help = `relata ${manifest.version}: ${manifest.description}

Usage
${table(commands.map((command) => [`relata ${usage(command)}`, command.meaning]))}
  relata --help
  relata --version

Environment
${
  table(
    Object.entries(settings)
      .map(([name, { meaning, fallback }]) => [name, meaning + (fallback && ` [${fallback}]`)]),
  )
}

Exit status
  0  done; the contract is kept
  1  failed, for a reason outside the program; the contract is broken
  2  asked wrongly: an unknown command, a bad setting, an unreadable document`;

async function run(args: string[]): Promise<number | void> {
  const { values, positionals } = parse(args);
  if (values.help) return console.log(help);
  if (values.version) return console.log(manifest.version);
  const words = positionals.length === 0 ? ["serve"] : positionals;
  for (const command of commands) {
    const expected = command.words.split(" ");
    const operands = words.slice(expected.length);
    if (expected.some((word, place) => word !== words[place])) continue;
    if (operands.length !== (command.operands?.length ?? 0)) continue;
    const takes = (name: string) => Object.hasOwn(command.options ?? {}, name);
    if (!Object.keys(values).every(takes)) continue;
    return await command.run(operands, values);
  }
  throw new UsageError(`Unknown command "${args.join(" ")}": see relata --help`);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}: see relata --help`);
  }
}

function usage({ words, operands = [], options = {} }: Command): string {
  const optional = Object.entries(options).map(([name, value]) =>
    `[--${`${name} ${value}`.trim()}]`
  );
  return [words, ...operands, ...optional].join(" ");
}

function table(rows: string[][]): string {
  const width = Math.max(...rows.map(([first = ""]) => first.length));
  return rows.map(([first = "", second]) => `  ${first.padEnd(width)}  ${second}`).join("\n");
}

/** Ends the program when what it printed has gone, which a pipe may take its time to carry. */
async function end(status: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((gone) => stream.write("", () => gone()));
  }
  process.exit(status);
}

try {
  await end(await run(process.argv.slice(2)) ?? 0);
} catch (error) {
  console.error(`relata: ${(error as Error)?.message ?? error}`);
  await end(error instanceof UsageError ? 2 : 1);
}
