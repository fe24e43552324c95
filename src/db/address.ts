// Reads DATABASE_URL as libpq does (its documentation, "Connection URIs" and "Parameter Key Words"). An
// address that psql accepts means the same here, is read more strictly (`sslmode=allow`,
// `channel_binding=require`), or is refused with a sentence that names the part at fault. The sentence
// shows no value of the address, because it may be a piece of the password.
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { userInfo } from "node:os";
import { UsageError } from "../errors/usage.ts";

export interface Address {
  /** At least one, in the order in which they are tried. */
  hosts: Host[];
  user: string;
  /** Empty if there is none. */
  password: string;
  database: string;
  tls: Tls;
  /** Seconds that a host has to answer; undefined if the address does not say. */
  connectTimeout: number | undefined;
  targetSessionAttrs: string | undefined;
  /** Settings for each session: `application_name` and `options`, if they are given. */
  settings: Record<string, string>;
  /** The address again, without the password. */
  shown: string;
}

/** A host, or the socket of Postgres in a folder of this machine, which has no TLS. */
export type Host = { host: string; port: number } | { path: string };

export interface Tls {
  /** `prefer`: if the server offers it. `require`: with any server. `verify-ca`: if a trusted authority
   * has signed its certificate. `verify-full`: if the certificate is also for this host. */
  mode: "disable" | "prefer" | "require" | "verify-ca" | "verify-full";
  /** Reads the authorities to trust, as PEM; undefined means those that the runtime trusts. */
  authorities: (() => string) | undefined;
}

/** The parameters, the environment variable that psql reads instead of each, and the values that are
 * accepted, where there is a limit. */
const addressParameters: Record<string, { variable: string; values?: string[] }> = {
  host: { variable: "PGHOST" },
  port: { variable: "PGPORT" },
  user: { variable: "PGUSER" },
  password: { variable: "PGPASSWORD" },
  dbname: { variable: "PGDATABASE" },
  sslmode: {
    variable: "PGSSLMODE",
    values: ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
  },
  sslrootcert: { variable: "PGSSLROOTCERT" },
  channel_binding: {
    variable: "PGCHANNELBINDING",
    values: ["disable", "prefer", "require"],
  },
  connect_timeout: { variable: "PGCONNECT_TIMEOUT" },
  target_session_attrs: {
    variable: "PGTARGETSESSIONATTRS",
    values: ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
  },
  application_name: { variable: "PGAPPNAME" },
  options: { variable: "PGOPTIONS" },
};

type Words = Record<string, string | undefined>;

/** Reads an address; throws a `UsageError` if it is malformed, or asks for something not supported. */
export function readAddress(
  text: string,
  environment: Record<string, string | undefined> = {},
): Address {
  const words = { ...wordsAround(environment), ...addressWords(text) };
  for (const name of ["PGSERVICE", "PGPASSFILE", "PGSSLCERT", "PGSSLKEY"]) {
    if (!environment[name] || name === "PGPASSFILE" && words["password"]) continue;
    throw new UsageError(`${name} is set, which is not supported: unset it`);
  }
  for (const [name, { values }] of Object.entries(addressParameters)) {
    const word = words[name];
    if (word === undefined || !values || values.includes(word)) continue;
    refuseAddress(`has a "${name}" that is not one of ${values.join(", ")}`);
  }
  const user = words["user"] || systemUser();
  const database = words["dbname"] || user;
  const hosts = hostsOf(words);
  return {
    hosts,
    user,
    password: words["password"] ?? "",
    database,
    tls: tlsOf(words),
    connectTimeout: secondsOf(words["connect_timeout"]),
    targetSessionAttrs: words["target_session_attrs"],
    settings: pick(words, ["application_name", "options"]),
    shown: shownAddress({ ...words, user, dbname: database }, hosts),
  };
}

/** Where the data is, without secrets. */
export function locationOf({ database, hosts }: Address): string {
  const names = hosts.map((host) => "path" in host ? host.path : host.host);
  return `database "${database}" on ${names.join(", ")}`;
}

/** The user and the password end at the first "@" before any "/", and so may hold a "?". */
const PARTS =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@/:]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

/** A host and its port; several are separated by commas. */
const HOST = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:[\]]*))(?::(?<port>.*))?$/;

/** The parts of the address by the names of their parameters. */
function addressWords(text: string): Words {
  if (/\s/.test(text)) refuseAddress("has blanks: write them as %20");
  const parts = PARTS.exec(text)?.groups;
  if (!parts) return refuseAddress('must begin with "postgres://"');
  const { user, password, hosts = "", database, query } = parts;
  if ([hosts, database, query].some((part) => part?.includes("@")) || user?.includes("?")) {
    refuseAddress(
      'has an "@" where none can stand: in the user and the password "/", "?" and "@" are written as ' +
        "%2F, %3F and %40",
    );
  }
  const each = hosts.split(",").map((one) =>
    HOST.exec(one)?.groups ?? refuseAddress("has a host whose brackets or colons do not match")
  );
  const names = each.map(({ address, name }) => address ?? name);
  const ports = each.map(({ port }) => port ?? "");
  return {
    ...set("user", user),
    ...set("password", password),
    ...set("host", names.join(",")),
    ...set("port", ports.join(",")),
    ...set("dbname", database),
    ...queryWords(query),
  };
}

/** An empty part counts as left out. */
function set(name: string, text: string | undefined): Words {
  return text ? { [name]: decodedPart(name, text) } : {};
}

function queryWords(query: string | undefined): Words {
  const words: Words = {};
  for (const pair of query ? query.split("&") : []) {
    const [name = "", value, ...rest] = pair.split("=");
    if (value === undefined || rest.length > 0) {
      refuseAddress('has a parameter that is not written as "name=value"');
    }
    if (pair === "ssl=true") words["sslmode"] = "require";
    else if (Object.hasOwn(addressParameters, name)) words[name] = decodedPart(name, value!);
    else refuseAddress(`has the parameter "${name.slice(0, 64)}", which is not supported`);
  }
  return words;
}

function wordsAround(environment: Record<string, string | undefined>): Words {
  return Object.fromEntries(
    Object.entries(addressParameters)
      .filter(([, { variable }]) => environment[variable])
      .map(([name, { variable }]) => [name, environment[variable]]),
  );
}

function decodedPart(name: string, text: string): string {
  try {
    const value = decodeURIComponent(text);
    if (!value.includes("\0")) return value;
  } catch {
    // Not UTF-8, or not hexadecimal
  }
  return refuseAddress(
    `has a "%" in its ${name} that does not stand for a character: write the "%" as %25`,
  );
}

function hostsOf({ host, port = "" }: Words): Host[] {
  if (!host) {
    refuseAddress(
      "names no host: postgres://host/database does, and postgres:///database?host=/run/postgresql " +
        "the folder of a socket",
    );
  }
  const names = host!.split(",");
  const ports = port.split(",");
  if (ports.length > 1 && ports.length !== names.length) {
    refuseAddress("has a different number of ports than hosts");
  }
  return names.map((name, index) => {
    const number = portOf(ports[ports.length > 1 ? index : 0]!);
    if (name.startsWith("/")) return { path: `${name}/.s.PGSQL.${number}` };
    if (isIP(name) !== 0 || /^[\w.-]+$/.test(name)) return { host: name, port: number };
    return refuseAddress(
      "has a host that is neither a name, an IP address nor the folder of a socket",
    );
  });
}

function portOf(text: string): number {
  const port = Number(text || 5432);
  if (/^\d{0,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  return refuseAddress("has a port that is not an integer from 1 to 65535");
}

/** The client has no channel binding. It protects from a server in the middle, as a certificate for the
 * host does too. */
function tlsOf({ sslmode, sslrootcert, channel_binding }: Words): Tls {
  const isSystem = sslrootcert === "system";
  const authorities = sslrootcert && !isSystem
    ? () => readFileSync(sslrootcert, "utf8")
    : undefined;
  try {
    authorities?.();
  } catch (error) {
    refuseAddress(`has a "sslrootcert" that cannot be read: ${(error as { code?: string }).code}`);
  }
  const mode = sslmode ?? (isSystem ? "verify-full" : "prefer");
  if (isSystem && mode !== "verify-full") {
    refuseAddress('has "sslrootcert=system", which takes "sslmode=verify-full"');
  }
  if (channel_binding === "require") return { mode: "verify-full", authorities };
  if (mode === "require" && authorities) return { mode: "verify-ca", authorities };
  return { mode: mode === "allow" ? "prefer" : mode as Tls["mode"], authorities };
}

/** As in libpq, 0 and less mean no limit. */
function secondsOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (!/^-?\d{1,9}$/.test(text)) refuseAddress('has a "connect_timeout" that is not an integer');
  return Number(text) > 0 ? Number(text) : undefined;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return refuseAddress("names no user, and the user of the system has no name");
  }
}

function shownAddress(words: Words, hosts: Host[]): string {
  const { user = "", password, dbname = "", host: _, port: __, ...rest } = words;
  const secret = password ? ":***" : "";
  const query = Object.entries(rest)
    .filter(([, word]) => word)
    .map(([name, word]) => `${name}=${encodeURIComponent(word!)}`);
  return `postgres://${encodeURIComponent(user)}${secret}@${hosts.map(hostText).join(",")}` +
    `/${encodeURIComponent(dbname)}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

function hostText(host: Host): string {
  if (!("path" in host)) {
    return `${isIP(host.host) === 6 ? `[${host.host}]` : host.host}:${host.port}`;
  }
  const [folder = "", port] = host.path.split("/.s.PGSQL.");
  return `${encodeURIComponent(folder)}:${port}`;
}

function pick(words: Words, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => words[name] ? [[name, words[name]]] : []));
}

function refuseAddress(sentence: string): never {
  throw new UsageError(`DATABASE_URL ${sentence}`);
}
