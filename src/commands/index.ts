// The table of commands, and the choice of one by the words on the command line.
import process from "node:process";
import { parseArgs } from "node:util";
import manifest from "../../package.json" with { type: "json" };
import { licenseText } from "../assets/files.ts";
import { readConfig, settings } from "../config.ts";
import { UsageError } from "../errors/usage.ts";
import { print } from "../terminal/output.ts";
import { table } from "../terminal/table.ts";
import { endAtOnce } from "./signals.ts";

/** All options; each command takes some of them. */
const commandOptions = {
  help: { type: "boolean", meaning: "shows this help, or that of a command" },
  version: { type: "boolean", meaning: "prints the version" },
  licenses: { type: "boolean", meaning: "prints the licences of everything included" },
  json: { type: "boolean", meaning: "prints JSON" },
  to: { type: "string", meaning: "the number of the migration to end at" },
  scope: { type: "string", multiple: true, meaning: "what the token allows [read]" },
  as: { type: "string", meaning: "whom the token stands for, as claims in JSON [a service]" },
  name: { type: "string", meaning: "the name of its holder, at most 64 characters" },
  all: { type: "boolean", meaning: "all tables of the database" },
  schema: { type: "string", meaning: "the tables of a schema alone" },
  expires: { type: "string", meaning: "when it expires: days from now, a date or a time [never]" },
} as const;

/** The exit status of a command. */
const statuses: Record<number, string> = {
  0: "done",
  1: "failed",
  2: "usage error: an unknown command or a bad setting",
};

type CommandOptions = ReturnType<typeof parseArguments>["values"];

interface Command {
  words: string;
  /** The operands after the words, by name, with their meanings. */
  operands?: Record<string, string>;
  /** Whether the operands are optional. */
  isOptional?: boolean;
  /** Whether there may be several of its operand. */
  isRepeated?: boolean;
  /** The options, each with the name of its value in the help. */
  options?: Partial<Record<keyof CommandOptions, string>>;
  /** Whether it is another command without any. */
  needsOption?: boolean;
  meaning: string;
  /** The exit status, if it differs from that of other commands. */
  statuses?: Record<number, string>;
  /** Resolves to the exit status; 0 if undefined. */
  run(operands: string[], options: CommandOptions): Promise<number | void>;
}

const config = () => readConfig(process.env);

/** The code of each is loaded when it is called, so that help and mistakes are told at once. */
const commands: Command[] = [
  {
    words: "serve",
    meaning: "serves the API; so does relata alone",
    run: async () => (await import("./serve.ts")).serve(config()),
  },
  {
    words: "init",
    operands: { DIR: "the folder, which is made if it is not there" },
    meaning: "begins a project in a folder, and overwrites nothing",
    run: async ([folder = ""]) => (await import("./init.ts")).init(folder),
  },
  {
    words: "migrate up",
    options: { to: "N" },
    meaning: "applies the pending migrations, up to number N",
    run: async (_, options) => (await import("./migrate.ts")).up(config(), options),
  },
  {
    words: "migrate down",
    options: { to: "N" },
    meaning: "reverts the newest migration, or all after number N",
    run: async (_, options) => (await import("./migrate.ts")).down(config(), options),
  },
  {
    words: "migrate status",
    options: { json: "" },
    meaning: "lists the migrations; exit status 1 if one is pending",
    statuses: { 0: "none is pending", 1: "one is pending, or the database cannot be reached" },
    run: async (_, options) => (await import("./migrate.ts")).status(config(), options),
  },
  {
    words: "migrate verify",
    meaning: "finds applied migrations whose files were edited or are gone; exit status 1 if so",
    statuses: { 0: "there are none", 1: "there are some, or the database cannot be reached" },
    run: async () => (await import("./migrate.ts")).verify(config()),
  },
  {
    words: "migrate print",
    meaning: "prints the SQL of the pending migrations for psql; without DATABASE_URL, of all",
    run: async () => (await import("./migrate.ts")).printMigrations(config()),
  },
  {
    words: "migrate grants",
    meaning: "prints the SQL that lets a role serve, and no more",
    run: async () => (await import("./migrate.ts")).grants(config()),
  },
  {
    words: "declare",
    operands: { TABLE: "a table or a view, with its schema where that is not in the search path" },
    isRepeated: true,
    meaning: "prints the resource files for existing tables",
    run: async (tables) => (await import("./declare.ts")).declare(config(), tables),
  },
  {
    words: "declare",
    options: { all: "", schema: "NAME" },
    needsOption: true,
    meaning: "writes them for a whole database into resources/, and overwrites nothing",
    run: async (_, { all = false, schema }) => {
      if (all && schema !== undefined) {
        throw new UsageError("--all and --schema do not go together");
      }
      await (await import("./declare.ts")).declareAll(config(), schema);
    },
  },
  {
    words: "dump",
    meaning: "prints the data of the embedded database as SQL for psql",
    run: async () => (await import("./dump.ts")).dumpCommand(config()),
  },
  {
    words: "config",
    meaning: "prints the settings, without secrets",
    run: async () => (await import("./config.ts")).printConfig(process.env),
  },
  {
    words: "openapi",
    meaning: "prints the OpenAPI document",
    run: async () => (await import("./openapi.ts")).openapi(config()),
  },
  {
    words: "check",
    meaning: "tells where the database differs from the declarations; exit status 1 then",
    statuses: { 0: "nothing differs", 1: "something differs, or the database cannot be reached" },
    run: async () => (await import("./check.ts")).check(config()),
  },
  {
    words: "access",
    options: { json: "" },
    meaning: "prints who may do what to which rows",
    run: async (_, options) => (await import("./access.ts")).printAccess(config(), options),
  },
  {
    words: "statements",
    operands: {
      RESOURCE: "the resource, report or action whose statements to print; all by default",
    },
    isOptional: true,
    meaning: "prints the SQL that the server runs, ready for explain in psql",
    run: async ([resource]) => (await import("./statements.ts")).statements(config(), resource),
  },
  {
    words: "contract check",
    operands: {
      OLD: "the document that clients know, a file or a URL",
      NEW: "the document to judge",
    },
    options: { json: "" },
    meaning:
      "tells whether a new OpenAPI document breaks callers of the old one; exit status 1 then",
    statuses: {
      0: "the contract is kept",
      1: "it is broken, or something differs that is not judged, such as a union",
      2: "a document is unreadable",
    },
    run: async ([old = "", now = ""], options) =>
      (await import("./contract.ts")).contractCheck(old, now, options),
  },
  {
    words: "token create",
    options: { scope: "read|write", name: "TEXT", expires: "DAYS|TIME", as: "CLAIMS" },
    meaning: "makes a token, for reading by default, and shows it once",
    run: async (_, options) => (await import("./token.ts")).tokenCreate(config(), options),
  },
  {
    words: "token list",
    options: { json: "" },
    meaning: "lists the tokens, without their values",
    run: async (_, options) => (await import("./token.ts")).tokenList(config(), options),
  },
  {
    words: "token revoke",
    operands: { ID: "the identifier that relata token list shows" },
    meaning: "ends a token for good",
    run: async ([id = ""]) => (await import("./token.ts")).tokenRevoke(config(), id),
  },
];

const help = `relata ${manifest.version}: ${manifest.description}

Usage
${
  alignedRows([
    ...commands.map((command) => [`relata ${usage(command)}`, command.meaning]),
    ...(["help", "version", "licenses"] as const)
      .map((name) => [`relata --${name}`, commandOptions[name].meaning]),
  ])
}

Environment
${
  alignedRows(
    Object.entries(settings)
      .map(([name, { meaning, fallback }]) => [name, meaning + (fallback && ` [${fallback}]`)]),
  )
}

Exit status
${alignedRows(Object.entries(statuses))}

relata COMMAND --help explains a command, relata config prints the settings.`;

/** Runs a command; resolves to its exit status, 0 if undefined. Rejects with a `UsageError` if there is no
 * such command. */
export async function run(args: string[]): Promise<number | void> {
  const { values, positionals } = parseArguments(args);
  if (values.help) return await print(helpOn(positionals));
  if (args.length === 1 && values.version) return await print(manifest.version);
  if (args.length === 1 && values.licenses) return await print(licenseText());
  const words = positionals.length === 0 ? ["serve"] : positionals;
  for (const command of commands) {
    const expected = command.words.split(" ");
    const operands = words.slice(expected.length);
    if (expected.some((word, index) => word !== words[index])) continue;
    if (!fits(command, operands.length)) continue;
    if (command.needsOption && Object.keys(values).length === 0) continue;
    const takes = (name: string) => Object.hasOwn(command.options ?? {}, name);
    if (!Object.keys(values).every(takes)) continue;
    if (command.words !== "serve") endAtOnce();
    return await command.run(operands, values);
  }
  const asked = positionals.join(" ");
  const meant = commands.find(({ words }) => `${asked} `.startsWith(`${words} `));
  if (meant) throw new UsageError(`The command is used as "relata ${usage(meant)}"`);
  const longer = commands.filter(({ words }) => words.startsWith(`${asked} `));
  if (longer.length === 0) {
    throw new UsageError(`Unknown command "${args.join(" ")}": see relata --help`);
  }
  const added = longer.map(({ words }) => words.slice(asked.length + 1)).join(", ");
  throw new UsageError(`"${asked}" takes one of ${added}: see relata --help`);
}

/** Whether a command takes so many operands. */
function fits({ operands = {}, isOptional, isRepeated }: Command, count: number): boolean {
  const expected = Object.keys(operands).length;
  if (isRepeated && count > expected) return true;
  return count === expected || (isOptional === true && count === 0);
}

function parseArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: commandOptions });
  } catch (error) {
    const [message = ""] = (error as Error).message.replaceAll("'", '"').split(/\.\s|\n/);
    throw new UsageError(`${message}: see relata --help`);
  }
}

/** The help for the commands that begin with these words. */
function helpOn(words: string[]): string {
  if (words.length === 0) return help;
  const about = commands.filter((command) =>
    command.words.split(" ").every((word, index) => word === (words[index] ?? word))
  );
  if (about.length > 0) return about.map(manual).join("\n\n");
  throw new UsageError(`Unknown command "${words.join(" ")}": see relata --help`);
}

function manual(command: Command): string {
  const { meaning, operands = {}, options: accepted = {}, statuses: own } = command;
  const described = Object.entries(accepted).map(([name, value]) => [
    `--${name} ${value}`.trim(),
    commandOptions[name as keyof typeof commandOptions].meaning,
  ]);
  const rows = [...Object.entries(operands), ...described];
  return [
    `relata ${usage(command)}: ${meaning}`,
    ...rows.length === 0 ? [] : [alignedRows(rows)],
    `Exit status\n${alignedRows(Object.entries({ ...statuses, ...own }))}`,
  ].join("\n\n");
}

function usage({ words, operands = {}, isOptional, isRepeated, options = {} }: Command): string {
  const optional = Object.entries(options).map(([name, value]) =>
    `[--${`${name} ${value}`.trim()}]`
  );
  const named = Object.keys(operands).map((name) =>
    isOptional ? `[${name}]` : isRepeated ? `${name}…` : name
  );
  return [words, ...named, ...optional].join(" ");
}

/** Rows of two cells, aligned for the help. */
function alignedRows(rows: string[][]): string {
  return table(rows).replaceAll(/^/gm, "  ");
}
