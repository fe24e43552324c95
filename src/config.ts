// Reads the environment into one frozen object. No other file reads settings.
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { basename, resolve } from "node:path";
import * as v from "valibot";
import { readAddress } from "./db/address.ts";
import { UsageError } from "./errors/usage.ts";
import { levels } from "./telemetry/log.ts";

/** Rows are read 128 to a statement, all in memory at once, and each may be as large as the body that
 * created it. */
const LARGEST_BODY = 4_000_000;

const LONGEST_TITLE = 100;

/** Every setting: its meaning, its default, its values. */
export const settings = {
  HOST: {
    meaning: "The address to listen on",
    fallback: "127.0.0.1",
    schema: v.pipe(v.string(), v.check(isHost, "must be an IP address or the name of a host")),
  },
  PORT: {
    meaning: "The port to listen on; 0 takes a free one",
    fallback: "8000",
    schema: integer(0, 65_535),
  },
  AUTH: {
    meaning:
      "Whether requests need a token: required, off; must be set unless HOST is a loopback address",
    fallback: "",
    schema: v.optional(oneOf(["required", "off"])),
  },
  RATE_LIMIT: {
    meaning: "Requests a minute for each token, counted by each process",
    fallback: "",
    schema: v.optional(integer(1, 1_000_000)),
  },
  CORS_ORIGINS: {
    meaning: "The origins whose scripts may send requests, separated by commas",
    fallback: "",
    schema: v.optional(v.pipe(
      v.string(),
      v.transform((text) => text.split(",").map((origin) => origin.trim())),
      v.everyItem(isOrigin, "must be origins as browsers send them, https://app.example.org"),
    )),
  },
  BASE_URL: {
    meaning: "The address that clients use; its path is the prefix of every path",
    fallback: "http://HOST:PORT",
    schema: v.optional(v.pipe(
      v.string(),
      v.check(
        isBaseUrl,
        "must be an http or https URL without user, query, fragment and empty segments",
      ),
      v.transform((url) => url.replace(/\/+$/, "")),
    )),
  },
  DATABASE_URL: {
    meaning: "The Postgres to use instead of the embedded one",
    fallback: "",
    schema: v.optional(v.string()), // read by `readAddress`
  },
  PROJECT_DIR: {
    meaning:
      "The folder of the project; by default the working directory, if it has a folder resources",
    fallback: "",
    schema: v.optional(folder()),
  },
  TITLE: {
    meaning: "The name of the API, in its document and on its page; by default that of the project",
    fallback: "Relata",
    schema: v.optional(v.pipe(
      v.string(),
      v.check(isLine, `must be one line of at most ${LONGEST_TITLE} characters`),
    )),
  },
  DATA_DIR: {
    meaning: "The folder of the embedded database; a project has it in its own folder",
    fallback: "./data",
    schema: v.optional(folder()),
  },
  FSYNC: {
    meaning: "Whether the embedded database has writes on the disk before it answers: on, off",
    fallback: "on",
    schema: onOrOff(),
  },
  LOG_LEVEL: {
    meaning: `The lowest level that is logged: ${levels.join(", ")}`,
    fallback: "info",
    schema: oneOf(levels),
  },
  BODY_LIMIT: {
    meaning: "The most bytes of a request body",
    fallback: "1048576",
    schema: integer(1, LARGEST_BODY),
  },
  TIME_LIMIT: {
    meaning: "Seconds until a request is answered with 408 or 504",
    fallback: "10",
    schema: integer(1, 3600),
  },
  KEEP_ALIVE: {
    meaning: "Seconds that an idle connection is kept; Node only",
    fallback: "75",
    schema: integer(1, 3600),
  },
  SHUTDOWN_DELAY: {
    meaning: "Seconds from a signal until the port closes, in which /readyz is 503 for balancers",
    fallback: "0",
    schema: integer(0, 3600),
  },
  IDEMPOTENCY_HOURS: {
    meaning: "Hours that an Idempotency-Key is kept, at least",
    fallback: "24",
    schema: integer(1, 720),
  },
  POOL_SIZE: {
    meaning: "The most connections to the Postgres at DATABASE_URL",
    fallback: "10",
    schema: integer(1, 1000),
  },
  PREPARED_STATEMENTS: {
    meaning: "Whether sessions keep prepared statements and time limits: on, off (PgBouncer)",
    fallback: "on",
    schema: onOrOff(),
  },
  PROCESSES: {
    meaning: "Processes that share the port, each with its own pool; DATABASE_URL only",
    fallback: "1",
    schema: integer(1, 64),
  },
  REUSE_PORT: {
    meaning: "Whether other processes may listen on the port too: on, off",
    fallback: "off",
    schema: onOrOff(),
  },
} as const;

/** The settings, read. */
export type Config = ReturnType<typeof readConfig>;

/** Reads the settings; throws a `UsageError` that names the first bad one. An empty variable counts as
 * not set, but for DATABASE_URL: the embedded database must not take its place unnoticed. */
export function readConfig(environment: Record<string, string | undefined>) {
  if (environment["DATABASE_URL"] === "") {
    throw new UsageError("DATABASE_URL is empty: unset it to use the embedded Postgres");
  }
  function setting<Name extends keyof typeof settings>(name: Name) {
    const { schema, fallback } = settings[name];
    const optional = schema.type === "optional";
    const value = environment[name] || (optional ? undefined : fallback);
    const result = v.safeParse(schema, value);
    if (result.success) return result.output as v.InferOutput<(typeof settings)[Name]["schema"]>;
    throw new UsageError(
      `${name} ${result.issues[0].message}: it is ${JSON.stringify(value ?? "")}`,
    );
  }
  const [host, port] = [setting("HOST"), setting("PORT")];
  const databaseUrl = setting("DATABASE_URL");
  const projectDir = setting("PROJECT_DIR") ?? (existsSync("resources") ? "." : undefined);
  const auth = setting("AUTH") ?? (isLoopback(host) ? "off" : undefined);
  return Object.freeze({
    host,
    port,
    /** Undefined if AUTH is not set and other machines can connect. */
    authRequired: auth === undefined ? undefined : auth === "required",
    rateLimit: setting("RATE_LIMIT"),
    corsOrigins: setting("CORS_ORIGINS") ?? [],
    /** Without a final slash; undefined if it follows from the port, which is any free one. */
    baseUrl: setting("BASE_URL") ?? (port === 0 ? undefined : addressOf(host, port)),
    databaseUrl: databaseUrl === undefined ? undefined : readAddress(databaseUrl, environment),
    /** Undefined for the resources of the specification. */
    projectDir,
    title: setting("TITLE") ??
      (projectDir === undefined ? settings.TITLE.fallback : basename(resolve(projectDir))),
    dataDir: setting("DATA_DIR") ?? `${projectDir ?? "."}/data`,
    fsync: setting("FSYNC"),
    logLevel: setting("LOG_LEVEL"),
    bodyLimit: setting("BODY_LIMIT"),
    timeLimit: setting("TIME_LIMIT"),
    keepAlive: setting("KEEP_ALIVE"),
    shutdownDelay: setting("SHUTDOWN_DELAY"),
    idempotencyHours: setting("IDEMPOTENCY_HOURS"),
    poolSize: setting("POOL_SIZE"),
    preparedStatements: setting("PREPARED_STATEMENTS"),
    processes: setting("PROCESSES"),
    reusePort: setting("REUSE_PORT"),
  });
}

export interface Access {
  /** Whether requests need a token, except those that are open to all. */
  authRequired: boolean;
  /** The requests a minute of one token, if there is a limit. */
  rateLimit: number | undefined;
}

/** Whether tokens are needed, and the rate limit. Throws if nobody has said whether others than this
 * machine need a token. */
export function accessOf({ authRequired, rateLimit, host }: Config): Access {
  if (authRequired === undefined) {
    throw new UsageError(
      `AUTH must be set, because HOST "${host}" is not a loopback address: AUTH=required admits ` +
        'holders of a token of "relata token create", AUTH=off admits anyone who reaches the port',
    );
  }
  if (rateLimit !== undefined && !authRequired) {
    throw new UsageError("RATE_LIMIT counts the requests of a token, so it requires AUTH=required");
  }
  return { authRequired, rateLimit };
}

/** The number of processes; throws if there are several for an embedded database, which only one can
 * own. */
export function processesOf({ processes, databaseUrl }: Config): number {
  if (processes === 1 || databaseUrl !== undefined) return processes;
  throw new UsageError("PROCESSES greater than 1 requires DATABASE_URL");
}

/** The URL of a server at a host and port. */
export function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The path of a base URL, with which every path and link of the server begins. */
export function prefixOf(baseUrl: string | undefined): string {
  return baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
}

/** Whether a host, of a setting or of a URL, is this machine. */
export function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127(\.\d+){3}|\[?(0*:)+0*1\]?)$/.test(host);
}

function integer(minimum: number, maximum: number) {
  const message = `must be an integer from ${minimum} to ${maximum}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/, message),
    v.transform(Number),
    v.minValue(minimum, message),
    v.maxValue(maximum, message),
  );
}

function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, `must be one of ${words.join(", ")}`);
}

/** A path as the system takes it: only shells know "~", and an unseen character is no part of any name. */
function folder() {
  return v.pipe(
    v.string(),
    v.regex(/^[^~\p{C}]\P{C}*$/u, "must be a path without ~ and line ends"),
  );
}

function onOrOff() {
  return v.pipe(oneOf(["on", "off"]), v.transform((text) => text === "on"));
}

/** Whether a text is one line, and no long one. */
function isLine(text: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text) && [...text].length <= LONGEST_TITLE;
}

function isHost(text: string): boolean {
  return (isIP(text) !== 0 || /^[\w.-]+$/.test(text)) && URL.canParse(addressOf(text, 0));
}

/** A path that begins with two slashes would be a link to another host (RFC 3986, section 4.2). */
function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:\/\/[^\s?#]+$/i.test(text) && !url.username && !url.password &&
    !url.pathname.includes("//");
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+$/.test(text) && URL.parse(text)?.origin === text;
}
