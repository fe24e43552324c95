// Needs: Deno
import { connect as dial } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { longHeaders, requests, titleOf } from "../headers.ts";
import { type Listener, resources, type Verb } from "../house.ts";
import {
  type Answer,
  failures,
  type Options,
  type Service,
  serviceOn,
  startService,
} from "../service.ts";

const test = suite("http");
let relata: Service;

/** The methods of every path of the API, as the contract's table of endpoints has them. */
const api: Record<string, string[]> = {
  "/api/foos/": ["GET", "POST"],
  "/api/bars/": ["GET", "POST"],
  "/api/foos/{foo_id}/": ["GET", "PUT", "PATCH", "DELETE"],
  "/api/bars/{bar_id}/": ["GET", "PUT", "PATCH", "DELETE"],
  "/api/foos/choices/bar/": ["GET"],
  "/colere/": ["GET", "POST"],
  "/colere/{id}/": ["GET"],
  "/bottage/": ["GET", "POST"],
  "/bottage/{bottage}": ["GET"],
  "/bottage/last": ["GET"],
  "/bottage/choices/colere/": ["GET"],
};

const pages: Record<string, string[]> = {
  "/": ["GET"],
  "/problems/not_found": ["GET"],
  "/livez": ["GET"],
  "/readyz": ["GET"],
};

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get", "patch"];
const ABSENT = 987654;

test.before(async () => {
  relata = await startService();
  await relata.send("POST /api/bars/", { name: "Bär 😀" });
  await relata.send("POST /api/foos/", { name: "Föö 😀", bar: 1 });
  await relata.send("POST /bottage/", { cul: "Çul 😀", colere: 1 });
});
test.after(() => relata.stop());

const at = (pattern: string, identifier: unknown) => pattern.replace(/\{\w+\}/, String(identifier));

const otherSpelling = (path: string) => path.endsWith("/") ? path.slice(0, -1) : `${path}/`;

/** A body that the method takes at the path; undefined where it takes none. */
function fitting(method: string, pattern: string): object | undefined {
  if (!["POST", "PUT", "PATCH"].includes(method)) return undefined;
  if (pattern.startsWith("/api/foos/")) return { name: "x", bar: 1 };
  return pattern.startsWith("/bottage/") ? { cul: "x", colere: 1 } : { name: "x" };
}

/** All rows there are, to see that a refused request has changed none. */
async function rows(): Promise<unknown> {
  const { sql } = relata;
  return {
    bars: [...await sql`select * from bar order by id`],
    foos: [...await sql`select * from foo order by id`],
    coleres: [...await sql`select * from colere order by id`],
    bottages: [...await sql`select * from bottage order by id`],
  };
}

async function refused(
  status: number,
  request: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const before = await rows();
  const answer = await relata.send(request, body, headers);
  assert.is(answer.status, status, request.slice(0, 200));
  assert.equal(await rows(), before, "A refused request changes nothing");
  return answer;
}

/** The headers that are the request's own. */
const OWN = ["x-request-id", "traceparent", "content-length"];

/** An answer without what is the request's own. */
function comparable({ status, headers, body }: Answer) {
  const { instance: _, ...rest } = body ?? {};
  const kept = [...headers].filter(([name]) => !OWN.includes(name));
  return { status, headers: Object.fromEntries(kept), body: rest };
}

// Paths and methods

test("every route of the contract is one of a resource", () => {
  const routes = Object.assign({}, ...resources.map(({ routes }) => routes));
  for (const [path, methods] of Object.entries(api)) {
    const answered = new Set(routes[path].map(({ method }: Verb) => method));
    assert.equal([...answered], methods, path);
  }
});

for (const [pattern, has] of Object.entries({ ...api, ...pages })) {
  const path = at(pattern, 1);
  const allow = ["OPTIONS", ...has, ...(has.includes("GET") ? ["HEAD"] : [])].sort();
  const allowed = ({ headers }: Answer) => (headers.get("allow") ?? "").split(", ").sort();

  for (const spelling of path === "/" ? [path] : [path, otherSpelling(path)]) {
    test(`OPTIONS ${spelling} lists the methods`, async () => {
      const answer = await relata.send(`OPTIONS ${spelling}`);
      assert.is(answer.status, 204);
      assert.equal(allowed(answer), allow);
      const patches = "application/merge-patch+json, application/json";
      assert.is(answer.headers.get("accept-patch"), has.includes("PATCH") ? patches : null);
    });

    for (const method of methods.filter((method) => !allow.includes(method.toUpperCase()))) {
      test(`${method} ${spelling} is not allowed, and Allow lists what is`, async () => {
        assert.equal(allowed(await refused(405, `${method} ${spelling}`)), allow);
      });
    }
  }

  test(`HEAD ${path} answers as GET does, without the body`, async () => {
    const [get, head] = [await relata.send(`GET ${path}`), await relata.send(`HEAD ${path}`)];
    assert.is(get.status, 200);
    assert.equal(comparable(head), { ...comparable(get), body: {} });
    const bytes = new TextEncoder().encode(JSON.stringify(get.body)).byteLength;
    assert.is(head.headers.get("content-length"), String(bytes));
  });

  if (path !== "/") {
    test(`GET ${path} answers the same in the other spelling of the final slash`, async () => {
      const answers = [
        await relata.send(`GET ${path}`),
        await relata.send(`GET ${otherSpelling(path)}`),
      ];
      assert.equal(comparable(answers[0]!), comparable(answers[1]!));
    });
  }
}

for (const [pattern, has] of Object.entries(api)) {
  for (const method of has.filter((method) => method !== "GET")) {
    test(`${method} ${pattern} answers the same in the other spelling of the slash`, async () => {
      // What deletes nothing, or is refused for its body, can be sent twice.
      const path = at(pattern, method === "DELETE" ? ABSENT : 1);
      const body = method === "DELETE" ? undefined : "[]";
      const status = method === "DELETE" ? 404 : 422;
      const answers = [
        await refused(status, `${method} ${path}`, body),
        await refused(status, `${method} ${otherSpelling(path)}`, body),
      ];
      assert.equal(comparable(answers[0]!), comparable(answers[1]!));
    });
  }
}

test("writes work in the spelling without the final slash", async () => {
  const { status, body: { id } } = await relata.send("POST /api/foos", { name: "x", bar: 1 });
  assert.is(status, 201);
  assert.is((await relata.send(`PUT /api/foos/${id}`, { name: "y", bar: 1 })).status, 200);
  assert.is((await relata.send(`PATCH /api/foos/${id}`, { name: "z" })).status, 200);
  assert.is((await relata.send(`DELETE /api/foos/${id}`)).status, 204);
  assert.is((await relata.send("POST /bottage", { cul: "x", colere: 1 })).status, 201);
  assert.is((await relata.send("POST /colere", {})).status, 201);
});

test("HEAD of a row that is not there is 404 without a body", async () => {
  assert.is((await relata.send(`HEAD /api/foos/${ABSENT}/`)).status, 404);
});

test("HEAD of a list has the link to the next page", async () => {
  await relata.send("POST /colere/", {});
  const path = "/bottage/choices/colere/?limit=1";
  const [get, head] = [await relata.send(`GET ${path}`), await relata.send(`HEAD ${path}`)];
  assert.match(head.headers.get("link") ?? "", /rel="next"/);
  assert.is(head.headers.get("link"), get.headers.get("link"));
});

for (
  const path of [
    ...["/nope", "/api", "/api/", "/foos/", "/api/foo/", "/API/foos/", "/api/Foos/", "/apifoos/"],
    ...["/api/foos/choices/", "/api/foos/choices/name/", "/api/foos/choices/bar/1/"],
    ...["/api/bars/choices/bar/", "/api/foos/1/bar/", "/api/foos/1/1/", "/api/coleres/"],
    ...["/colere/last", "/colere/choices/", "/bottage/1/2", "/bottage/last/1", "/bottage/lasts"],
    ...["/problems", "/livez/1", "/livezz", "/api/foos//", "//", "//api/foos/"],
    ...["/api//foos/", "/api/foos//1/", "/api/foos/1//", "/api/foos/;x=1", "/api/foos;x=1/"],
    ...["/api/foos%2F", "/api%2Ffoos/", "/api/foos/%2F1/", "/%00", "/api/foos%00/", "/%", "/%ff"],
    ...["/é", "//evil/api/foos/1/", "/http://evil/api/foos/1/", `/${"a".repeat(2 ** 16)}`],
    ...["/constructor", "/__proto__", "/api/foos/constructor/"],
  ]
) {
  test(`nothing lives at ${path.slice(0, 40)}, whatever the method`, async () => {
    for (const method of methods) {
      await refused(404, `${method} ${path}`, fitting(method, "/api/foos/"));
    }
  });
}

// Identifiers in paths

for (
  const identifier of [
    ...["-0", "00", "01", "-01", "1.0", "1.5", "+1", "x", "1x", "x1", "1e0", "0x1", "1_0", "1,0"],
    ...["%31", "%201", "1%20", "1%0A", "1%00", "%00", "%2B1", "1%2F", "%", "%ff", "NaN"],
    ...["null", "true", "Infinity", "{id}", "*", "'", '"', "1;", "1'--", "9".repeat(30)],
    ...[String(2 ** 53), "9223372036854775807", "9223372036854775808", "1".repeat(5000)],
    ...["١", "１", "²", "%D9%A1", "%EF%BC%91", "😀"],
  ]
) {
  for (const [pattern, has] of Object.entries(api).filter(([pattern]) => pattern.includes("{"))) {
    test(`${pattern} has nothing at the identifier ${identifier.slice(0, 40)}`, async () => {
      for (const method of [...has, "HEAD", "OPTIONS", "POST", "PROPFIND"]) {
        const body = fitting(method, pattern);
        const { status } = await relata.send(`${method} ${at(pattern, identifier)}`, body);
        assert.is(status, 404, method);
      }
    });
  }
}

for (const [pattern, has] of Object.entries(api).filter(([pattern]) => pattern.includes("{"))) {
  test(`${pattern} knows the largest identifier, but no row of it`, async () => {
    const path = at(pattern, Number.MAX_SAFE_INTEGER);
    for (const method of has) {
      await refused(404, `${method} ${path}`, fitting(method, pattern));
    }
    assert.is((await relata.send(`OPTIONS ${path}`)).status, 204);
  });
}

// What the client accepts

for (
  const accept of [
    ...["*/*", "application/*", "application/json", "Application/JSON", "application/json;q=0.001"],
    ...["text/html, application/json;q=0.1", "text/html,*/*;q=0.1", "*/*;q=0, application/json"],
    ...["application/json, application/json;profile=x;q=0", 'application/json;x="a,b;q=0"'],
    ...["application/*;q=0,application/json;q=1", "text/html , application/json ; q=0.5", ""],
    ...["application/json;q=x", "application/json;q=", "application/json;q=.5, */*;q=0"],
  ]
) {
  test(`a client that accepts "${accept}" is answered`, async () => {
    const { status } = await relata.send("GET /api/foos/1/", undefined, { accept });
    assert.is(status, 200);
  });
}

test("a client without an Accept header is answered", async () => {
  assert.is((await relata.send("GET /api/foos/1/")).status, 200);
});

for (
  const accept of [
    ...["text/html", "text/*", "application/xml", "application/jsonp", "json", "text/json"],
    ...["application/json;q=0", "application/json;q=0.0", "application/json; q=0.000", "*/*;q=0"],
    ...["application/json;q=0, */*", "application/*;q=0, */*;q=1", "text/html, */*;q=0"],
  ]
) {
  test(`a client that accepts "${accept}" gets 406 before anything is written`, async () => {
    for (const [pattern, has] of Object.entries(api)) {
      for (const method of has) {
        if (method === "GET" && pattern === "/bottage/") continue; // it is a stream, too
        const request = `${method} ${at(pattern, 1)}`;
        await refused(406, request, fitting(method, pattern), { accept });
      }
    }
  });
}

test("the first hundred things that a client accepts count, however many commas there are", async () => {
  const others = (count: number) => Array.from({ length: count }, (_, index) => `text/x${index}`);
  for (
    const [accept, status] of [
      [`${",".repeat(15_000)}application/json`, 200],
      [`${", ".repeat(5000)}application/json${",".repeat(5000)}`, 200],
      [[...others(99), "application/json"].join(), 200],
      [[...others(100), "application/json"].join(), 406],
      [`application/json${";".repeat(15_000)}q=0`, 200],
    ] as const
  ) {
    const answer = await relata.send("GET /api/foos/1/", undefined, { accept });
    assert.is(answer.status, status, accept.slice(-40));
  }
  const coding = { "accept-encoding": `${",".repeat(15_000)}gzip` };
  const { headers } = await relata.send("GET /docs/", undefined, coding);
  assert.is(headers.get("content-encoding"), "gzip");
});

// The host that the client names

/** Where no token is needed, because the server listens on the loopback: the hosts that it answers for. */
const hosts: [host: string, status: number][] = [
  ...["127.0.0.1:8000", "127.8.9.1", "[::1]:8000", "localhost", "LocalHost:1"].map(ok),
  ...["app.localhost:3000", "relata.test", "RELATA.test:80"].map(ok),
  ...["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example"]
    .map(misdirected),
  ...["notlocalhost", "192.0.2.1", "[::2]", "[::ffff:c000:201]", "relata.test.evil.example", ""]
    .map(misdirected),
];

function ok(host: string): [string, number] {
  return [host, 200];
}

function misdirected(host: string): [string, number] {
  return [host, 421];
}

for (const [host, status] of hosts) {
  test(`a server that lets in who is on its machine answers the host "${host}" with ${status}`, async () => {
    const ask = async (options: Options, init?: RequestInit) => {
      const { fetch } = serviceOn(relata, options);
      const url = "http://relata.test/api/bars/";
      const response = await fetch(
        new Request(url, { ...init, headers: { ...init?.headers, host } }),
      );
      return { status: response.status, ...await response.json() };
    };
    const answer = await ask({ host: "127.0.0.1" });
    assert.is(answer.status, status);
    assert.is((await ask({ host: "::1" })).status, status);
    assert.is((await ask({ host: "0.0.0.0" })).status, 200, "AUTH=off lets others in, too");
    assert.is((await ask({ host: "127.0.0.1", authRequired: true })).status, 401);
    if (status === 200) return;
    assert.is(answer.type, "/problems/misdirected_request");
    assert.match(answer.detail, "BASE_URL");
    const before = await rows();
    const headers = { "content-type": "application/json" };
    const written = await ask({ host: "localhost" }, {
      method: "POST",
      headers,
      body: '{"name":"x"}',
    });
    assert.is(written.status, 421);
    assert.equal(await rows(), before);
  });
}

// What the client sends

const merge = "application/merge-patch+json";

for (
  const type of [
    ...["application/json", "Application/JSON", "application/json; charset=utf-8"],
    ...[
      "application/json;charset=utf8",
      "application/json;charset=UTF-8",
      'application/json; charset="UTF-8"',
    ],
    ...["application/json ; charset=utf-8", "application/json; x=y; charset=utf-8"],
    'application/json; x="a\\";charset=latin1"',
  ]
) {
  test(`a body is accepted as ${type}`, async () => {
    const headers = { "content-type": type };
    assert.is((await relata.send("POST /api/foos/", { name: "x", bar: 1 }, headers)).status, 201);
    assert.is((await relata.send("PUT /api/foos/1/", { name: "x", bar: 1 }, headers)).status, 200);
    assert.is((await relata.send("PATCH /api/foos/1/", {}, headers)).status, 200);
    const merging = { "content-type": type.replace(/application\/json/i, merge) };
    assert.is((await relata.send("PATCH /api/foos/1/", {}, merging)).status, 200);
  });
}

for (
  const type of [
    ...["", "text/plain", "text/json", "json", "application/jsonp", "application/x-json", "*/*"],
    ...["application/json; charset=latin1", "application/json; charset=utf-16", "application/*"],
    ...["multipart/form-data", "application/x-www-form-urlencoded", "application/octet-stream"],
    ...["application/json-patch+json", "application/problem+json", "application/jsonapplication"],
  ]
) {
  test(`a body sent as "${type}" is refused with the types that are accepted`, async () => {
    for (const [pattern, has] of Object.entries(api)) {
      for (const method of has.filter((method) => fitting(method, pattern))) {
        const request = `${method} ${at(pattern, 1)}`;
        const headers = { "content-type": type };
        const answer = await refused(415, request, fitting(method, pattern), headers);
        assert.is(answer.headers.get("accept-encoding"), null);
        const accept = (answer.headers.get("accept") ?? "").split(", ").sort();
        assert.equal(
          accept,
          method === "PATCH" ? ["application/json", merge] : ["application/json"],
        );
      }
    }
  });
}

test("a merge patch is for PATCH alone", async () => {
  const headers = { "content-type": merge };
  await refused(415, "POST /api/foos/", { name: "x", bar: 1 }, headers);
  await refused(415, "PUT /api/foos/1/", { name: "x", bar: 1 }, headers);
});

for (const encoding of ["gzip", "br", "deflate", "x", "gzip, identity"]) {
  test(`a body encoded as ${encoding} is refused with the coding that is accepted`, async () => {
    const headers = { "content-encoding": encoding };
    const foo = { name: "x", bar: 1 };
    const { body, headers: said } = await refused(415, "POST /api/foos/", foo, headers);
    assert.is(said.get("accept-encoding"), "identity");
    assert.is(body.detail, `Send the body as it is, without the coding "${encoding}"`);
  });
}

const bytes = (...bytes: number[]) => new Uint8Array(bytes);
const text = (text: string) => new TextEncoder().encode(text);

for (
  const [what, body] of Object.entries({
    "an empty body": bytes(),
    "white space": text(" \n"),
    "half an object": text('{"name":'),
    "a word": text("nonsense"),
    "a trailing comma in an object": text('{"name":"x","bar":1,}'),
    "a trailing comma in an array": text("[1,]"),
    "two values": text('{"name":"x","bar":1} {}'),
    "single quotes": text("{'name':'x','bar':1}"),
    "a comment": text('{"name":"x","bar":1} // x'),
    "a leading zero": text('{"name":"x","bar":01}'),
    "a plus sign": text('{"name":"x","bar":+1}'),
    "a fraction of no digits": text('{"name":"x","bar":1.}'),
    "NaN": text('{"name":"x","bar":NaN}'),
    "a control character in a string": text('{"name":"a\nb","bar":1}'),
    "U+0000 after the value": text('{"name":"x","bar":1}\0'),
    "a wrong escape": text('{"name":"\\x41","bar":1}'),
    "two byte order marks": text('\uFEFF\uFEFF{"name":"x","bar":1}'),
    "100000 open arrays": text("[".repeat(100_000)),
    "100000 open objects": text('{"name":'.repeat(100_000)),
    "UTF-16": bytes(0x7b, 0, 0x7d, 0),
    "a byte that is no UTF-8": bytes(...text('{"bar":1,"name":"'), 0xff, ...text('"}')),
    "UTF-8 cut short": bytes(...text('{"bar":1,"name":"'), 0xc3, ...text('"}')),
    "overlong UTF-8": bytes(...text('{"bar":1,"name":"'), 0xc0, 0xaf, ...text('"}')),
    "a surrogate in UTF-8": bytes(...text('{"bar":1,"name":"'), 0xed, 0xa0, 0x80, ...text('"}')),
  })
) {
  test(`a body that is not JSON text in UTF-8 is refused: ${what}`, async () => {
    for (const request of ["POST /api/foos/", "PUT /api/foos/1/", "PATCH /api/foos/1/"]) {
      await refused(400, request, body);
    }
  });
}

for (const body of ["[]", "[{}]", '"text"', '""', "3", "1.5", "true", "false", "null"]) {
  test(`a body that is not an object is invalid: ${body}`, async () => {
    for (const [pattern, has] of Object.entries(api)) {
      for (const method of has.filter((method) => fitting(method, pattern))) {
        const answer = await refused(422, `${method} ${at(pattern, 1)}`, body);
        assert.equal(failures(answer), { "": "incorrect_type" });
      }
    }
  });
}

for (const [before, after] of [["", ""], ['{"name":', ',"bar":1}'], ['{"name":"x","bar":', "}"]]) {
  test(`arrays nested 100000 deep are refused, and cause no defect: ${before}[…]${after}`, async () => {
    const body = `${before}${"[".repeat(100_000)}${"]".repeat(100_000)}${after}`;
    const { status } = await relata.send("POST /api/foos/", body);
    assert.ok(status === 400 || status === 422, String(status));
  });
}

test("an empty body is called empty", async () => {
  for (const request of ["POST /api/foos/", "PUT /api/foos/1/", "PATCH /api/foos/1/"]) {
    assert.is((await refused(400, request, "")).body.detail, "The body is empty");
  }
});

test("a byte order mark before a body is ignored", async () => {
  const response = await relata.fetch(
    new Request("http://relata.test/api/foos/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text('\uFEFF{"name":"marked","bar":1}'),
    }),
  );
  assert.equal([response.status, (await response.json()).name], [201, "marked"]);
});

test("of a member that is sent twice, the last one counts", async () => {
  const sent = '{"name":"first","bar":999,"name":"last","bar":1}';
  const { status, body } = await relata.send("POST /api/foos/", sent);
  assert.is(status, 201);
  assert.is(body.name, "last");
  assert.is(body.bar.id, 1);
});

for (const number of ["1.0", "1e0", "1E0", "1.00e+0", "10e-1", "0.1e1"]) {
  test(`the number ${number} is the integer 1`, async () => {
    const { status, body } = await relata.send("POST /api/foos/", `{"name":"x","bar":${number}}`);
    assert.is(status, 201);
    assert.is(body.bar.id, 1);
  });
}

// The length of bodies

const LIMIT = 1024 * 1024;
const long = (length: number) => JSON.stringify({ name: "x", bar: 1 }).padEnd(length);

test("a body may be as long as the limit, and no longer", async () => {
  assert.is((await relata.send("POST /api/foos/", long(LIMIT))).status, 201);
  await refused(413, "POST /api/foos/", long(LIMIT + 1));
  await refused(413, "PUT /api/foos/1/", long(LIMIT + 1));
  await refused(413, "PATCH /api/foos/1/", long(LIMIT + 1));
});

test("the length of a body is that of its bytes", async () => {
  const body = JSON.stringify({ cul: "é".repeat(LIMIT / 2), colere: 1 });
  assert.ok(body.length < LIMIT);
  await refused(413, "POST /bottage/", body);
});

// Query parameters

for (
  const query of [
    ...["nope", "nope=1", "=", "=1", "Limit=1", "limit[]=1", "__proto__=1", "constructor=1"],
    ...[
      "%",
      "%=1",
      "nope=%",
      "%zz=1",
      "%ff=1",
      "nope=%c3%28",
      "nope=%ed%a0%80",
      "%00=1",
      "nope=%00",
    ],
  ]
) {
  test(`the API refuses ?${query} on every route`, async () => {
    for (const [pattern, has] of Object.entries(api)) {
      for (const method of has) {
        const request = `${method} ${at(pattern, 1)}?${query}`;
        await refused(400, request, fitting(method, pattern));
      }
    }
  });
}

for (
  const [pattern, parameter] of [
    ["/api/foos/", "name"],
    ["/api/foos/", "q"],
    ["/api/foos/choices/bar/", "q"],
    ["/bottage/choices/colere/", "q"],
  ]
) {
  for (const value of ["%", "%f", "%zz", "%ff", "%c3", "%c0%af", "%ed%a0%80", "%00", "a%00b"]) {
    test(`${pattern} refuses ${parameter}=${value}`, async () => {
      await refused(400, `GET ${pattern}?${parameter}=${value}`);
    });
  }
}

for (
  const path of ["/api/foos/", "/api/bars/", "/bottage/", "/api/foos/choices/bar/"]
) {
  for (const query of ["limit=1&limit=1", "limit=1&limit=2", "limit=1&limi%74=1", "limit=1&nope"]) {
    test(`${path} refuses ?${query}`, async () => {
      await refused(400, `GET ${path}?${query}`);
    });
  }

  test(`${path} takes an empty query, empty parts of one and escaped names`, async () => {
    for (const query of ["", "&", "limit=1&", "&&limit=1"]) {
      assert.is((await relata.send(`GET ${path}?${query}`)).status, 200, query);
    }
    assert.is((await relata.send(`GET ${path}?limi%74=%31`)).status, 200);
  });
}

for (const path of Object.keys(pages)) {
  test(`${path} ignores the query`, async () => {
    const plain = comparable(await relata.send(`GET ${path}`));
    for (const query of ["nope=1", "limit=0&limit=0", "%", "%ff", "%00", "a=%00&&="]) {
      assert.equal(comparable(await relata.send(`GET ${path}?${query}`)), plain);
    }
  });
}

test("a problem repeats only the first 64 characters of a name that a client sent", async () => {
  const [long, least] = ["x".repeat(1_000_000), "x".repeat(64)];
  for (const [sent, told] of [[long, `${least}…`], [`${least}x`, `${least}…`], [least, least]]) {
    const { body } = await refused(400, `GET /api/foos/?${sent}=1`);
    assert.is(body.detail, `No query parameter is named "${told}" here`);
  }
  const { body } = await refused(400, `GET /api/foos/?${encodeURIComponent("😀".repeat(65))}=1`);
  assert.is(body.detail, `No query parameter is named "${"😀".repeat(64)}…" here`);
  for (const method of ["POST /api/foos/", "PATCH /api/foos/1/"]) {
    const { errors } = (await refused(422, method, { [long]: 1 })).body;
    const [unknown] = errors.filter(({ code }: { code: string }) => code === "unknown_field");
    assert.is(unknown.pointer, `/${least}…`);
    assert.ok(unknown.detail.length < 200);
  }
  const coding = { "content-encoding": long };
  assert.ok((await refused(415, "POST /api/foos/", {}, coding)).body.detail.length < 200);
  assert.ok((await refused(404, `GET /problems/${long}`)).body.detail.length < 200);
  assert.ok((await refused(404, `GET /docs/${long}.css`)).body.detail.length < 200);
});

// Headers, however long: how long it takes to read them is measured by the benchmark

for (const header of longHeaders(100_000)) {
  test(`a header of 100,000 characters causes no defect: ${titleOf(header)}`, async () => {
    const { send } = serviceOn(relata, { corsOrigins: ["https://app.example.org"] });
    const [name, value] = header;
    for (const [request, body] of requests) {
      assert.ok((await send(request, body, { [name]: value })).status < 500);
    }
  });
}

// The order of refusals

interface Draft {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  value: Record<string, unknown>;
  body(value: object): string;
  padding: string;
}

const faults: [status: number, what: string, spoiled: (draft: Draft) => Partial<Draft>][] = [
  [404, "an unknown path", () => ({ path: "/api/foos/x/" })],
  [405, "a method the path lacks", () => ({ method: "POST" })],
  [406, "an answer it does not accept", ({ headers }) => ({
    headers: { ...headers, accept: "text/html" },
  })],
  [415, "another media type", ({ headers }) => ({
    headers: { ...headers, "content-type": "text/plain" },
  })],
  [413, "a body too long", () => ({ padding: " ".repeat(LIMIT) })],
  [400, "an unknown query parameter", () => ({ query: "?nope=1" })],
  [400, "a malformed body", () => ({ body: (value) => `${JSON.stringify(value)},` })],
  [422, "a field of the wrong type", ({ value }) => ({ value: { ...value, name: 5 } })],
  [422, "a relation that does not hold", ({ value }) => ({ value: { ...value, bar: ABSENT } })],
  [404, "a row that is not there", () => ({ path: `/api/foos/${ABSENT}/` })],
];

for (const [index, [status, what, spoil]] of faults.entries()) {
  for (const [, later, spoilToo] of faults.slice(index)) {
    test(`${what} is reported ${later === what ? "" : `before ${later} `}(${status})`, async () => {
      let draft: Draft = {
        method: "PUT",
        path: "/api/foos/1/",
        query: "",
        headers: {},
        value: { name: "x", bar: 1 },
        body: JSON.stringify,
        padding: "",
      };
      for (const each of [spoilToo, spoil]) draft = { ...draft, ...each(draft) };
      const { method, path, query, headers, value, body, padding } = draft;
      await refused(status, `${method} ${path}${query}`, body(value) + padding, headers);
    });
  }
}

// Identifiers of requests

test("every request has an identifier of its own", async () => {
  const requests = ["GET /api/foos/1/", "GET /api/foos/1/", "GET /nope", "GET /nope", "HEAD /"];
  const answers = await Promise.all(requests.map((request) => relata.send(request)));
  const identifiers = answers.map(({ headers }) => headers.get("x-request-id"));
  assert.is(new Set(identifiers).size, requests.length);
});

test("an answer does not wait for the log, but drain waits for both", async () => {
  const order: string[] = [];
  const { app } = serviceOn(relata, { log: () => order.push("logged") });
  const asked = app.fetch(new Request("http://relata.test/livez"));
  const answered = asked.then(() => order.push("answered"));
  await app.drain();
  await answered;
  assert.equal(order, ["answered", "logged"]);
});

test("a body that breaks off is the client's fault, and raises no alarm", async () => {
  const levels: string[] = [];
  const { app, fetch } = serviceOn(relata, { log: (level) => levels.push(level) });
  const body = new ReadableStream({
    pull(controller) {
      controller.error(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    },
  });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" };
  const response = await fetch(new Request("http://relata.test/colere/", init as RequestInit));
  assert.is(response.status, 400);
  await app.drain();
  assert.equal(levels, ["info"]);
});

// Over the wire: what no client of this process can send

const wire = suite("http over the wire");
let listener: Listener;

wire.before(async () => {
  relata = await startService({ bodyLimit: 1000 });
  await relata.send("POST /api/bars/", { name: "Bar" });
  await relata.send("POST /api/foos/", { name: "Foo", bar: 1 });
  listener = await relata.app.listen();
});
wire.after(async () => {
  await listener.close();
  await relata.stop();
});

/** Sends bytes as they are and reads the answer to its end. */
function exchange(
  head: string,
  body = "",
): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve) => {
    let received = "";
    const socket = dial(listener.port, "127.0.0.1");
    socket.setEncoding("latin1");
    socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`);
    socket.on("data", (text) => {
      received += text;
      // The server may leave the connection open where it has not read the whole body.
      const [, length, rest] = /\r\ncontent-length: (\d+)\r\n.*?\r\n\r\n(.*)$/is.exec(received) ??
        [];
      if (!head.startsWith("HEAD") && rest?.length === Number(length)) socket.destroy();
    });
    socket.on("error", () => socket.destroy()); // it may end before it has read everything
    socket.on("close", () => {
      const [answerHead = "", ...rest] = received.split("\r\n\r\n");
      const status = Number(/^HTTP\/1.1 (\d{3}) /.exec(answerHead)?.[1]);
      resolve({ status, head: answerHead, body: rest.join("\r\n\r\n") });
    });
  });
}

async function alive(): Promise<void> {
  const { status, body } = await exchange("GET /api/foos/1/ HTTP/1.1\r\nHost: relata.test");
  assert.is(status, 200);
  assert.equal(JSON.parse(body), { id: 1, name: "Foo", bar: { id: 1, name: "Bar" } });
}

// 404 by this server, or refused before it by the runtime's reader of HTTP.
for (
  const path of [
    ...["//", "//api/foos/1/", "/api//foos/1/", "/api/foos/1//", "//evil/api/foos/1/"],
    ...["/nope/../api/foos/1/", "/api/foos/../bars/", "/./api/foos/1/", "/api/foos/1/."],
    ...["/api/foos/%2e%2e/bars/", "/%2e/api/foos/1/", "/nope/%2E%2E/livez", "/nope/.%2e/livez"],
    ...[
      "/api\\foos\\1\\",
      "\\api/foos/1/",
      "/api/foos/%31/",
      "/api/foos/1/%00",
      "/api/foos/\x001/",
    ],
    ...["/api/foos/ 1/", "/api/foos/\xe9/", "api/foos/1/", "?x", "#", "*"],
    ...["http:///api/foos/1/", "http:/api/foos/1/", "evil/api/foos/1/", `/${"a".repeat(2 ** 16)}`],
  ]
) {
  wire(
    `the path ${JSON.stringify(path.slice(0, 40))}, sent unresolved, leads nowhere`,
    async () => {
      const { status } = await exchange(`GET ${path} HTTP/1.1\r\nHost: relata.test`);
      assert.ok([404, 400, 414, 431].includes(status), `${path.slice(0, 40)}: ${status}`);
      await alive();
    },
  );
}

for (
  const host of ["a/api/foos/1/?", "a/api/foos/1/#", "a/api/foos/1", "a#", "a?", "a\\livez?", "a b"]
) {
  wire(`a path inside the Host header leads nowhere: ${host}`, async () => {
    const { status } = await exchange(`GET /nope HTTP/1.1\r\nHost: ${host}`);
    assert.ok([404, 400].includes(status), String(status));
    await alive();
  });
}

wire("a path with a whole URL is that of the URL (RFC 9112, section 3.2.2)", async () => {
  const request = "GET http://relata.test/api/foos/1/ HTTP/1.1\r\nHost: relata.test";
  const { status, body } = await exchange(request);
  assert.is(status, 200);
  assert.is(JSON.parse(body).name, "Foo");
});

wire("HEAD has the length of GET and no body", async () => {
  const request = "/api/foos/1/ HTTP/1.1\r\nHost: relata.test";
  const [get, head] = [await exchange(`GET ${request}`), await exchange(`HEAD ${request}`)];
  assert.equal([get.status, head.status], [200, 200]);
  assert.is(head.body, "");
  const length = /\r\ncontent-length: (\d+)/i.exec(head.head)?.[1];
  assert.is(length, String(get.body.length));
});

for (const target of ["/livez", "relata.test:80"]) {
  wire(`a client that asks for a tunnel to ${target} gets none`, async () => {
    const { status } = await exchange(`CONNECT ${target} HTTP/1.1\r\nHost: relata.test`);
    assert.not.ok(status >= 200 && status < 300, String(status)); // Node gives no answer at all
    await alive();
  });
}

wire("a body without a media type is refused", async () => {
  const request = "POST /colere/ HTTP/1.1\r\nHost: relata.test\r\nContent-Length: 2";
  assert.is((await exchange(request, "{}")).status, 415);
});

const posts = "POST /colere/ HTTP/1.1\r\nHost: relata.test\r\nContent-Type: application/json";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

wire("a body may come in pieces, without its length", async () => {
  const pieces = ['{"na', 'me": "', "Piece", 'd"', "}"].map(chunk).join("") + chunk("");
  const { status, body } = await exchange(`${posts}\r\nTransfer-Encoding: chunked`, pieces);
  assert.is(status, 201);
  assert.is(JSON.parse(body).name, "Pieced");
});

wire("a body that says it is too long is refused before it comes", async () => {
  const { status, body } = await exchange(`${posts}\r\nContent-Length: 1001`);
  assert.is(status, 413);
  assert.is(JSON.parse(body).status, 413);
  await alive();
});

wire("a body that turns out too long is refused before it ends", async () => {
  const piece = chunk(" ".repeat(1001));
  const { status } = await exchange(`${posts}\r\nTransfer-Encoding: chunked`, piece);
  assert.is(status, 413);
  await alive();
});

wire("a body of unknown length may be as long as the limit", async () => {
  const pieces = chunk("{}") + chunk(" ".repeat(998)) + chunk("");
  assert.is((await exchange(`${posts}\r\nTransfer-Encoding: chunked`, pieces)).status, 201);
});

test("a body with the coding identity, in upper or lower case, is accepted", async () => {
  for (const encoding of ["identity", "Identity", ""]) {
    const headers = { "content-encoding": encoding };
    assert.is((await relata.send("PATCH /api/foos/1/", {}, headers)).status, 200);
  }
});

test.run();
wire.run();
