// The role that an operator gives the server: it may serve, and nothing else.
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { type Action, grantsFor, type Resource, resources } from "./house.ts";

/** What gives a role its rights, for psql. */
export const grants = grantsFor(resources);

export interface Role {
  name: string;
  /** The address of the database, for this role. */
  url: string;
  /** Gives it its rights, as psql does. */
  grant(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a role that has its rights on a database, to serve resources. */
export async function serverRole(
  database: { sql: postgres.Sql; url: string },
  served: Resource[] = resources,
  actions: Action[] = [],
): Promise<Role> {
  const { sql } = database;
  const name = `relata_server_${randomUUID().slice(0, 8)}`;
  const [url, password] = [new URL(database.url), randomUUID()];
  Object.assign(url, { username: name, password });
  const granted = grantsFor(served, actions).replaceAll(':"role"', `"${name}"`);
  const role: Role = {
    name,
    url: url.href,
    grant: async () => void await sql.unsafe(granted),
    async stop() {
      await sql`drop owned by ${sql(name)}`;
      await sql`drop role ${sql(name)}`;
    },
  };
  await sql`create role ${sql(name)} login password ${sql.unsafe(`'${password}'`)}`;
  await role.grant();
  return role;
}
