// Cross-origin requests: what the headers let scripts of other origins do.
// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, type Service, serviceOn, startService } from "../service.ts";

const test = suite("cors");
let relata: Service;
let closed: Pick<Service, "send">;

const ORIGINS = ["https://app.example.org", "http://localhost:3000"];
const STRANGERS = [
  "https://app.example.org.evil.example",
  "https://evil.example",
  "http://app.example.org",
  "https://app.example.org:8443",
  "https://APP.example.org",
  "null",
  "*",
];

/** What a script is to read of an answer. */
const EXPOSED = [
  "Location",
  "Link",
  "ETag",
  "Allow",
  "Accept",
  "Accept-Encoding",
  "Accept-Patch",
  "X-Request-Id",
  "traceparent",
  "WWW-Authenticate",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Deprecation",
  "Sunset",
].join(", ");

test.before(async () => {
  relata = await startService({ corsOrigins: ORIGINS, authRequired: true });
  closed = serviceOn(relata);
});
test.after(() => relata.stop());

/** What an answer says to scripts. */
const toScripts = ({ headers }: { headers: Headers }) =>
  [...headers].filter(([name]) => name.startsWith("access-control-"));

const varies = ({ headers }: Answer) => (headers.get("vary") ?? "").split(", ");

/** Requests of every kind of answer, open pages and refusals among them. */
const requests: [request: string, status: number, headers?: Record<string, string>][] = [
  ["GET /", 200],
  ["GET /openapi.json", 200],
  ["HEAD /livez", 200],
  ["GET /docs/", 200],
  ["OPTIONS /api/foos/", 204],
  ["GET /", 303, { accept: "text/html" }],
  ["GET /api/foos/", 401],
  ["GET /nowhere", 404],
  ["PUT /api/foos/", 405],
  ["GET /", 406, { accept: "text/csv" }],
];

for (const [request, status, more] of requests) {
  test(`${request} of ${status} names the origin that asks, if it is allowed`, async () => {
    for (const origin of ORIGINS) {
      const answer = await relata.send(request, undefined, { origin, ...more });
      assert.is(answer.status, status);
      assert.is(answer.headers.get("access-control-allow-origin"), origin);
      assert.is(answer.headers.get("access-control-expose-headers"), EXPOSED);
      assert.ok(varies(answer).includes("Origin"));
    }
    for (const headers of [{}, ...STRANGERS.map((origin) => ({ origin }))]) {
      const answer = await relata.send(request, undefined, { ...headers, ...more });
      assert.is(answer.status, status);
      assert.equal(toScripts(answer), []);
      assert.ok(varies(answer).includes("Origin"));
    }
  });

  test(`${request} of ${status} says nothing to scripts if no origin is allowed`, async () => {
    for (const origin of [...ORIGINS, ...STRANGERS]) {
      const answer = await closed.send(request, undefined, { origin, ...more });
      assert.equal(toScripts(answer), []);
      assert.not.ok(varies(answer).includes("Origin"));
    }
  });
}

/** Paths, and whether there is one. */
const paths: [path: string, exists: boolean][] = [
  ["/api/foos/", true],
  ["/api/foos/1/", true],
  ["/bottage/last", true],
  ["/docs/", true],
  ["/api/bars/01/", false],
  ["/nowhere", false],
];

for (const [path, exists] of paths) {
  test(`a preflight for ${path} succeeds without a token`, async () => {
    const ask = (headers: Record<string, string>) =>
      relata.fetch(new Request(`http://relata.test${path}`, { method: "OPTIONS", headers }));
    const preflight = {
      "access-control-request-method": "DELETE",
      "access-control-request-headers": "authorization,content-type",
    };
    const [origin = ""] = ORIGINS;
    const answer = await ask({ origin, ...preflight });
    assert.equal([answer.status, answer.headers.has("allow")], [204, exists]);
    assert.equal(Object.fromEntries(toScripts(answer)), {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers":
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, " +
        "traceparent, tracestate, baggage",
      "access-control-max-age": "600",
    });
    assert.is((await ask({ origin })).status, exists ? 204 : 404, "It asks nothing beforehand");
    for (const origin of STRANGERS) {
      const refused = await ask({ origin, ...preflight });
      assert.equal([refused.status, toScripts(refused)], [exists ? 204 : 404, []]);
    }
  });
}

test.run();
