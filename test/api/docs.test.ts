// The documentation over HTTP; `docs-page.test.ts` tests what a person sees.
// Needs: Deno
import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import manifest from "../../package.json" with { type: "json" };
import { bar, list, read, type Resource } from "../house.ts";
import { type Service, serviceOn, startService } from "../service.ts";

const test = suite("docs over HTTP");
let relata: Service;
let prefixed: Service;

test.before(async () => {
  relata = await startService();
  prefixed = await startService({ baseUrl: "http://relata.test/relata" });
});
test.after(async () => {
  await relata.stop();
  await prefixed.stop();
});

/** What a browser sends when a person opens a page. */
const browser =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

/** Every file of the page, with its media type. */
const files: Record<string, string> = {
  "/docs/": "text/html",
  "/docs/docs.css": "text/css",
  "/docs/docs.js": "text/javascript",
};

/** Values of Accept-Encoding, and whether they take gzip. */
const codings: [string | undefined, boolean][] = [
  ["gzip, deflate, br, zstd", true],
  ["GZIP", true],
  ["*", true],
  ["br, *;q=0.1", true],
  ["gzip;q=0.001", true],
  [undefined, false],
  ["", false],
  ["identity", false],
  ["br", false],
  ["gzip;q=0", false],
  ["identity, gzip;q=0.5", false],
  ["identity;q=0.5, gzip", true],
  ["gzip; q=0, *", false],
];

for (const [path, mediaType] of Object.entries(files)) {
  test(`GET ${path} answers ${mediaType}, in both spellings of the slash, and HEAD alike`, async () => {
    const { status, headers, body } = await relata.send(`GET ${path}`);
    assert.is(status, 200);
    assert.is(headers.get("content-type"), `${mediaType}; charset=utf-8`);
    const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
    assert.is((await relata.send(`GET ${other}`)).body, body);
    const head = await relata.send(`HEAD ${path}`);
    assert.is(head.status, 200);
    assert.is(head.headers.get("content-type"), headers.get("content-type"));
    assert.is(
      head.headers.get("content-length"),
      String(new TextEncoder().encode(body).byteLength),
    );
  });

  test(`${path} is refused to a client that accepts JSON alone, and to other methods`, async () => {
    const refused = await relata.send(`GET ${path}`, undefined, { accept: "application/json" });
    assert.is(refused.status, 406);
    assert.ok(refused.body.detail.includes(mediaType), refused.body.detail);
    const { status, headers } = await relata.send(`POST ${path}`, {});
    assert.is(status, 405);
    assert.is(headers.get("allow"), "GET, HEAD, OPTIONS");
  });

  test(`${path} answers with every Accept header that browsers send for it`, async () => {
    for (const accept of [mediaType, "text/*", `${mediaType},*/*;q=0.1`, "*/*", browser]) {
      const { status } = await relata.send(`GET ${path}`, undefined, { accept });
      assert.is(status, 200, accept);
    }
  });
}

for (const [coding, takes] of codings) {
  test(`the documentation and the contract are ${takes ? "" : "not "}compressed when Accept-Encoding is ${coding}`, async () => {
    const headers = coding === undefined ? {} : { "accept-encoding": coding };
    for (const path of ["/openapi.json", ...Object.keys(files)]) {
      const plain = await relata.fetch(new Request(`http://relata.test${path}`));
      const body = await plain.text();
      const url = `http://relata.test${path}`;
      const sent = await relata.fetch(new Request(url, { headers }));
      assert.is(sent.headers.get("vary"), "Accept-Encoding");
      assert.is(sent.headers.get("content-encoding"), takes ? "gzip" : null);
      const bytes = new Uint8Array(await sent.arrayBuffer());
      assert.is(new TextDecoder().decode(takes ? gunzipSync(bytes) : bytes), body);
      const head = await relata.fetch(new Request(url, { method: "HEAD", headers }));
      assert.is(head.headers.get("content-length"), String(bytes.byteLength));
      assert.is(head.headers.get("content-encoding"), sent.headers.get("content-encoding"));
    }
  });
}

test("the page may load from and call this server only, and runs nothing inline", async () => {
  const { headers, body } = await relata.send("GET /docs/");
  const policy = headers.get("content-security-policy") ?? "";
  assert.equal(policy.split("; "), [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
  assert.is(headers.get("referrer-policy"), "no-referrer");
  assert.not.match(body, /\b(src|href)="(https?:)?\/\//);
});

for (
  const path of [
    "/docs/list.js",
    "/docs/0/list.js",
    "/docs/index.html",
    "/docs/__proto__",
    "/docs/0/__proto__",
    "/docs/openapi.json",
  ]
) {
  test(`GET ${path} is 404`, async () => {
    assert.is((await relata.send(`GET ${path}`)).status, 404);
  });
}

test("under a prefix every file that the page names answers, in both spellings", async () => {
  for (const spelling of ["/relata/docs/", "/relata/docs"]) {
    const { body } = await prefixed.send(`GET ${spelling}`);
    const named = [...body.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(([, path]) => path);
    assert.equal(
      named.map((path) => path!.replace(/^\/relata\/docs\/\w+\//, "")),
      ["docs.css", "docs.js", "openapi.json"],
    );
    for (const path of named) {
      assert.is((await prefixed.send(`GET ${path}`)).status, 200, path);
    }
  }
});

test("caches keep what the page names, whose path has its tag, and nothing under another", async () => {
  const { body } = await relata.send("GET /docs/");
  for (const [path, tag, name] of body.matchAll(/\/docs\/(\w+)\/([\w.]+)(?=")/g)) {
    const control = async (path: string, headers = {}) =>
      (await relata.send(`GET ${path}`, undefined, headers)).headers.get("cache-control");
    for (const coding of ["gzip", "identity"]) {
      const headers = { "accept-encoding": coding };
      assert.is(await control(path, headers), "public, max-age=31536000, immutable");
    }
    const known = { "if-none-match": `"${tag}"` };
    assert.is((await relata.send(`GET ${path}`, undefined, known)).status, 304);
    assert.is(await control(path, known), "public, max-age=31536000, immutable");
    for (const version of [`${tag}0`, `${tag}-gzip`, "0", "docs.js"]) {
      assert.is(await control(`/docs/${version}/${name}`), "no-cache", version);
    }
    // What is refused is told anew each time
    assert.is(await control(path, { "if-match": '"0"' }), "no-cache");
    assert.is(await control(path, { accept: "image/png" }), "no-cache");
  }
});

test("each server has its files under any version, for a page of another", async () => {
  for (const name of ["docs.css", "docs.js"]) {
    const { body } = await relata.send(`GET /docs/${name}`);
    assert.is((await relata.send(`GET /docs/0/${name}`)).body, body);
  }
  const { body } = await relata.send("GET /openapi.json");
  assert.equal((await relata.send("GET /docs/0/openapi.json")).body, body);
});

test("the page names its contract by another tag where the contract is another", async () => {
  const tag = async ({ send }: Pick<Service, "send">) =>
    /\/docs\/(\w+)\/openapi\.json"/.exec((await send("GET /docs/")).body)![1];
  const other = serviceOn(relata, { title: "Another" });
  assert.is.not(await tag(other), await tag(relata));
  assert.is.not(
    (await other.send("GET /docs/")).headers.get("etag"),
    (await relata.send("GET /docs/")).headers.get("etag"),
  );
});

for (const accept of [browser, "text/html", "text/html, application/json;q=0.9", "text/*"]) {
  test(`GET / leads a client that prefers ${accept} to the documentation`, async () => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await relata.send(`${method} /`, undefined, { accept });
      assert.is(status, 303);
      assert.is(headers.get("location"), "/docs/");
      assert.is(headers.get("vary"), "Accept");
    }
    const { headers } = await prefixed.send("GET /relata/", undefined, { accept });
    assert.is(headers.get("location"), "/relata/docs/");
  });
}

for (
  const accept of [
    undefined,
    "*/*",
    "application/json",
    "application/json, text/html",
    "application/*",
    "text/html;q=0.5, application/json",
    "text/html;q=0, */*",
  ]
) {
  test(`GET / answers JSON links when Accept is ${accept}`, async () => {
    const { status, headers, body } = await relata.send(
      "GET /",
      undefined,
      accept === undefined ? {} : { accept },
    );
    assert.is(status, 200);
    assert.is(headers.get("vary"), "Accept");
    assert.equal([body.service, body.version], ["relata", manifest.version]);
    assert.is(body.links.docs, "/docs/");
    assert.is(body.links.openapi, "/openapi.json");
    assert.is(body.links.foo, "/api/foos/");
  });
}

for (
  const [what, routes, link] of [
    ["that is only listed and read", { "/bars/": [list()], "/bars/{bar}/": [read] }, "/bars/"],
    ["that is only read, one by one", { "/bars/{bar}/": [read] }, undefined],
  ] as [string, Resource["routes"], string?][]
) {
  test(`GET / has the link ${link} to a resource ${what}`, async () => {
    const { send } = serviceOn(relata, { resources: [{ ...bar, routes }] });
    assert.is((await send("GET /")).body.links.bar, link);
  });
}

test("GET / is refused to a client that accepts neither", async () => {
  const { status, body } = await relata.send("GET /", undefined, { accept: "image/png" });
  assert.is(status, 406);
  assert.is(body.detail, "This path answers in application/json or text/html only");
});

test("the API itself stays JSON, whatever a browser prefers", async () => {
  const accepted = await relata.send("GET /api/foos/", undefined, { accept: browser });
  assert.is(accepted.status, 200);
  assert.is(accepted.headers.get("vary"), "Accept-Encoding", "It does not depend on Accept");
  assert.is((await relata.send("GET /api/foos/", undefined, { accept: "text/html" })).status, 406);
});

test.run();
