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

/** What the page gives itself, or must not know: everybody can read it. */
const GIVEN = [
  "response_type",
  "redirect_uri",
  "state",
  "code_challenge",
  "code_challenge_method",
  "client_secret",
];

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
      "Whether requests need a token: required, off; must be set unless HOST is a loopback address, " +
      "or JWT_ISSUER is set, which needs them",
    fallback: "",
    schema: v.optional(oneOf(["required", "off"])),
  },
  JWT_ISSUER: {
    meaning: "The URL of the OpenID provider whose JWTs are taken, exactly as in their claim iss",
    fallback: "",
    schema: v.optional(
      v.pipe(
        v.string(),
        v.check(isIssuer, "must be an http or https URL without user, query and fragment"),
      ),
    ),
  },
  JWT_AUDIENCE: {
    meaning: "What a JWT must be made for: its claim aud has one of these, separated by commas",
    fallback: "",
    schema: v.optional(v.pipe(
      v.string(),
      v.transform((text) => text.split(",").map((audience) => audience.trim())),
      v.everyItem((audience) => audience !== "", "must be texts, separated by commas"),
    )),
  },
  JWT_AUDIENCE_CLAIM: {
    meaning: "The claim that is compared with JWT_AUDIENCE; a name, or a JSON pointer",
    fallback: "aud",
    schema: v.optional(claim()),
  },
  JWT_KEYS: {
    meaning:
      "The URL or the file of the issuer's keys; by default the issuer is asked where they are",
    fallback: "",
    schema: v.optional(v.pipe(
      v.string(),
      v.check(
        isKeySet,
        "must be an http or https URL without user and fragment, or a path without ~ and line ends",
      ),
    )),
  },
  JWT_ROLES: {
    meaning: "The claim that holds the roles of a caller; a name, or a JSON pointer",
    fallback: "roles",
    schema: v.optional(claim()),
  },
  JWT_READ_SCOPE: {
    meaning: "The scope that a JWT needs to read; by default none",
    fallback: "",
    schema: v.optional(scope()),
  },
  JWT_WRITE_SCOPE: {
    meaning: "The scope that a JWT needs to write; by default that of JWT_READ_SCOPE",
    fallback: "",
    schema: v.optional(scope()),
  },
  SIGN_IN: {
    meaning: "How /docs/ asks the issuer to sign people in, as in client_id=docs&scope=openid",
    fallback: "",
    schema: v.optional(signIn()),
  },
  RATE_LIMIT: {
    meaning: "Requests a minute for each caller, counted by each process",
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
  HISTORY_DAYS: {
    meaning: "Days that the changes of rows are kept, at least, for resources with a history",
    fallback: "30",
    schema: integer(1, 3650),
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
  const jwtIssuer = setting("JWT_ISSUER");
  const auth = setting("AUTH") ??
    (jwtIssuer === undefined ? isLoopback(host) ? "off" : undefined : "required");
  return Object.freeze({
    host,
    port,
    /** Undefined if AUTH is not set and other machines can connect. */
    authRequired: auth === undefined ? undefined : auth === "required",
    jwtIssuer,
    jwtAudience: setting("JWT_AUDIENCE"),
    jwtAudienceClaim: setting("JWT_AUDIENCE_CLAIM"),
    jwtKeys: setting("JWT_KEYS"),
    jwtRoles: setting("JWT_ROLES"),
    jwtReadScope: setting("JWT_READ_SCOPE"),
    jwtWriteScope: setting("JWT_WRITE_SCOPE"),
    signIn: setting("SIGN_IN"),
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
    historyDays: setting("HISTORY_DAYS"),
    poolSize: setting("POOL_SIZE"),
    preparedStatements: setting("PREPARED_STATEMENTS"),
    processes: setting("PROCESSES"),
    reusePort: setting("REUSE_PORT"),
  });
}

/** The OpenID provider whose JWTs are taken, and how they are read. */
export interface Issuer {
  /** What their claim `iss` is. */
  url: string;
  /** Of which a JWT has one. */
  audiences: readonly string[];
  /** The claim that has them. */
  audienceClaim: string;
  /** The URL or file of its keys, if they are not where the discovery says. */
  keys: string | undefined;
  /** The scopes that a JWT needs to read and to write. */
  readScope: string | undefined;
  writeScope: string | undefined;
  /** The parameters with which people are sent to it from the page, as a query; without them, they are not. */
  signIn?: string | undefined;
}

export interface Access {
  /** Whether requests need a token, except those that are open to all. */
  authRequired: boolean;
  /** The requests a minute of one caller, if there is a limit. */
  rateLimit: number | undefined;
  issuer?: Issuer | undefined;
  /** The claim that has the roles of a caller; by default `roles`. */
  rolesClaim?: string;
}

/** Whether tokens are needed, those of whom, and the rate limit. Throws if nobody has said whether others than
 * this machine need a token, or if settings contradict each other. */
export function accessOf(config: Config): Access {
  const { authRequired, rateLimit, host, jwtRoles = settings.JWT_ROLES.fallback } = config;
  if (authRequired === undefined) {
    throw new UsageError(
      `AUTH must be set, because HOST "${host}" is not a loopback address: AUTH=required admits ` +
        'holders of a token of "relata token create", AUTH=off admits anyone who reaches the port',
    );
  }
  if (rateLimit !== undefined && !authRequired) {
    throw new UsageError("RATE_LIMIT counts the requests of a token, so it requires AUTH=required");
  }
  return { authRequired, rateLimit, issuer: issuerOf(config), rolesClaim: jwtRoles };
}

function issuerOf(config: Config): Issuer | undefined {
  const { jwtIssuer: url, jwtAudience: audiences, authRequired, ...rest } = config;
  const { jwtAudienceClaim, jwtKeys: keys, jwtRoles, signIn } = rest;
  const { jwtReadScope: readScope, jwtWriteScope: writeScope } = rest;
  if (url === undefined) {
    const [useless] = Object.entries({
      JWT_AUDIENCE: audiences,
      JWT_AUDIENCE_CLAIM: jwtAudienceClaim,
      JWT_KEYS: keys,
      JWT_ROLES: jwtRoles,
      JWT_READ_SCOPE: readScope,
      JWT_WRITE_SCOPE: writeScope,
      SIGN_IN: signIn,
    }).find(([, value]) => value !== undefined) ?? [];
    if (useless === undefined) return undefined;
    throw new UsageError(`${useless} is about the JWTs of an issuer, so it requires JWT_ISSUER`);
  }
  if (!authRequired) {
    throw new UsageError("JWT_ISSUER says whose tokens are taken, so it requires AUTH=required");
  }
  if (audiences === undefined) {
    throw new UsageError(
      "JWT_ISSUER requires JWT_AUDIENCE: without it, tokens that the issuer made for others were taken",
    );
  }
  const audienceClaim = jwtAudienceClaim ?? settings.JWT_AUDIENCE_CLAIM.fallback;
  return { url, audiences, audienceClaim, keys, readScope, writeScope, signIn };
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

/** The name of a claim, or a JSON pointer to it. */
function claim() {
  return v.pipe(
    v.string(),
    v.regex(/^(?!\/)\P{C}+$|^(\/([^~/\p{C}]|~[01])*)+$/u, "must be a name, or a JSON pointer"),
  );
}

/** A scope of OAuth (RFC 6749, section 3.3). */
function scope() {
  return v.pipe(v.string(), v.regex(/^[!#-[\]-~]+$/, "must be one scope, without blanks"));
}

/** Parameters of an authorization request (RFC 6749, section 4.1.1). Only resources may be several (RFC 8707). */
function signIn() {
  const all = (parameters: URLSearchParams) => [...parameters.keys()];
  return v.pipe(
    v.string(),
    v.transform((text) => new URLSearchParams(text)),
    v.check(
      (given) => Boolean(given.get("client_id")),
      "must have a client_id, as in client_id=docs&scope=openid",
    ),
    v.check(
      (given) => !all(given).some((name) => GIVEN.includes(name)),
      `must have none of ${GIVEN.join(", ")}`,
    ),
    v.check(
      (given) => all(given).every((name) => name === "resource" || given.getAll(name).length === 1),
      "must have each parameter once",
    ),
    v.transform((given) => {
      if (!given.has("scope")) given.set("scope", "openid");
      return given.toString();
    }),
  );
}

function folder() {
  return v.pipe(
    v.string(),
    v.check(isPath, "must be a path without ~ and line ends"),
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

/** A path as the system takes it: only shells know "~", and an unseen character is no part of any name. */
function isPath(text: string): boolean {
  return /^[^~\p{C}]\P{C}*$/u.test(text);
}

function isIssuer(text: string): boolean {
  return isHttpUrl(text) && !text.includes("?");
}

function isKeySet(text: string): boolean {
  return text.includes("://") ? isHttpUrl(text) : isPath(text);
}

/** Whether a text is a URL without user and fragment. */
function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:\/\/[^\s#]+$/i.test(text) && !url.username && !url.password;
}

/** A path that begins with two slashes would be a link to another host (RFC 3986, section 4.2). */
function isBaseUrl(text: string): boolean {
  return isHttpUrl(text) && !text.includes("?") && !new URL(text).pathname.includes("//");
}

export function isOrigin(text: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+$/.test(text) && URL.parse(text)?.origin === text;
}
