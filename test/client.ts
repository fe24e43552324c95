// The client with which tests prepare and inspect a database: plain postgres.js, so that no test depends on
// how the server sees the database.
import type { Duplex } from "node:stream";
import postgres from "postgres";

// postgres.js would ask the database for the types of arrays; these are the ones that tests send.
const types = {
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
  bigints: { to: 1016, from: [], serialize: array, parse: String },
  texts: { to: 1009, from: [], serialize: array, parse: String },
};

/** A client of the Postgres at an address; it connects with the first statement. */
export function clientOf(url: string, connections = 1): postgres.Sql {
  return postgres(url, {
    max: connections,
    fetch_types: false,
    onnotice() {},
    types,
    connection: { TimeZone: "UTC" },
  }) as unknown as postgres.Sql; // its type would have the names of the types above
}

/** A client over a stream, as of the embedded database, which is one session. */
export function clientOver(socket: () => Duplex): postgres.Sql {
  const options = { max: 1, fetch_types: false, onnotice() {}, types, ssl: false, socket };
  return (postgres as unknown as (options: object) => postgres.Sql)(options);
}

/** An array as Postgres reads it (its documentation, 8.15.6). */
function array(values: readonly (string | number | null)[]): string {
  const elements = values.map((value) =>
    value === null ? "null" : `"${String(value).replace(/["\\]/g, "\\$&")}"`
  );
  return `{${elements.join(",")}}`;
}
