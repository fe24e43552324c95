// Instances of Relata behind HAProxy, which are ended and replaced while clients send requests.
import type postgres from "postgres";
import * as assert from "uvu/assert";
import { freePort } from "../port.ts";
import { how } from "../faults/load.ts";
import { endAll, type How, serve, type Server, until } from "../program.ts";
import { freshPostgres } from "../service.ts";
import { type Clients, type Outcome, patient, seed, startClients } from "./clients.ts";
import { type Proxy, startProxy } from "./program.ts";

/** The instances, as the proxy names them. */
export const names = ["one", "two"] as const;
export type Name = (typeof names)[number];

export interface Fleet {
  proxy: Proxy;
  clients: Clients;
  /** The database, and its address. */
  sql: postgres.Sql;
  url: string;
  /** Ends an instance by a signal, and resolves when the proxy knows. */
  end(name: Name, signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it again, of another version where one is given, and resolves when the proxy knows. */
  start(name: Name, version?: How): Promise<void>;
}

/** Lets clients ask two instances through a proxy while something is done to these; resolves to what
 * they were answered, when `inspect` has looked at it beside the database. */
export async function withFleet(
  work: (fleet: Fleet) => Promise<void>,
  inspect: (outcome: Outcome, sql: postgres.Sql) => void | Promise<void>,
  replacements: Record<string, string> = {},
): Promise<void> {
  const { sql, url, stop } = await freshPostgres();
  await seed(sql);
  const ports = { one: await freePort(), two: await freePort() };
  const servers = {} as Record<Name, Server>;
  const proxy = await startProxy([ports.one, ports.two], how, replacements);
  const seen = (name: Name, status: "UP" | "DOWN") =>
    until(`the proxy sees that ${name} is ${status}`, async () => {
      return (await proxy.figures(name))["status"]!.startsWith(status);
    });
  async function start(name: Name, version: How = {}): Promise<void> {
    const environment = { DATABASE_URL: url, PORT: String(ports[name]), ...patient };
    servers[name] = await serve(environment, { ...how, ...version });
    await seen(name, "UP");
  }
  try {
    await Promise.all(names.map((name) => start(name)));
    const clients = startClients(proxy.url);
    const end: Fleet["end"] = async (name, signal) => {
      const { status, stderr } = await servers[name].kill(signal);
      assert.equal([status, stderr], [signal === "SIGTERM" ? 0 : null, ""]);
      await seen(name, "DOWN");
    };
    try {
      await work({ proxy, clients, sql, url, start, end });
    } finally {
      await clients.stop();
    }
    await inspect(clients.outcome, sql);
  } finally {
    await endAll();
    await proxy.stop();
    await stop();
  }
}
