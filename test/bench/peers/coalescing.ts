// No peer, but the ceiling of coalescing under Node: it reads foos as Relata does, several with one
// statement, and does nothing else that a server has to do.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
// Not by way of `test/house.ts`, which would have this process load all of the server
import { batched } from "../../../src/db/batch.ts";
import { pool } from "./postgres.ts";

const sql = pool(1);

const statement = `
  select
    foo.id,
    json_build_object(
      'id', foo.id, 'name', foo.name, 'bar', json_build_object('id', bar.id, 'name', bar.name)
    )::text as text
  from foo
  join bar
    on bar.id = foo.bar_id
  where foo.id = any((select $1::bigint[])::bigint[])`;

const read = batched(
  async (identifiers: number[]) => {
    const rows = await sql.unsafe(statement, [`{${identifiers.join()}}`], { prepare: true });
    const texts = new Map(rows.map(({ id, text }) => [id, text]));
    return identifiers.map((identifier) => texts.get(identifier));
  },
  { size: 128, inFlight: 2, observe() {} },
);

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

const server = createServer(({ url = "" }, response) => {
  const identifier = Number(url.slice("/api/foos/".length, -1));
  read(identifier).then((text) => send(response, text), () => response.writeHead(500).end());
});
server.listen(Number(process.env["PORT"]), "127.0.0.1", () => {
  console.log(`Serves http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
