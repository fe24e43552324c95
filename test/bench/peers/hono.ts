// The peer on Hono and postgres.js, under Node and under Deno, bare, or equipped with what a service has.
import process from "node:process";
import { type Context, Hono } from "hono";
import { isBottage, isFoo } from "./bodies.ts";
import { deno } from "./deno.ts";
import * as equipment from "./equipment.ts";
import {
  createBottage,
  createFoo,
  findBars,
  lastBottage,
  listFoos,
  type PageQuery,
  readFoo,
} from "./postgres.ts";

const app = new Hono();

const { log } = equipment;
if (log) {
  const [{ etag }, { requestId }, { routePath }] = await Promise.all([
    import("hono/etag"),
    import("hono/request-id"),
    import("hono/route"),
  ]);
  app.use(requestId(), async (context, next) => {
    const began = performance.now();
    await next();
    const { req: { method, path }, res: { status } } = context;
    const elapsed = performance.now() - began;
    equipment.observe(method, routePath(context, -1), status, elapsed / 1000);
    const id = context.get("requestId" as never);
    log.info({ id, method, path, status, elapsed }, "request completed");
  }, etag());
  app.get("/metrics", async (context) => context.text(await equipment.metrics()));
}

app.get("/api/foos/", async (context) => {
  const query = pageQuery(context);
  return query ? context.json(await listFoos(query)) : context.json({ title: "Invalid" }, 400);
});

app.get("/api/foos/choices/bar/", async (context) => {
  const query = pageQuery(context);
  return query ? context.json(await findBars(query)) : context.json({ title: "Invalid" }, 400);
});

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

/** The query of a page; undefined where it is malformed. */
function pageQuery(context: Context): PageQuery | undefined {
  const { bar, cursor = "0", limit = "50", q = "", ...others } = context.req.query();
  const size = Number(limit);
  const isWhole = (text: string) => /^(0|[1-9][0-9]{0,14})$/.test(text);
  if (Object.keys(others).length > 0 || !isWhole(cursor) || !isWhole(limit)) return undefined;
  if (size < 1 || size > 200 || (bar !== undefined && !isWhole(bar))) return undefined;
  return { bar: bar === undefined ? undefined : Number(bar), cursor: Number(cursor), size, q };
}

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
