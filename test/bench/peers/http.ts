// The peer on bare node:http and postgres.js: no framework.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { isBottage, isFoo } from "./bodies.ts";
import { createBottage, createFoo, lastBottage, readFoo } from "./postgres.ts";

interface Answer {
  status: number;
  body: object;
  location?: string;
}

const FOO = /^\/api\/foos\/([1-9][0-9]{0,14})\/$/;

async function handle(request: IncomingMessage): Promise<Answer> {
  const { method, url = "" } = request;
  if (method === "POST" && url === "/api/foos/") {
    const body = await json(request);
    const foo = isFoo(body) ? await createFoo(body) : undefined;
    return foo ? { status: 201, body: foo, location: `/api/foos/${foo.id}/` } : invalid;
  }
  if (method === "POST" && url === "/bottage/") {
    const body = await json(request);
    const bottage = isBottage(body) ? await createBottage(body) : undefined;
    return bottage
      ? { status: 201, body: bottage, location: `/bottage/${bottage.bottage}` }
      : invalid;
  }
  if (method === "GET" && url === "/bottage/last") return found(await lastBottage());
  const [, id] = (method === "GET" && FOO.exec(url)) || [];
  return id === undefined ? absent : found(await readFoo(Number(id)));
}

const absent: Answer = { status: 404, body: { title: "Not found" } };
const invalid: Answer = { status: 422, body: { title: "Invalid" } };

function found(body: object | undefined): Answer {
  return body ? { status: 200, body } : absent;
}

async function json(request: IncomingMessage): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => text += chunk);
    request.on("error", reject);
    request.on("end", () => {
      try {
        resolve(JSON.parse(text));
      } catch (error) {
        reject(error);
      }
    });
  });
}

function send(response: ServerResponse, { status, body, location }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...(location && { Location: location }),
  });
  response.end(text);
}

const server = createServer((request, response) => {
  handle(request).then(
    (answer) => send(response, answer),
    () => send(response, { status: 500, body: { title: "Failed" } }),
  );
});
server.listen(Number(process.env["PORT"]), "127.0.0.1", () => {
  console.log(`Serves http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
