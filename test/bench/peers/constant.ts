// No peer, but the ceiling of any server under Node or Deno and of the load generator: one constant
// answer, and no database.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { deno } from "./deno.ts";

const body = JSON.stringify({ id: 1, name: "Foo 1", bar: { id: 1, name: "Bar 1" } });
const headers = {
  "Content-Type": "application/json",
  "Content-Length": String(Buffer.byteLength(body)),
};

const [hostname, port] = ["127.0.0.1", Number(process.env["PORT"])];
const onListen = ({ port }: { port: number }) => console.log(`Serves http://${hostname}:${port}`);
if (deno) deno.serve({ hostname, port, onListen }, () => new Response(body, { headers }));
else {
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(port, hostname, () => onListen(server.address() as AddressInfo));
}
