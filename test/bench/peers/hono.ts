// The peer on Hono and postgres.js, under Node and under Deno.
import process from "node:process";
import { type Context, Hono } from "hono";
import { isBottage, isFoo } from "./bodies.ts";
import { deno } from "./deno.ts";
import { createBottage, createFoo, lastBottage, readFoo } from "./postgres.ts";

const app = new Hono();

app.get("/api/foos/:id{[1-9][0-9]{0,14}}/", async (context) => {
  const foo = await readFoo(Number(context.req.param("id")));
  return foo ? context.json(foo) : context.json({ title: "Not found" }, 404);
});

app.get("/bottage/last", async (context) => {
  const bottage = await lastBottage();
  return bottage ? context.json(bottage) : context.json({ title: "Not found" }, 404);
});

app.post("/api/foos/", async (context) => {
  const body = await context.req.json();
  const foo = isFoo(body) ? await createFoo(body) : undefined;
  return foo ? created(context, foo, `/api/foos/${foo.id}/`) : invalid(context);
});

app.post("/bottage/", async (context) => {
  const body = await context.req.json();
  const bottage = isBottage(body) ? await createBottage(body) : undefined;
  return bottage ? created(context, bottage, `/bottage/${bottage.bottage}`) : invalid(context);
});

function created(context: Context, representation: object, location: string): Response {
  return context.json(representation, 201, { Location: location });
}

function invalid(context: Context): Response {
  return context.json({ title: "Invalid" }, 422);
}

const [hostname, port] = ["127.0.0.1", Number(process.env["PORT"])];
const onListen = ({ port }: { port: number }) => console.log(`Serves http://${hostname}:${port}`);
if (deno) deno.serve({ hostname, port, onListen }, app.fetch);
else {
  const { serve } = await import("@hono/node-server");
  serve({ fetch: app.fetch, hostname, port }, onListen);
}
