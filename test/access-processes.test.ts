// Access with real processes: revoked tokens, tokens in the output, and the settings that a start needs.
// Needs: Deno, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "./house.ts";
import { endAll, relata, sentence, serve } from "./program.ts";
import { freshPostgres } from "./service.ts";
import { bearer, grant } from "./tokens.ts";

const test = suite("access by processes");
let stop: () => unknown; // each test has a database of its own
test.after.each(async () => {
  await endAll();
  await stop();
});

/** Milliseconds after which no instance lets a revoked token in. */
const PROMISED = 5000;

const statusOf = async (url: string, headers: Record<string, string>, method = "GET") =>
  (await fetch(url, { method, headers })).status;

test("a revoked token stops working within 5 s on every instance, and stays revoked", async () => {
  const { sql, url, ...database } = await freshPostgres();
  stop = database.stop;
  const environment = { DATABASE_URL: url, AUTH: "required" };
  const servers = await Promise.all([serve(environment), serve(environment)]);
  const [token, other] = [await grant(sql, { scope: "write" }), await grant(sql)];
  const statuses = await Promise.all(
    [other, token].flatMap((each) =>
      servers.map(({ url }) => statusOf(`${url}/colere/`, bearer(each)))
    ),
  );
  assert.equal(statuses, [200, 200, 200, 200]);
  // At once, so that they remember it for as long as they ever do.
  await sql`
    update relata_token
    set revoked_at = now()
    where sha256 = ${sha256(token)}`;
  const revoked = performance.now();
  await Promise.all(servers.map(async ({ url }) => {
    for (;;) {
      const sent = performance.now();
      if (await statusOf(`${url}/colere/`, bearer(token)) === 401) return;
      assert.ok(sent < revoked + PROMISED, "A revoked token was let in after 5 s");
    }
  }));
  for (const { url } of servers) {
    assert.is(await statusOf(`${url}/colere/`, bearer(token)), 401);
    assert.is(await statusOf(`${url}/colere/`, bearer(other)), 200);
  }
});

test("no output and no answer holds any part of a token, whatever goes wrong", async () => {
  const { sql, url, ...database } = await freshPostgres();
  stop = database.stop;
  const server = await serve({ DATABASE_URL: url, AUTH: "required", LOG_LEVEL: "info" });
  const token = await grant(sql, { scope: "write" });
  const revoked = await grant(sql, { revoked: true });
  const path = `${server.url}/colere/`;
  let told = "";
  const asked = async (url: string, headers: Record<string, string>, method = "GET") => {
    const response = await fetch(url, { method, headers });
    told += JSON.stringify([...response.headers]) + await response.text();
    return response.status;
  };
  assert.is(await asked(path, bearer(token)), 200);
  assert.is(await asked(path, bearer(revoked)), 401);
  assert.is(await asked(path, { authorization: token }), 401);
  assert.is(await asked(`${path}?access_token=${token}`, {}), 401);
  assert.is(await asked(`${path}?access_token=${token}`, bearer(token)), 400);
  assert.is(await asked(`${path}${token}`, bearer(token)), 404);
  // A text that names no problem is quoted to whoever sent it.
  assert.is(await statusOf(`${server.url}/problems/${token}`, {}), 404);
  assert.is(await asked(path, { ...bearer(token), "content-type": token }, "POST"), 415);
  assert.is(await asked(`${server.url}/metrics`, bearer(token)), 200);
  await sql`drop table bar cascade`;
  assert.is(await asked(`${server.url}/api/bars/`, bearer(token)), 503);
  await sql`drop table relata_token`;
  assert.is(await asked(path, bearer(revoked)), 503);
  const { stdout, stderr } = await server.kill("SIGTERM");
  assert.is(stderr.match(/"message":"request"/g)?.length, 11, "The log has every request");
  assert.not.match(stdout + stderr, "Bearer");
  for (const text of [token, revoked]) {
    for (const part of [text, text.slice(7, 20), sha256(text)]) {
      assert.not.ok(`${stdout}${stderr}${told}`.includes(part), `Somewhere is "${part}"`);
    }
  }
});

test("a network address is refused until AUTH is set, and then served", async () => {
  const { url, ...database } = await freshPostgres();
  stop = database.stop;
  const environment = { DATABASE_URL: url, HOST: "0.0.0.0", PORT: "0" };
  for (const command of [["serve"], ["openapi"]]) {
    const said = sentence(await relata(command, environment));
    assert.match(said, "AUTH=required");
    assert.match(said, "AUTH=off");
  }
  for (const [AUTH, status] of [["required", 401], ["off", 200]] as const) {
    const server = await serve({ ...environment, AUTH });
    const url = server.url.replace("0.0.0.0", "127.0.0.1");
    assert.is(await statusOf(`${url}/colere/`, {}), status);
    assert.is(await statusOf(`${url}/livez`, {}), 200);
    assert.is((await server.kill("SIGTERM")).status, 0);
  }
  // What does not serve lets nobody in, and has no need of it.
  assert.is((await relata(["token", "list"], environment)).status, 0);
});

test.run();
