// Clients that send what no client should, or too slowly, or go away: over raw sockets. The names are those
// of RFC 9112 and of well-known probes.
// Needs: Deno, time
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type App, connectAll, type Listener, problems, serveBy } from "../house.ts";
import { ask, endAll, serve, type Server, until } from "../program.ts";
import { grant } from "../tokens.ts";
import { freshPostgres, type Options, type Service, serviceOn, startService } from "../service.ts";
import { type Answer, head, isHeld, open, openFiles } from "./wire.ts";
import { blocked, inTransaction } from "../transaction.ts";

const onDeno = "Deno" in globalThis;
const BODY_LIMIT = 1000;

const framing = suite("requests that a proxy may read differently");
const framingOnNode = onDeno ? framing.skip : framing; // Deno's own refusals say no more than a status
const test = suite("clients that are slow, many or gone");
const testOnNode = onDeno ? test.skip : test; // Deno waits for those who read as long as they like

let relata: Service;
const listeners: Listener[] = [];
/** The port of a server that nothing is slow for. */
let port: number;

for (const each of [framing, test]) {
  each.before(async () => {
    relata = await startService();
    // Whatever is opened later counts as left behind
    const own = Array.from({ length: 4 }, () => relata.sql`select pg_sleep(0.1)`);
    await Promise.all([...own, connectAll(relata)]);
    port = await listening({ bodyLimit: BODY_LIMIT });
  });
  each.after(async () => {
    await Promise.all(listeners.splice(0).map((listener) => listener.close()));
    await relata.stop();
  });
}

/** Listens with settings of its own, on the database of the suite. */
async function listening(options: Options): Promise<number> {
  return (await started(options)).port;
}

async function started(options: Options): Promise<{ app: App; port: number }> {
  const { app } = serviceOn(relata, options);
  const { timeLimit = 10 } = options;
  const listener = await app.listen({ timeLimit, keepAlive: 1 });
  listeners.push(listener);
  return { app, port: listener.port };
}

const JSON_TYPE = "Content-Type: application/json";
/** A request with a body, whose headers are to follow. */
const POST = head("POST /colere/", JSON_TYPE);
/** A request that is to be read as one in no case but one. */
const SMUGGLED = `${head("POST /colere/", JSON_TYPE, "Content-Length: 19")}\r\n\r\n` +
  '{"name":"smuggled"}';
const LIVE = `${head("GET /livez")}\r\n\r\n`;
/** What ends a connection, where it is heard as a request at all. */
const LAST = `${head("GET /livez", "Connection: close")}\r\n\r\n`;

/** Sends bytes, and what ends the connection; resolves to what came until then. */
async function exchange(bytes: string): Promise<Answer[]> {
  const wire = await open(port);
  wire.send(bytes + LAST);
  await wire.closed;
  return wire.answers();
}

async function smuggled(): Promise<number> {
  const deleted = await relata.sql`
    delete from colere
    where name = 'smuggled'
    returning id`;
  return deleted.length;
}

async function stillServes(): Promise<void> {
  assert.equal((await exchange(LIVE)).map(({ status }) => status), [200, 200]);
}

// Framing

framing("a request on its own is served (the control for those below)", async () => {
  const answers = await exchange(SMUGGLED);
  assert.equal(answers.map(({ status }) => status), [201, 200]);
  assert.is(await smuggled(), 1);
});

/** What no server may guess the meaning of: 400, or no answer at all, and no other request. */
const ambiguous: Record<string, string> = {
  "Content-Length before Transfer-Encoding":
    `${POST}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "Transfer-Encoding before Content-Length":
    `${POST}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "two lengths that differ":
    `${POST}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}${SMUGGLED}`,
  "a list of lengths": `${POST}\r\nContent-Length: 2, 2\r\n\r\n{}${SMUGGLED}`,
  "a length with a sign": `${POST}\r\nContent-Length: +2\r\n\r\n{}${SMUGGLED}`,
  "a length below zero": `${POST}\r\nContent-Length: -1\r\n\r\n{}${SMUGGLED}`,
  "a length in hexadecimal digits": `${POST}\r\nContent-Length: 0x2\r\n\r\n{}${SMUGGLED}`,
  "a length of two words": `${POST}\r\nContent-Length: 2 2\r\n\r\n{}${SMUGGLED}`,
  "a length of no digits": `${POST}\r\nContent-Length: \r\n\r\n{}${SMUGGLED}`,
  "a length that overflows": `${POST}\r\nContent-Length: 18446744073709551618\r\n\r\n{}${SMUGGLED}`,
  "a space before the colon of the length": `${POST}\r\nContent-Length : 2\r\n\r\n{}${SMUGGLED}`,
  "a space before the colon of the coding":
    `${POST}\r\nTransfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`,
  "a folded header (obs-fold)":
    `${POST}\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`,
  "a folded coding (obs-fold)":
    `${POST}\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`,
  "white space before the first header":
    `GET /livez HTTP/1.1\r\n X: y\r\nHost: relata.test\r\n\r\n${SMUGGLED}`,
  "a bare carriage return in a header": `${
    head("GET /livez", "X: a\rTransfer-Encoding: chunked")
  }\r\n\r\n${SMUGGLED}`,
  "U+0000 in a header": `${head("GET /livez", "X: a\0b")}\r\n\r\n${SMUGGLED}`,
  "a header without a colon": `${head("GET /livez", "nonsense")}\r\n\r\n${SMUGGLED}`,
  "a header without a name": `${head("GET /livez", ": a")}\r\n\r\n${SMUGGLED}`,
  "the coding xchunked":
    `${POST}\r\nTransfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`,
  "the coding identity":
    `${POST}\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`,
  "the coding chunked after a vertical tab":
    `${POST}\r\nTransfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "chunked, but not last":
    `${POST}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "chunked twice in a list":
    `${POST}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "chunked twice in two headers":
    `${POST}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "chunked, then another coding":
    `${POST}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  "chunked in HTTP/1.0, which has none (RFC 9112, section 6.1)":
    `${POST.replace("HTTP/1.1", "HTTP/1.0")}\r\nConnection: keep-alive` +
    `\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ...Object.fromEntries(
    Object.entries({
      "of no digits": "x\r\n{}\r\n",
      "in the notation of C": "0x2\r\n{}\r\n",
      "below zero": "-2\r\n{}\r\n",
      "with a sign": "+2\r\n{}\r\n",
      "that overflows": "FFFFFFFFFFFFFFFF2\r\n{}\r\n",
      "less than what follows": "2\r\n{}XX\r\n",
      "without a line of its own": "2\r\n{}",
      "ended by a line feed alone": "2\n{}\n",
      "with an extension that holds a line feed": "2;\nxx\r\n{}\r\n",
      "with an extension that holds a carriage return": "2;a\rxx\r\n{}\r\n",
    }).map(([size, chunk]) => [
      `a chunk size ${size}`,
      `${POST}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n${SMUGGLED}`,
    ]),
  ),
  "another version of HTTP": `GET /livez HTTP/1.2\r\nHost: relata.test\r\n\r\n${SMUGGLED}`,
  "a version in small letters": `GET /livez http/1.1\r\nHost: relata.test\r\n\r\n${SMUGGLED}`,
  "no version": `GET /livez\r\n\r\n${SMUGGLED}`,
  "the beginning of TLS": `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n${SMUGGLED}`,
};

for (const [what, bytes] of Object.entries(ambiguous)) {
  framing(`is refused, and nothing after it is read as a request: ${what}`, async () => {
    const answers = await exchange(bytes);
    assert.ok(["", "400"].includes(answers.map(({ status }) => status).join()), shown(answers));
    assert.is(await smuggled(), 0);
    await stillServes();
  });
}

/** What the runtimes read in one way or another, each of them safe: the statuses that may come, that
 * of what ends the connection included. */
const readable: [what: string, bytes: string, statuses: string[]][] = [
  [
    "two lengths that agree (RFC 9110, section 8.6)",
    `${POST}\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    ["400", "201,200"],
  ],
  [
    "lines ended by a line feed alone (RFC 9112, section 2.2)",
    "GET /livez HTTP/1.1\nHost: relata.test\n\n",
    ["400", "200,200"],
  ],
  ["empty lines before a request", `\r\n\r\n${LIVE}`, ["200,200"]],
  ["a space before a chunk size", chunked(" 2\r\n{}\r\n0\r\n\r\n"), ["400", "201,200"]],
  ["an extension of a chunk", chunked("2;a=b\r\n{}\r\n0\r\n\r\n"), ["201,200"]],
  ["a length among the trailers", chunked("2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n"), [
    "400",
    "201,200",
  ]],
  ["a coding before chunked", chunked("2\r\n{}\r\n0\r\n\r\n", "gzip, chunked"), ["201,200"]],
  [
    "a name that resembles a coding",
    `${POST}\r\nTransfer_Encoding: chunked\r\nContent-Length: 2` +
    "\r\n\r\n{}",
    ["201,200"],
  ],
  ["a body that GET has no use for", wrapped("GET /livez"), ["200,200"]],
  ["a body that HEAD has no use for", wrapped("HEAD /colere/"), ["200,200"]],
  ["a body at a path where nothing lives", wrapped("POST /nothing"), ["404,200"]],
  ["a body of a method that is not allowed", wrapped("DELETE /colere/"), ["405,200"]],
  ["a body of another media type", wrapped("POST /colere/"), ["415,200"]],
  [
    "a body that is to be continued",
    `${POST}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    [
      "100,201,200",
      "201,200",
    ],
  ],
  [
    "a body with an expectation that nobody knows",
    `${POST}\r\nExpect: the-best\r\nContent-Length: 2\r\n\r\n{}`,
    ["201,200"],
  ],
  [
    "an upgrade to another protocol",
    `${head("GET /livez", "Connection: Upgrade", "Upgrade: websocket")}\r\n\r\n`,
    ["200", "200,200"],
  ],
  [
    "a body with an upgrade to HTTP/2, which Deno refuses",
    `${POST}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}`,
    onDeno ? ["400"] : ["201", "201,200"],
  ],
];

for (const [what, bytes, statuses] of readable) {
  framing(`is one request and no more: ${what}`, async () => {
    const answers = await exchange(bytes);
    // What answers HEAD has a length and no body, so what follows is read as one.
    const seen = bytes.startsWith("HEAD") ? "200,200" : answers.map(({ status }) => status).join();
    assert.ok(statuses.includes(seen), shown(answers));
    assert.is(await smuggled(), 0);
    await stillServes();
  });
}

/** A request whose body is in chunks. */
function chunked(chunks: string, coding = "chunked"): string {
  return `${POST}\r\nTransfer-Encoding: ${coding}\r\n\r\n${chunks}`;
}

/** A request whose body is another request. */
function wrapped(line: string): string {
  return `${head(line, `Content-Length: ${SMUGGLED.length}`)}\r\n\r\n${SMUGGLED}`;
}

function shown(answers: Answer[]): string {
  return JSON.stringify(answers);
}

for (
  const [what, headers] of Object.entries({
    "with a blank": ["Host: a b"],
    "with a path": ["Host: a/api/foos/1/"],
    "with a user": ["Host: user@a"],
    "with a query": ["Host: a?b"],
    "with an angle bracket": ["Host: <a>"],
    "sent twice": ["Host: a", "Host: b"],
  })
) {
  framing(`a host is refused: ${what}`, async () => {
    const [first, ...rest] = await exchange(
      `GET /livez HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`,
    );
    assert.is(first!.status, 400);
    if (first!.body) assertProblem(first!, "malformed_request");
    assert.ok(rest.length <= 1);
  });
}

for (
  const [what, head] of [
    ["without a host", "GET /livez HTTP/1.1"],
    ["of HTTP/2.0", "GET /livez HTTP/2.0\r\nHost: relata.test"],
  ] as const
) {
  framing(`a request ${what} is refused (400)`, async () => {
    const [answer] = await exchange(`${head}\r\n\r\n`);
    assert.equal([answer?.status, answer?.body], [400, ""]);
    await stillServes();
  });
}

for (const host of ["", "relata.test", "RELATA.test:8000", "127.0.0.1:1", "[::1]:8000", "a_b:"]) {
  framing(`the host "${host}" is accepted`, async () => {
    const answers = await exchange(`GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assert.equal(answers.map(({ status }) => status), [200, 200]);
  });
}

for (
  const [what, line, status] of [
    ["a target in raw UTF-8", "GET /api/bars/?q=\xc3\xa9", 200],
    ["a method that HTTP does not have", "FOO /api/bars/", 405],
  ] as const
) {
  framing(`${what} is answered, or refused by Node's parser`, async () => {
    const [answer] = await exchange(`${head(line)}\r\n\r\n`);
    assert.is(answer!.status, onDeno ? status : 400);
    if (answer!.status === 405) assertProblem(answer!, "method_not_allowed");
    await stillServes();
  });
}

for (const host of ["relata.test", "relata.testing", "other.test:1"]) {
  framing(`a target that is a URL of "${host}" is read by its path`, async () => {
    const answers = await exchange(`${head(`GET http://${host}/livez`)}\r\n\r\n`);
    assert.equal(answers.map(({ status }) => status), [200, 200]);
  });
}

for (const [host, status] of [["\r\nHost: relata.test", 200], ["", onDeno ? 400 : 200]] as const) {
  framing(`HTTP/1.0 ${host ? "with" : "without"} a host is answered with ${status}`, async () => {
    const wire = await open(port);
    wire.send(`GET /readyz HTTP/1.0${host}\r\n\r\n`);
    await wire.closed;
    assert.match(wire.received(), new RegExp(`^HTTP/1\\.[01] ${status} `));
  });
}

for (const line of ["OPTIONS *", "GET *", "GET ?"]) {
  framing(`a target that is not a path is refused with a reason: ${line}`, async () => {
    const [first] = await exchange(`${head(line)}\r\n\r\n`);
    assert.ok(first === undefined || [400, 404].includes(first.status));
    if (first?.body) assertProblem(first, first.status === 404 ? "not_found" : "malformed_request");
  });
}

function assertProblem({ headers, body }: Answer, code: keyof typeof problems): void {
  assert.is(headers["content-type"], "application/problem+json");
  assert.match(JSON.parse(body).type, new RegExp(`/problems/${code}$`));
}

for (
  const [what, bytes] of Object.entries({
    "a path of 64 KiB": `${head(`GET /${"a".repeat(2 ** 16)}`)}\r\n\r\n`,
    "a method of 64 KiB": `${head(`${"A".repeat(2 ** 16)} /`)}\r\n\r\n`,
    "a header of 1 MiB": `${head("GET /livez", `X: ${"a".repeat(2 ** 20)}`)}\r\n\r\n`,
    "10,000 headers": `${head("GET /livez", ...Array(10_000).fill("X: a"))}\r\n\r\n`,
  })
) {
  framing(`too much is refused: ${what}`, async () => {
    const [first, ...rest] = await exchange(bytes);
    // What was still being sent may have taken the answer with it.
    assert.ok(first === undefined || [400, 414, 431].includes(first.status), String(first?.status));
    assert.equal(rest, []);
    await stillServes();
  });
}

framing("a body that is longer than its Content-Length ends there", async () => {
  const answers = await exchange(`${POST}\r\nContent-Length: 2\r\n\r\n{"name":"smuggled"}`);
  assert.is(answers[0]?.status, 400);
  assert.ok(answers.slice(1).every(({ status }) => status >= 400), shown(answers));
  assert.is(await smuggled(), 0);
});

framing(
  "pipelined requests are answered in their order",
  async () => {
    const names = Array.from({ length: 100 }, (_, place) => `Pipelined ${place}`);
    const answers = await exchange(
      names.map((name) => {
        const body = JSON.stringify({ name });
        return `${POST}\r\nContent-Length: ${body.length}\r\n\r\n${body}${LIVE}`;
      }).join(""),
    );
    assert.equal(
      answers.slice(0, -1).map(({ body }) => JSON.parse(body).name ?? JSON.parse(body).status),
      names.flatMap((name) => [name, "live"]),
    );
  },
);

framing("a request after the last one of a connection is not served", async () => {
  await exchange(`${LAST}${SMUGGLED}`);
  await stillServes();
  assert.is(await smuggled(), 0);
});

framing("a request after a body that is too long is not read as a part of it", async () => {
  const body = `${(BODY_LIMIT + 1).toString(16)}\r\n${" ".repeat(BODY_LIMIT + 1)}\r\n0\r\n\r\n`;
  const [first, ...rest] = await exchange(
    `${POST}\r\nTransfer-Encoding: chunked\r\n\r\n${body}${SMUGGLED}`,
  );
  assert.is(first!.status, 413);
  assert.equal(
    rest.map(({ status }) => status),
    first!.headers["connection"] === "close" ? [] : [201, 200],
  );
  await stillServes();
  assert.is(await smuggled(), rest.length > 0 ? 1 : 0);
});

for (
  const [what, before] of [["a request", SMUGGLED], ["two requests", LIVE + SMUGGLED]] as const
) {
  framing(`bytes that are not HTTP end the connection, also after ${what}`, async () => {
    const answers = await exchange(`${before}garbage\r\n\r\n${SMUGGLED}`);
    assert.is(answers.at(-1)?.status, 400);
    let count = 0;
    await until("the one before is stored", async () => (count += await smuggled()) > 0);
    await stillServes();
    assert.is(count + await smuggled(), 1);
  });
}

// What clients send and the server says again

framing("no input becomes a header of the answer", async () => {
  const token = await grant(relata.sql);
  const unguarded = await listening({ corsOrigins: ["https://app.example.org"] });
  const guarded = await listening({ authRequired: true, rateLimit: 1000 });
  const evil = "%0d%0aX-Injected:%20yes%0d%0a%0d%0a";
  const name = "\r\nX-Injected: yes\r\n\r\n";
  for (const _ of [1, 2]) assert.is((await relata.send("POST /api/bars/", { name })).status, 201);
  const plain = "\\r\\nX-Injected: yes";
  for (
    const [line, ...headers] of [
      [`GET /api/bars/?limit=1&q=${evil}`],
      [`GET /api/bars/?limit=1&name=${evil}&sort=-name`],
      ["GET /api/bars/?limit=1&sort=name"],
      [`GET /api/bars/?cursor=${evil}`],
      [`GET /api/bars/?${evil}=1`],
      [`GET /api/bars/${evil}/`],
      [`GET /problems/${evil}`],
      [`GET /${evil}`],
      ["GET /livez", `X-Request-Id: ${plain}`],
      ["GET /livez", `traceparent: 00-${"a".repeat(32)}-${"b".repeat(16)}-01${plain}`],
      ["GET /livez", `traceparent: 01-${"a".repeat(32)}-${"b".repeat(16)}-01-${plain}`],
      ["GET /livez", `Origin: https://app.example.org${plain}`],
      [
        "OPTIONS /api/bars/",
        "Origin: https://app.example.org",
        `Access-Control-Request-Method: ${plain}`,
      ],
      ["GET /api/bars/1/", `If-None-Match: "${plain}"`],
      ["GET /docs/", `Accept: text/html;${plain}`],
      ["GET /", `Accept: ${plain}`],
      ["GET /api/bars/", `Authorization: Bearer ${plain}`],
      ["GET /api/bars/", `Authorization: Bearer ${token}`],
    ] as [string, ...string[]][]
  ) {
    for (const each of [unguarded, guarded]) {
      const wire = await open(each);
      wire.send(`${head(line, ...headers, "Connection: close")}\r\n\r\n`);
      await wire.closed;
      const [answer, ...rest] = wire.answers();
      assert.equal(rest, [], line);
      assert.is("x-injected" in answer!.headers, false, line);
      const heads = wire.received().split("\r\n\r\n")[0]!;
      assert.not.match(heads, /X-Injected: /, line);
    }
  }
});

for (
  const [what, bytes, status] of [
    ["a header", `${head("GET /livez", `X: ${"a".repeat(17_000)}`)}\r\n\r\n`, 431],
    ["an extension", chunked(`2;${"a".repeat(17_000)}\r\n{}\r\n0\r\n\r\n`), 413],
  ] as const
) {
  framingOnNode(`${what} of 17,000 bytes is refused as too long`, async () => {
    const [first, ...rest] = await exchange(bytes);
    assert.is(first?.status, status);
    assert.is(first?.headers["connection"], "close");
    assert.equal(rest, []);
  });
}

for (
  const [what, line, status] of [
    ["a path that does not exist", "POST /nowhere/", 404],
    ["a method that the path does not have", "PUT /api/bars/", 405],
    ["a length over the limit", "POST /colere/", 413],
  ] as const
) {
  // Deno asks for the body of every request that may wait for that
  framingOnNode(`a client learns of ${what} before it has sent its body`, async () => {
    const headers = [JSON_TYPE, `Content-Length: ${BODY_LIMIT + 1}`, "Expect: 100-continue"];
    const wire = await open(port);
    wire.send(`${head(line, ...headers)}\r\n\r\n`);
    await wire.closed;
    assert.equal(wire.answers().map((answer) => answer.status), [status]);
    assert.is(wire.answers()[0]?.headers["connection"], "close");
  });
}

/** Refusals that need no more than a head. */
const unread: [what: string, line: string, headers: string[], status: number][] = [
  ["no token", "POST /api/bars/", [JSON_TYPE], 401],
  ["a path that does not exist", "POST /nowhere/", [], 404],
  ["a method that the path does not have", "PUT /api/bars/", [], 405],
  ["another media type", "POST /colere/", ["Content-Type: text/plain"], 415],
  ["a length over the limit", "POST /colere/", [JSON_TYPE], 413],
];
const MEGABYTE = " ".repeat(1_000_000);

for (const [what, line, more, status] of unread) {
  for (
    const [how, megabytes, pause] of [["5 MB at once", 5, 0], ["1 MB, slowly", 1, 20]] as const
  ) {
    framing(`a client that writes ${how}, and then reads, learns of ${what}`, async () => {
      const to = status === 401 ? await listening({ authRequired: true }) : port;
      const wire = await open(to);
      wire.socket.pause();
      wire.send(`${head(line, ...more, `Content-Length: ${megabytes * MEGABYTE.length}`)}\r\n\r\n`);
      const pieces = pause === 0 ? Array(megabytes).fill(MEGABYTE) : MEGABYTE.match(/.{50000}/g)!;
      for (const piece of pieces) {
        await new Promise<unknown>((sent) => wire.socket.write(piece, sent));
        await delay(pause);
      }
      wire.socket.resume();
      await wire.closed;
      const [answer, ...others] = wire.answers();
      assert.equal([answer?.status, answer?.headers["connection"]], [status, "close"]);
      assert.equal(others, []);
    });
  }
}

framingOnNode("a refused body is read for twice TIME_LIMIT, then no more", async () => {
  const wire = await open(await listening({ timeLimit: 1 }));
  wire.socket.pause(); // as a client does that writes first and reads later
  wire.send(`${head("POST /nowhere/", "Content-Length: 1000000")}\r\n\r\n`);
  const started = performance.now();
  for (let written = 0; written < 1000 && !wire.isClosed(); written++) {
    wire.send("0");
    await delay(50);
  }
  assert.ok(wire.isClosed());
  assert.ok(performance.now() - started > 1500);
});

framingOnNode("an idle connection is kept for KEEP_ALIVE seconds", async () => {
  const wire = await open(port);
  wire.send(LIVE);
  await until("it is answered", () => wire.answers().length === 1);
  const answered = performance.now();
  assert.is(wire.answers()[0]!.headers["keep-alive"], "timeout=1");
  await wire.closed;
  assert.ok(performance.now() - answered > 500);
});

framing("an answer may be a stream", async () => {
  const listener = await serveBy(({ method, url }) => {
    const body = new ReadableStream({
      start(controller) {
        for (const text of [method, " ", new URL(url).pathname]) {
          controller.enqueue(new TextEncoder().encode(text));
        }
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { status: 202, headers: { "X-Own": "yes" } }));
  });
  listeners.push(listener);
  const response = await fetch(`http://127.0.0.1:${listener.port}/stream`);
  assert.equal([response.status, response.headers.get("x-own")], [202, "yes"]);
  assert.is(await response.text(), "GET /stream");
  const refused = await fetch(`http://127.0.0.1:${listener.port}/stream`, {
    method: "POST",
    body: MEGABYTE,
  });
  assert.is(await refused.text(), "POST /stream");
});

framingOnNode("HTTP/0.9 is refused", async () => {
  const wire = await open(port);
  wire.send("GET /livez\r\n\r\n");
  await wire.closed;
  assert.not.match(wire.received(), /"status":"live"/);
});

framing.run();

// Slow clients, on a server of their own: what Deno answers before it has come stays open in a process

/** A server that waits for a second, and no longer. */
let slowly: Server;
let database: Awaited<ReturnType<typeof freshPostgres>>;

test.before(async () => {
  database = await freshPostgres();
  slowly = await serve({
    DATABASE_URL: database.url,
    TIME_LIMIT: "1",
    BODY_LIMIT: String(BODY_LIMIT),
    LOG_LEVEL: "silent",
  });
});
test.after(async () => {
  await endAll();
  await database.stop();
});

function portOf({ url }: Server): number {
  return Number(new URL(url).port);
}

const HALF_BODY = `${POST}\r\nContent-Length: 20\r\n\r\n{`;

/** What a client sends at first, and again and again. */
const slow: Record<string, { first: string; then?: string; body: boolean }> = {
  "that sends nothing": { first: "", body: false },
  "that sends half a head": { first: "GET /livez HTTP/1.1\r\nHo", body: false },
  "that sends a header at a time": {
    first: "GET /livez HTTP/1.1\r\n",
    then: "X: a\r\n",
    body: false,
  },
  "that sends half a body": { first: HALF_BODY, body: true },
  "that sends a byte of the body at a time": {
    first: `${POST}\r\nContent-Length: 900\r\n\r\n`,
    then: " ",
    body: true,
  },
  "that sends half a chunk": {
    first: `${POST}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{`,
    body: true,
  },
};

for (const [who, { first, then, body }] of Object.entries(slow)) {
  const skipped = onDeno && !body;
  const reason = skipped ? " (skipped: Deno.serve waits for a head without a limit)" : "";
  (skipped ? test.skip : test)(`a client ${who} is told so in time (408)${reason}`, async () => {
    const wire = await open(portOf(slowly));
    wire.send(first);
    await until("it is told", () => {
      if (then && !wire.isClosed()) wire.send(then);
      return wire.answers().length > 0;
    });
    const [answer] = wire.answers();
    assert.is(answer!.status, 408);
    assert.is(answer!.headers["connection"]?.toLowerCase(), "close");
    if (body) assertProblem(answer!, "request_timeout");
    if (onDeno) wire.socket.end(); // which answers in time, and leaves the connection to its client
    await wire.closed;
    assert.is(wire.answers().length, 1);
  });
}

for (
  const [what, piece] of Object.entries({
    "chunks": "64\r\n" + " ".repeat(100) + "\r\n",
    "an extension of a chunk": ";" + "a".repeat(1000),
    "trailers": "X: " + "a".repeat(1000) + "\r\n",
  })
) {
  test(`endless input is refused while it arrives, or in time: ${what}`, async () => {
    const wire = await open(portOf(slowly));
    const start = { "chunks": "", "an extension of a chunk": "1", "trailers": "0\r\n" }[what];
    wire.send(`${POST}\r\nTransfer-Encoding: chunked\r\n\r\n${start}`);
    await until("it is refused", async () => {
      if (!wire.isClosed()) await new Promise((sent) => wire.socket.write(piece, sent));
      return wire.isClosed() || wire.answers().length > 0;
    });
    const [first] = wire.answers();
    assert.ok(
      first === undefined || [400, 408, 413, 431].includes(first.status),
      String(first?.status),
    );
    wire.socket.destroy();
    assert.is((await ask(slowly.url, "GET /livez")).status, 200);
  });
}

test("a repeated Content-Length hides no body that is too long", async () => {
  const body = `{"name":"${"x".repeat(BODY_LIMIT)}"}`;
  const length = `Content-Length: ${body.length}`;
  const [answer] = await exchange(
    `${head("POST /colere/", JSON_TYPE, length, length)}\r\n\r\n${body}`,
  );
  assert.is(answer!.status, onDeno ? 413 : 400);
});

test("a body that arrives after its request was given up writes nothing", async () => {
  const { fetch } = serviceOn(relata, { timeLimit: 1 });
  const late = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await late.promise;
      controller.enqueue(new TextEncoder().encode('{"name":"Late"}'));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" };
  assert.is(
    (await fetch(new Request("http://relata.test/colere/", init as RequestInit))).status,
    408,
  );
  late.resolve();
  // What is created later is written later.
  for (let count = 0; count < 5; count++) await relata.send("POST /colere/", { name: "Later" });
  const names = await relata.sql`select name from colere where name like 'Late%'`;
  assert.equal(names.map(({ name }) => name), Array(5).fill("Later"));
});

test("of very many unknown fields, the first hundred are listed", async () => {
  const names = Array.from({ length: 50_000 }, (_, place) => `unknown${place}`);
  const body = Object.fromEntries(names.map((name) => [name, 1]));
  const { status, body: problem } = await relata.send("POST /colere/", body);
  assert.is(status, 422);
  assert.is(problem.detail, "More than 100 fields fail; the first 100 are listed");
  assert.equal(
    problem.errors.map(({ pointer }: { pointer: string }) => pointer),
    names.slice(0, 100).map((name) => `/${name}`),
  );
});

// Many clients, and clients that go away

/** At which point a client goes away. */
const phases: Record<string, string> = {
  "before it says anything": "",
  "in the midst of a head": "POST /api/bars/ HTTP/1.1\r\nHo",
  "before a body": `${head("POST /api/bars/", JSON_TYPE, "Content-Length: 14")}\r\n\r\n`,
  "in the midst of a body": `${head("POST /api/bars/", JSON_TYPE, "Content-Length: 14")}\r\n\r\n{`,
  "in the midst of a chunk": `${
    head("POST /api/bars/", JSON_TYPE, "Transfer-Encoding: chunked")
  }\r\n\r\n5\r\n{`,
  "before its answer": `${
    head("POST /api/bars/", JSON_TYPE, "Content-Length: 14")
  }\r\n\r\n{"name":"Bar"}`,
};

for (const [when, bytes] of Object.entries(phases)) {
  for (const how of ["closes", "resets"] as const) {
    test(`a client that ${how} its connection ${when} leaves nothing behind`, async () => {
      const CAPACITY = 10;
      const waits = when === "before its answer";
      const to = await listening({ capacity: CAPACITY });
      const before = openFiles("self");
      await inTransaction(relata.sql, async (sql) => {
        if (waits) await sql`lock table bar`;
        const wires = await Promise.all(Array.from({ length: CAPACITY }, () => open(to)));
        for (const wire of wires) wire.send(bytes);
        if (waits) await until("the server is full", () => isFull(to));
        for (const { socket } of wires) {
          how === "closes" ? socket.destroy() : socket.resetAndDestroy();
        }
        await Promise.all(wires.map(({ closed }) => closed));
      });
      await until("its files are closed", () => openFiles("self") <= before);
      // Whoever still counted would keep others out.
      await until("the server has room for all", async () => {
        const statuses = await Promise.all(Array.from({ length: CAPACITY }, () => created(to)));
        return statuses.every((status) => status === 201);
      });
    });
  }
}

test("a client that goes away while its token is looked up leaves nothing behind", async () => {
  const token = await grant(relata.sql, { scope: "write" });
  const { app, port } = await started({ authRequired: true, timeLimit: 600 });
  const names = ["Content-Length: 14", `Authorization: Bearer ${token}`];
  await inTransaction(relata.sql, async (sql) => {
    await sql`lock table relata_token`;
    const wire = await open(port);
    wire.send(`${head("POST /api/bars/", JSON_TYPE, ...names)}\r\n\r\n{`);
    await until("the token is looked for", async () => await blocked(relata.sql) > 0);
    const files = openFiles("self");
    wire.socket.destroy();
    await until("both sides have closed", () => openFiles("self") <= files - 2);
  });
  let isDrained = false;
  app.drain().then(() => isDrained = true);
  await until("nothing is waited for, long before its time is up", () => isDrained);
});

test("the server does not wait for a client that goes away in the middle of a body", async () => {
  const { port } = await started({ timeLimit: 60 });
  const inFlight = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /_in_flight (\d+)\n/.exec(text)?.[1];
  };
  const wire = await open(port);
  wire.send(`${head("POST /colere/", JSON_TYPE, "Content-Length: 20")}\r\n\r\n{`);
  await until("its body is waited for", async () => await inFlight() === "2");
  wire.socket.destroy();
  await until("it is forgotten", async () => await inFlight() === "1");
});

for (
  const [what, request] of [
    ["answer", head("GET /bottage/last")],
    ["stream", head("GET /bottage/", "Accept: text/event-stream")],
  ] as const
) {
  testOnNode(`the server does not wait for a client that never reads its ${what}`, async () => {
    await relata.sql`
      insert into bottage (cul, colere_id)
      select repeat('long ', 1600000), min(id) from colere`;
    const { port } = await started({ timeLimit: 4 });
    const wire = await open(port);
    wire.socket.once("data", () => wire.socket.pause());
    wire.send(`${request}\r\n\r\n`);
    await until("its answer begins", () => wire.received() !== "");
    assert.ok(isHeld(port, wire));
    await until("the server has closed its side", () => !isHeld(port, wire))
      .finally(() => wire.socket.destroy());
  });
}

async function created(port: number): Promise<number> {
  const wire = await open(port);
  const request = head("POST /api/bars/", JSON_TYPE, "Content-Length: 14", "Connection: close");
  wire.send(`${request}\r\n\r\n{"name":"Bar"}`);
  await until("it is answered", () => wire.answers().length === 1);
  wire.socket.destroy();
  return wire.answers()[0]!.status;
}

/** Whether a server takes no more requests that ask its database. */
async function isFull(port: number): Promise<boolean> {
  const wire = await open(port);
  wire.send(`${head("GET /colere/", "Connection: close")}\r\n\r\n`);
  await until("it is answered", () => wire.answers().length === 1);
  return wire.answers()[0]!.status === 503;
}

test.run();
