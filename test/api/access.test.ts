// Who may do what if requests need a token: every path and method, with every kind of token.
// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { newToken, openPostgres, pages, resources, sha256 } from "../house.ts";
import { freePort } from "../port.ts";
import { until } from "../program.ts";
import { type Answer, onEmbedded, type Service, serviceOn, startService } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { blocked, inTransaction } from "../transaction.ts";

const test = suite("access");
const testOnPostgres = onEmbedded ? test.skip : test; // where there is more than one session
let relata: Service;

const CHALLENGE = 'Bearer realm="relata"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const INSUFFICIENT = `${CHALLENGE}, error="insufficient_scope", scope="write"`;

/** What each method needs, as it was promised and not as the server has it. */
const scopeOf = {
  GET: "read",
  POST: "write",
  PUT: "write",
  PATCH: "write",
  DELETE: "write",
} as const;

type Headers = Record<string, string>;

/** What a client can send, and the challenge it meets where `read` is needed and where `write` is. */
const senders: Record<string, { read?: string; write?: string; headers(): Headers }> = {
  "no token": { read: CHALLENGE, write: CHALLENGE, headers: () => ({}) },
  "a password": {
    read: CHALLENGE,
    write: CHALLENGE,
    headers: () => ({ authorization: "Basic cmVsYXRhOnJlbGF0YQ==" }),
  },
  "the word Bearer alone": {
    read: CHALLENGE,
    write: CHALLENGE,
    headers: () => ({ authorization: "Bearer" }),
  },
  "a text that is no token": {
    read: INVALID,
    write: INVALID,
    headers: () => bearer("relata_' or true --"),
  },
  "a token twice": {
    read: INVALID,
    write: INVALID,
    headers: () => bearer(`${tokens.write}, Bearer ${tokens.write}`),
  },
  "the hash of a token": {
    read: INVALID,
    write: INVALID,
    headers: () => bearer(sha256(tokens.write)),
  },
  "a token that was never made": {
    read: INVALID,
    write: INVALID,
    headers: () => bearer(newToken()),
  },
  "a token in other letters": {
    read: INVALID,
    write: INVALID,
    headers: () => bearer(tokens.write.replace(/.$/, (last) => last === "A" ? "B" : "A")),
  },
  "an expired token": { read: INVALID, write: INVALID, headers: () => bearer(tokens.expired) },
  "a revoked token": { read: INVALID, write: INVALID, headers: () => bearer(tokens.revoked) },
  "a token to read": { write: INSUFFICIENT, headers: () => bearer(tokens.read) },
  "a token to write": { headers: () => bearer(tokens.write) },
  "a token that will expire": { headers: () => bearer(tokens.lasting) },
  "a token after a scheme in other letters": {
    headers: () => ({ authorization: `bEARER   ${tokens.write}` }),
  },
};

let tokens: Record<"expired" | "revoked" | "read" | "write" | "lasting", string>;

test.before(async () => {
  relata = await startService({ authRequired: true });
  const { sql } = relata;
  tokens = {
    expired: await grant(sql, { scope: "write", lasts: -1 }),
    revoked: await grant(sql, { scope: "write", revoked: true }),
    read: await grant(sql),
    write: await grant(sql, { scope: "write" }),
    lasting: await grant(sql, { scope: "write", lasts: 3600 }),
  };
});
test.after(() => relata.stop());

/** A path of a pattern, at which no row is. */
const at = (pattern: string, text: string) => pattern.replace(/\{\w+\}(\/\{\w+\})?/, text);

function refused({ status, headers, body }: Answer, challenge: string, what: string): void {
  assert.is(status, challenge === INSUFFICIENT ? 403 : 401, what);
  assert.is(headers.get("www-authenticate"), challenge, what);
  if (body) assert.match(body.type, challenge === INSUFFICIENT ? "insufficient_scope" : /ized$/);
}

for (const [pattern, verbs] of resources.flatMap(({ routes }) => Object.entries(routes))) {
  const path = at(pattern, "987654");
  // Without a body a write goes no further than its media type, and no row is there to be deleted.
  const beyond: Record<string, number> = {
    GET: /\{|last/.test(pattern) ? 404 : 200,
    POST: 415,
    PUT: 415,
    PATCH: 415,
    DELETE: 404,
  };
  for (const { method } of verbs) {
    const scope = scopeOf[method];
    test(`${method} ${pattern} needs a token with the scope ${scope}`, async () => {
      for (const [sender, { headers, [scope]: challenge }] of Object.entries(senders)) {
        for (const name of method === "GET" ? ["GET", "HEAD"] : [method]) {
          const answer = await relata.send(`${name} ${path}`, undefined, headers());
          if (challenge) refused(answer, challenge, sender);
          else assert.is(answer.status, beyond[method], sender);
        }
      }
    });
  }
  test(`OPTIONS ${pattern} and a method it lacks get the same answer with and without a token`, async () => {
    const lacked = ["PUT", "DELETE"].find((name) => verbs.every(({ method }) => method !== name));
    for (const [sender, { headers }] of Object.entries(senders)) {
      const { status } = await relata.send(`OPTIONS ${path}`, undefined, headers());
      assert.is(status, 204, sender);
      if (!lacked) continue;
      const answer = await relata.send(`${lacked} ${path}`, undefined, headers());
      assert.is(answer.status, 405, sender);
    }
  });
}

for (const [pattern, { scope, tellsCaller, example = "" }] of Object.entries(pages)) {
  const path = at(pattern, example);
  if (tellsCaller) continue;
  test(`GET ${pattern} is ${scope ? `for tokens with the scope ${scope}` : "open to all"}`, async () => {
    for (const [sender, { headers, read: challenge }] of Object.entries(senders)) {
      for (const name of ["GET", "HEAD"]) {
        const answer = await relata.send(`${name} ${path}`, undefined, headers());
        if (scope && challenge) refused(answer, challenge, sender);
        else assert.is(answer.status, 200, sender);
      }
    }
  });
}

test("the pages that anybody may read are those of the contract", () => {
  const open = Object.entries(pages).filter(([, { scope }]) => !scope).map(([path]) => path);
  assert.equal(open.sort(), [
    "/",
    "/docs/",
    "/docs/{file}",
    "/docs/{version}/{file}",
    "/livez",
    "/openapi.json",
    "/problems/{code}",
    "/readyz",
  ]);
});

test("the links tell what a token allows, are there without one, and refuse one that is not valid", async () => {
  for (const [sender, { headers, read, write }] of Object.entries(senders)) {
    for (const name of ["GET", "HEAD"]) {
      const answer = await relata.send(`${name} /`, undefined, headers());
      if (read === INVALID) {
        refused(answer, INVALID, sender);
        continue;
      }
      assert.is(answer.status, 200, sender);
      assert.is(answer.headers.get("vary"), "Accept, Authorization", sender);
      if (name === "HEAD") continue;
      const scopes = read ? undefined : write ? ["read"] : ["read", "write"];
      assert.equal(answer.body.scopes, scopes, sender);
      assert.is(answer.body.links.bar, "/api/bars/", sender);
    }
  }
});

test("the links tell no scopes where no token is needed, and look at none", async () => {
  const open = serviceOn(relata);
  for (const [sender, { headers }] of Object.entries(senders)) {
    const { status, body, headers: told } = await open.send("GET /", undefined, headers());
    assert.equal([status, body.scopes, told.get("vary")], [200, undefined, "Accept"], sender);
  }
});

test("a path that does not exist is reported before a token is asked for", async () => {
  for (const [sender, { headers }] of Object.entries(senders)) {
    for (const path of ["/nowhere", "/api/foos/00/", "/api/foos/one/"]) {
      assert.is((await relata.send(`GET ${path}`, undefined, headers())).status, 404, sender);
    }
  }
});

const later: [what: string, request: string, body?: unknown, headers?: Headers][] = [
  ["what it accepts", "GET /api/bars/", undefined, { accept: "text/csv" }],
  ["its media type", "POST /api/bars/", "name=Bar", { "content-type": "text/plain" }],
  ["its length", "POST /api/bars/", { name: "x".repeat(2_000_000) }],
  ["its query", "GET /api/bars/?limit=none"],
  ["its body", "POST /api/bars/", "{"],
  ["its fields", "POST /api/bars/", { name: 1 }],
  ["its row", "PATCH /api/bars/987654/", { name: "Bar" }],
];
for (const [what, request, body, headers] of later) {
  test(`a request without a token is refused before ${what} is`, async () => {
    refused(await relata.send(request, body, headers), CHALLENGE, request);
    const answer = await relata.send(request, body, { ...headers, ...bearer(tokens.write) });
    assert.ok(answer.status >= 400 && ![401, 403].includes(answer.status));
  });
}

test("a refused write leaves nothing, and one with a token is stored and shown", async () => {
  for (const { headers, write: challenge } of Object.values(senders)) {
    if (challenge) {
      refused(await relata.send("POST /api/bars/", { name: "Bar" }, headers()), challenge, "POST");
    }
  }
  assert.equal([...await relata.sql`select name from bar`], []);
  const made = await relata.send("POST /api/bars/", { name: "Bar" }, bearer(tokens.write));
  assert.is(made.status, 201);
  const { body } = await relata.send(
    `GET ${made.headers.get("location")}`,
    undefined,
    bearer(tokens.read),
  );
  assert.equal(body, made.body);
});

test("many requests with many tokens at once are each let in by their own", async () => {
  const made = await Promise.all(
    Array.from(
      { length: 200 },
      (_, place) => grant(relata.sql, { scope: place % 2 ? "write" : "read" }),
    ),
  );
  const answers = await Promise.all(made.flatMap((token) => [
    relata.send("DELETE /api/bars/987654/", undefined, bearer(token)),
    relata.send("DELETE /api/bars/987654/", undefined, bearer(newToken())),
  ]));
  const expected = made.flatMap((_, place) => [place % 2 ? 404 : 403, 401]);
  assert.equal(answers.map(({ status }) => status), expected);
});

test("a token that was refused before it was made works as soon as it is", async () => {
  const token = newToken();
  assert.is((await relata.send("GET /api/bars/", undefined, bearer(token))).status, 401);
  await relata.sql`
    insert into relata_token (sha256, scopes)
    values (${sha256(token)}, '{read}')`;
  assert.is((await relata.send("GET /api/bars/", undefined, bearer(token))).status, 200);
});

test("a token stops working when it expires, even if it was accepted just before", async () => {
  const token = await grant(relata.sql, { lasts: 1.5 });
  const [{ expires } = { expires: new Date(0) }] = await relata.sql<{ expires: Date }[]>`
    select expires_at as expires
    from relata_token
    where sha256 = ${sha256(token)}`;
  for (;;) {
    const sent = Date.now();
    const { status } = await relata.send("GET /api/bars/", undefined, bearer(token));
    if (status === 401) return assert.ok(Date.now() >= expires.getTime() - 1);
    assert.ok(sent <= expires.getTime(), "It was let in after it had expired");
  }
});

test("a database that is away is no reason to call a token invalid", async () => {
  const address = `postgres://nobody@127.0.0.1:${await freePort()}/nowhere`;
  const database = openPostgres(address, { sessions: 1 });
  const away = serviceOn(database, { authRequired: true });
  const { status, headers } = await away.send("GET /api/bars/", undefined, bearer(newToken()));
  assert.is(status, 503);
  assert.ok(headers.has("retry-after"));
  refused(await away.send("GET /api/bars/"), CHALLENGE, "without a token");
  assert.is((await away.send("GET /livez")).status, 200);
  await database.close();
});

test("a token has a limit of requests a minute: refused ones count, those of other tokens do not", async () => {
  const limited = serviceOn(relata, { authRequired: true, rateLimit: 3 });
  const [one, other] = [await grant(relata.sql), await grant(relata.sql)];
  const told = ({ status, headers }: Answer) => {
    assert.is(headers.get("ratelimit-policy"), '"token";q=3;w=60');
    const [, left, seconds] = /^"token";r=(\d);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
    assert.ok(Number(seconds) > 50 && Number(seconds) <= 60, seconds);
    return [status, Number(left)];
  };
  const ask = (request: string, token: string) => limited.send(request, undefined, bearer(token));
  assert.equal(told(await ask("GET /api/bars/", one)), [200, 2]);
  assert.equal(told(await ask("GET /", one)), [200, 1]);
  for (
    const request of ["GET /livez", "OPTIONS /api/bars/", "GET /nowhere", "DELETE /api/bars/1/"]
  ) {
    assert.not.ok((await ask(request, one)).headers.has("ratelimit"), "It is not counted");
  }
  assert.equal(told(await ask("HEAD /api/bars/?limit=none", one)), [400, 0]);
  const refusedNow = await ask("GET /api/bars/", one);
  assert.equal(told(refusedNow), [429, 0]);
  assert.match(refusedNow.body.type, /too_many_requests$/);
  const { headers } = refusedNow;
  assert.match(headers.get("ratelimit") ?? "", new RegExp(`;t=${headers.get("retry-after")}$`));
  assert.equal(told(await ask("GET /api/bars/", other)), [200, 2]);
});

test("the document says which token each operation needs, that the links take any, and of open pages nothing", async () => {
  const { body } = await relata.send("GET /openapi.json");
  assert.equal(Object.keys(body.components.securitySchemes), ["token"]);
  assert.equal(body.security, []);
  for (const [path, methods] of Object.entries<object>(body.paths)) {
    for (const [method, { security, responses }] of Object.entries(methods)) {
      const page = pages[path];
      const scope = page ? page.scope : scopeOf[method.toUpperCase() as "GET"];
      const needed = page?.tellsCaller ? [{}, { token: [] }] : scope && [{ token: [scope] }];
      assert.equal(security, needed, `${method} ${path}`);
      assert.is(401 in responses, needed !== undefined);
      assert.is(403 in responses, scope !== undefined);
    }
  }
});

test("text that is not a token is refused without asking the database", async () => {
  const address = `postgres://nobody@127.0.0.1:${await freePort()}/nowhere`;
  const database = openPostgres(address, { sessions: 1 });
  const away = serviceOn(database, { authRequired: true });
  refused(await away.send("GET /api/bars/", undefined, bearer("relata_x")), INVALID, "no token");
  await database.close();
});

test("simultaneous requests with one token share one look-up", async () => {
  const { send } = serviceOn(relata, { authRequired: true });
  const token = bearer(await grant(relata.sql));
  await Promise.all(Array.from({ length: 20 }, () => send("GET /api/bars/", undefined, token)));
  const { body } = await send("GET /metrics", undefined, token);
  assert.match(body, '\nrelata_batch_size_sum{statement="find token"} 1\n');
});

testOnPostgres("looks a token up only in a seat", async () => {
  const { send } = serviceOn(relata, { authRequired: true, capacity: 1 });
  const look = () => send("GET /api/bars/", undefined, bearer(newToken()));
  let first: Promise<Answer> | undefined;
  await inTransaction(relata.sql, async (other) => {
    await other`lock table relata_token`;
    first = look();
    await until("it waits", async () => await blocked(relata.sql) > 0);
    assert.is((await look()).status, 503);
  });
  assert.is((await first!).status, 401);
});

test.run();
