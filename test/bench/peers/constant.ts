// No peer, but the ceiling of any server under Node and of the load generator: one constant answer,
// and no database.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";

const body = JSON.stringify({ id: 1, name: "Foo 1", bar: { id: 1, name: "Bar 1" } });
const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(Number(process.env["PORT"]), "127.0.0.1", () => {
  console.log(`Serves http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
