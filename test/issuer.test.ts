// People who sign in at an OpenID provider, and real servers that take its tokens.
// Needs: Deno, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Provider, startProvider } from "./issuer.ts";
import { afterwards, endAll, serve, type Server, until } from "./program.ts";
import { freshPostgres } from "./service.ts";
import { AUDIENCE } from "./signer.ts";
import { bearer, grant } from "./tokens.ts";

const test = suite("issuer");

let provider: Provider;
let environment: Record<string, string>;
let own: string;

test.before.each(async () => {
  const { sql, url, stop } = await freshPostgres();
  afterwards(stop);
  own = await grant(sql);
  provider = await startProvider();
  afterwards(provider.stop);
  environment = { DATABASE_URL: url, JWT_ISSUER: provider.url, JWT_AUDIENCE: AUDIENCE };
});
test.after.each(endAll);

async function ask({ url }: Server, path: string, token: string) {
  const response = await fetch(`${url}${path}`, { headers: bearer(token) });
  return { status: response.status, body: await response.json() };
}

const statusOf = async (server: Server, token: string) =>
  (await ask(server, "/api/bars/", token)).status;

test("somebody who signs in reads and writes with the access token, and not with the ID token", async () => {
  const scopes = { JWT_READ_SCOPE: "read", JWT_WRITE_SCOPE: "write" };
  const server = await serve({ ...environment, ...scopes });
  const { access_token, id_token } = await provider.signIn("ann");
  const { body } = await ask(server, "/", access_token);
  assert.equal(body.caller, { subject: "ann", roles: ["editor"] });
  assert.equal(body.scopes, ["read", "write"]);
  const made = await fetch(`${server.url}/api/bars/`, {
    method: "POST",
    headers: { ...bearer(access_token), "content-type": "application/json" },
    body: JSON.stringify({ name: "Bar" }),
  });
  assert.is(made.status, 201);
  assert.is((await fetch(`${server.url}/api/bars/`)).status, 401);
  const refused = await ask(server, "/", id_token);
  assert.equal([refused.status, refused.body.detail], [401, "The token is for another audience"]);
});

test("several processes take the tokens of a key that the issuer begins to use", async () => {
  const server = await serve({ ...environment, PROCESSES: "2" });
  const { access_token: old } = await provider.signIn("ann");
  assert.is(await statusOf(server, old), 200);
  await provider.rotate();
  const { access_token } = await provider.signIn("bob");
  let right = 0;
  await until("every process knows the key", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, () => statusOf(server, access_token)),
    );
    right = statuses.every((status) => status === 200) ? right + 1 : 0;
    return right === 3;
  });
});

test("servers go on while the issuer is away, and start without it", async () => {
  const server = await serve({ ...environment, LOG_LEVEL: "warn" });
  const { access_token } = await provider.signIn("ann");
  const { access_token: another } = await provider.signIn("bob");
  assert.is(await statusOf(server, access_token), 200);
  await provider.stop();
  assert.equal([await statusOf(server, access_token), await statusOf(server, another)], [200, 200]);

  const restarted = await serve({ ...environment, LOG_LEVEL: "warn" });
  assert.is(await statusOf(restarted, access_token), 503);
  assert.is(await statusOf(restarted, own), 200);
  assert.is((await fetch(`${restarted.url}/readyz`)).status, 200);
  assert.match(restarted.stderr(), "The keys of the issuer cannot be read");
  assert.not.match(restarted.stderr(), access_token);
});

test.run();
