// The metrics of a process, as Prometheus reads them.
// Needs: Deno, the embedded database
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import manifest from "../../package.json" with { type: "json" };
import { connectAll, openPostgres } from "../house.ts";
import { freePort } from "../port.ts";
import { onEmbedded, type Service, serviceOn, startService } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { inTransaction } from "../transaction.ts";

const test = suite("metrics");
let relata: Service;

type Running = Pick<Service, "send">;

test.before.each(async () => {
  relata = await startService();
});
test.after.each(() => relata.stop());

/** A line of the format: a name, labels in braces or none, a value. */
const SAMPLE =
  /^([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})?) (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** The values of a service by name and labels, read as strictly as Prometheus reads them. */
async function figures({ send }: Running = relata): Promise<Record<string, number>> {
  const { status, headers, body } = await send("GET /metrics");
  assert.is(status, 200);
  assert.is(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.ok(body.endsWith("\n"));
  const values: Record<string, number> = {};
  let family = "";
  for (const line of body.slice(0, -1).split("\n")) {
    if (line.startsWith("# HELP ")) family = line.split(" ")[2];
    else if (line.startsWith("# TYPE ")) {
      assert.match(line, new RegExp(`^# TYPE ${family} (counter|gauge|histogram)$`));
    } else {
      const [, name = "", value] = SAMPLE.exec(line) ?? [];
      assert.ok(name.startsWith(family), `"${line}" is no sample of ${family}`);
      assert.not.ok(Object.hasOwn(values, name), `${name} is told twice`);
      values[name] = Number(value);
    }
  }
  return values;
}

const requests = (route: string, method: string, status: number) =>
  `relata_http_requests_total{route="${route}",method="${method}",status="${status}"}`;

test("count requests by the pattern of their path, their method and their status", async () => {
  const sent: [request: string, body?: object][] = [
    ["POST /api/bars/", { name: "Bar" }],
    ["POST /api/bars", { name: 1 }],
    ["GET /api/bars/1/"],
    ["GET /api/bars/1"],
    ["GET /api/bars/2/"],
    ["HEAD /api/bars/1/"],
    ["OPTIONS /api/bars/1/"],
    ["POST /bottage/last"],
  ];
  for (const [request, body] of sent) await relata.send(request, body);
  const values = await figures();
  const counted = Object.entries(values).filter(([name]) => name.includes("requests_total"));
  assert.equal(Object.fromEntries(counted), {
    [requests("/api/bars/", "POST", 201)]: 1,
    [requests("/api/bars/", "POST", 422)]: 1,
    [requests("/api/bars/{bar_id}/", "GET", 200)]: 2,
    [requests("/api/bars/{bar_id}/", "GET", 404)]: 1,
    [requests("/api/bars/{bar_id}/", "HEAD", 200)]: 1,
    [requests("/api/bars/{bar_id}/", "OPTIONS", 204)]: 1,
    [requests("/bottage/last", "POST", 405)]: 1,
  });
  assert.is(
    (await figures())[requests("/metrics", "GET", 200)],
    1,
    "The first is told by the next",
  );
});

test("have the same names and labels whatever path and method is asked for", async () => {
  const strange = async (name: string) => {
    await relata.send(`GET /${name}`);
    await relata.send(`${name} /colere/`);
    await relata.send(`${name} /${name}`);
    await relata.send(`GET /api/bars/${name}/`);
  };
  await figures();
  await strange("nothing");
  const before = await figures();
  for (let time = 0; time < 20; time++) await strange(`strange${String.fromCharCode(97 + time)}`);
  const after = await figures();
  assert.equal(Object.keys(after), Object.keys(before));
  assert.is(after[requests("none", "GET", 404)], 42);
  assert.is(after[requests("none", "other", 404)], 21);
  assert.is(after[requests("/colere/", "other", 405)], 21);
});

test("count how long requests take, in buckets that each hold those before it", async () => {
  for (let time = 0; time < 5; time++) await relata.send("GET /colere/");
  const values = await figures();
  const name = "relata_http_request_duration_seconds";
  const label = 'route="/colere/"';
  const buckets = Object.entries(values)
    .filter(([each]) => each.startsWith(`${name}_bucket{${label}`));
  const bounds = buckets.map(([each]) => /le="(.*)"/.exec(each)?.[1]);
  assert.equal([bounds[0], bounds.at(-2), bounds.at(-1)], ["0.001", "10", "+Inf"]);
  const counts = buckets.map(([, count]) => count);
  assert.equal(counts, counts.toSorted((one, other) => one - other));
  assert.equal([counts.at(-1), values[`${name}_count{${label}}`]], [5, 5]);
  assert.ok(values[`${name}_sum{${label}}`]! > 0);
});

test("tell the requests in flight, and those that wait for the database", async () => {
  let end = () => {};
  const body = new ReadableStream({ start: (controller) => end = () => controller.close() });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" };
  const sending = relata.fetch(new Request("http://relata.test/colere/", init as RequestInit));
  let waiting: Promise<unknown> | undefined;
  await inTransaction(relata.sql, async (transaction) => {
    await transaction`lock table bar`;
    waiting = relata.send("GET /api/bars/1/");
    const values = await figures();
    assert.is(values["relata_http_requests_in_flight"], 3, "These two and the one that asks");
    assert.is(values["relata_database_requests"], 1);
  });
  end();
  await Promise.all([sending, waiting]);
  const values = await figures();
  assert.is(values["relata_http_requests_in_flight"], 1);
  assert.is(values["relata_database_requests"], 0);
});

test("tell the limits, and count the requests over them", async () => {
  const full = serviceOn(relata, { capacity: 0 });
  const awake = setInterval(() => {}, 1000); // no socket keeps this process from its end
  assert.is((await full.send("GET /colere/")).status, 503);
  clearInterval(awake);
  const values = await figures(full);
  assert.is(values["relata_database_requests_limit"], 0);
  assert.is(values["relata_database_requests_shed_total"], 1);
  const { open, most } = relata.client.sessions();
  assert.is(values["relata_database_connections_limit"], most);
  assert.is(values["relata_database_connections"], open);
  assert.is((await figures())["relata_database_requests_shed_total"], 0);
});

test("tell the connections that are open, as Postgres knows them", async () => {
  await connectAll(relata);
  const [{ sessions } = {}] = await relata.sql`
    select count(*)::int as sessions
    from pg_stat_activity
    where datname = current_database() and application_name = 'relata'`;
  assert.is((await figures())["relata_database_connections"], onEmbedded ? 1 : sessions);
});

test("count the statements and the requests that each served together", async () => {
  await relata.sql`insert into bar (name) values ('Bar')`;
  const [reads, creates] = [40, 30];
  await Promise.all(Array.from({ length: reads }, () => relata.send("GET /api/bars/1/")));
  await Promise.all(
    Array.from({ length: creates }, () => relata.send("POST /api/bars/", { name: "Bar" })),
  );
  await relata.send("GET /colere/");
  const values = await figures();
  for (const [of, served] of [["read bar", reads], ["create bar", creates]] as const) {
    assert.is(values[`relata_batch_size_sum{statement="${of}"}`], served);
    const statements = values[`relata_batch_size_count{statement="${of}"}`]!;
    assert.ok(statements < served, `${statements} statements served ${served} requests`);
    assert.ok(statements >= values[`relata_batch_size_bucket{statement="${of}",le="1"}`]!);
  }
  assert.is(values['relata_batch_size_bucket{statement="last colere",le="1"}'], 1);
});

test("count one statement for each long create, and one for several short ones", async () => {
  const [colere] = await relata.sql`insert into colere (name) values ('Colere') returning id::int`;
  const serving = async (length: number) => {
    const statements = 'relata_batch_size_count{statement="create bottage"}';
    const { [statements]: before = 0 } = await figures();
    const bottage = { cul: "x".repeat(length), colere: colere!["id"] };
    await Promise.all([1, 2, 3, 4, 5].map(() => relata.send("POST /bottage/", bottage)));
    return (await figures())[statements]! - before;
  };
  assert.is(await serving(600_000), 5);
  assert.ok(await serving(600) < 5);
});

test("count the database errors of requests, by their class", async () => {
  await relata.sql`alter table bar rename to elsewhere`;
  await relata.send("GET /api/bars/");
  await relata.send("GET /api/bars/");
  await relata.send("GET /api/bars/?limit=none");
  const errors = (values: Record<string, number>) =>
    Object.entries(values).filter(([name]) => name.startsWith("relata_database_errors"));
  assert.equal(errors(await figures()), [['relata_database_errors_total{class="42"}', 2]]);

  const address = `postgres://nobody@127.0.0.1:${await freePort()}/nowhere`;
  const database = openPostgres(address, { sessions: 1 });
  const away = serviceOn(database);
  assert.is((await away.send("GET /colere/")).status, 503);
  assert.equal(errors(await figures(away)), [[
    'relata_database_errors_total{class="connection"}',
    1,
  ]]);
  await database.close();
});

test("tell what runs, and the memory and time of the process", async () => {
  const values = await figures();
  const [name = ""] = Object.keys(values).filter((name) => name.startsWith("relata_build_info"));
  const runtime = process.versions["deno"]
    ? `deno ${process.versions["deno"]}`
    : `node ${process.versions.node}`;
  const labels = `version="${manifest.version}",runtime="${runtime}",pid="${process.pid}"`;
  assert.is(name, `relata_build_info{${labels}}`);
  assert.ok(values["process_resident_memory_bytes"]! > values["process_heap_bytes"]!);
  assert.ok(values["process_cpu_seconds_total"]! > 0);
  const age = Date.now() / 1000 - values["process_start_time_seconds"]!;
  assert.ok(age > 0 && age < 3600);
});

test("need a token where requests do, at the root as under the prefix", async () => {
  const closed = serviceOn(relata, {
    authRequired: true,
    baseUrl: "http://relata.test/relata",
  });
  const token = await grant(relata.sql);
  for (const path of ["/metrics", "/metrics/", "/relata/metrics", "/relata/metrics/"]) {
    assert.is((await closed.send(`GET ${path}`)).status, 401, path);
    assert.is((await closed.send(`GET ${path}`, undefined, bearer(token))).status, 200, path);
    assert.is((await closed.send(`HEAD ${path}`, undefined, bearer(token))).status, 200, path);
  }
});

test("are what Prometheus asks for, by the Accept header that it sends", async () => {
  const accept = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5," +
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
  assert.is((await relata.send("GET /metrics", undefined, { accept })).status, 200);
  assert.is((await relata.send("GET /metrics", undefined, { accept: "text/csv" })).status, 406);
});

test.run();
