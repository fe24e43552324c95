// JWTs of an issuer: which are taken, whom they stand for, and what is never taken.
// Needs: Deno
import { Buffer } from "node:buffer";
import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { CompactEncrypt, exportJWK, importJWK } from "jose";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callerIn, memory } from "./house.ts";
import { type Answer, type Service, serviceOn, startService } from "./service.ts";
import {
  AUDIENCE,
  claimsOf,
  inSeconds,
  type Pair,
  pairOf,
  signed,
  type Signer,
  startSigner,
  unsigned,
} from "./signer.ts";
import { bearer, grant } from "./tokens.ts";

const test = suite("jwt");

let relata: Service;
let signer: Signer;
let [rsa, other, ec, weak]: Pair[] = [];
let guarded: Pick<Service, "send">;

const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA"],
];

/** A pair for each algorithm, whose key says that it is for this one. */
const pairs: Record<string, Pair> = {};

test.before(async () => {
  relata = await startService();
  for (const alg of ALGORITHMS) {
    const pair = await pairOf(alg);
    pairs[alg] = { ...pair, open: { ...pair.open, alg } };
  }
  [rsa, other, ec, weak] = [
    pairs["RS256"]!,
    await pairOf("RS256"),
    pairs["ES256"]!,
    await weakPair(),
  ];
  signer = await startSigner(...Object.values(pairs), weak!);
  guarded = serviceOn(relata, { authRequired: true, issuer: signer.issuer });
});
test.after(async () => {
  await relata.stop();
  await signer.stop();
});

/** A key that is too short to be trusted. */
async function weakPair(): Promise<Pair> {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const open = { ...await exportJWK(publicKey), kid: "weak" };
  return { ...await pairOf("RS256"), kid: "weak", open };
}

const claims = (others?: object) => claimsOf(signer, others);

async function told(token: string, { send } = guarded): Promise<Answer> {
  return await send("GET /", undefined, bearer(token));
}

/** What the links say of who sends a token. */
async function callerOf(token: string, service = guarded) {
  const { status, body } = await told(token, service);
  assert.is(status, 200, JSON.stringify(body));
  return { ...body.caller, scopes: body.scopes };
}

for (const alg of ALGORITHMS) {
  test(`takes a token of the algorithm ${alg}`, async () => {
    assert.equal(await callerOf(await signed(claims(), pairs[alg]!)), {
      subject: "ann",
      roles: [],
      scopes: ["read", "write"],
    });
  });
}

const taken: Record<string, [others: object | (() => object), header?: object]> = {
  "of another of the audiences": [{ aud: "store" }],
  "of several audiences": [{ aud: ["https://other.example.org", AUDIENCE] }],
  "that ended 20 s ago by our clock": [() => ({ exp: inSeconds(-20) })],
  "that is valid in 20 s by our clock": [() => ({ nbf: inSeconds(20) })],
  "without a type": [{}, { typ: undefined }],
  "of the type JWT": [{}, { typ: "JWT" }],
  "of the type of access tokens": [{}, { typ: "at+jwt" }],
  "of the same type, written out": [{}, { typ: "application/at+JWT" }],
};
for (const [what, [others, header]] of Object.entries(taken)) {
  test(`takes a token ${what}`, async () => {
    const more = typeof others === "function" ? others() : others;
    assert.is((await callerOf(await signed(claims(more), rsa!, header))).subject, "ann");
  });
}

for (const sub of ["x".repeat(255), "🂡".repeat(255), "auth0|42", "' or true --", "a b"]) {
  test(`takes the subject ${sub.slice(0, 20)} of ${[...sub].length} characters`, async () => {
    assert.is((await callerOf(await signed(claims({ sub }), ec!))).subject, sub);
  });
}

/** Tokens that must be refused, and what their clients are told. */
const refused: Record<string, [reason: string, token: () => string | Promise<string>]> = {
  "of no algorithm": [
    "has an algorithm that is not taken",
    () => unsigned(claims(), { alg: "none" }),
  ],
  "of no algorithm in other letters": [
    "has an algorithm that is not taken",
    () => unsigned(claims(), { alg: "nOnE", kid: rsa!.kid }),
  ],
  "of a shared secret that is the public key": [
    "has an algorithm that is not taken",
    () => {
      const key = createPublicKey({ key: { ...rsa!.open }, format: "jwk" });
      const secret = key.export({ format: "pem", type: "spki" });
      const [head, body] = unsigned(claims(), { alg: "HS256", kid: rsa!.kid }).split(".");
      const mac = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url");
      return `${head}.${body}.${mac}`;
    },
  ],
  "with its key in the header": [
    "is signed by no key of the issuer",
    () => signed(claims(), other!, { kid: undefined, jwk: other!.open }),
  ],
  "with its key in the header, under a name of the issuer": [
    "is signed by no key of the issuer",
    () => signed(claims(), other!, { jwk: other!.open }),
  ],
  "with the address of its key in the header": [
    "is signed by no key of the issuer",
    () => signed(claims(), other!, { kid: "other", jku: `${signer.issuer.url}/others` }),
  ],
  "of another key under the same name": [
    "is signed by no key of the issuer",
    () => signed(claims(), other!),
  ],
  "of a key that is for another algorithm": [
    "is signed by no key of the issuer",
    () => signed(claims(), { ...pairs["PS256"]!, kid: rsa!.kid }),
  ],
  "of a key that is too short": [
    "is signed by no key of the issuer",
    () => signed(claims(), weak!),
  ],
  "without the name of its key, where several fit": [
    "is signed by no key of the issuer",
    () => signed(claims(), rsa!, { kid: undefined }),
  ],
  "whose claims were changed": ["is signed by no key of the issuer", async () => {
    const [head, , signature] = (await signed(claims(), rsa!)).split(".");
    return unsigned(claims({ sub: "bob" }), {}).replace(/^\w+/, head!) + signature;
  }],
  "for another audience": ["is for another audience", () => signed(claims({ aud: "other" }), rsa!)],
  "for an audience that ours begins with": [
    "is for another audience",
    () => signed(claims({ aud: "https://api.example.or" }), rsa!),
  ],
  "for a client, as an ID token is": [
    "is for another audience",
    () => signed(claims({ aud: "docs", nonce: "1" }), rsa!),
  ],
  "without an audience": [
    "is for another audience",
    () => signed(claims({ aud: undefined }), rsa!),
  ],
  "of another issuer": [
    "is of another issuer",
    () => signed(claims({ iss: "https://login.example.org" }), rsa!),
  ],
  "of the issuer with a slash more": [
    "is of another issuer",
    () => signed(claims({ iss: `${signer.issuer.url}/` }), rsa!),
  ],
  "without an issuer": ["is of another issuer", () => signed(claims({ iss: undefined }), rsa!)],
  "that has expired": ["has expired", () => signed(claims({ exp: inSeconds(-31) }), rsa!)],
  "without an end": ["is malformed", () => signed(claims({ exp: undefined }), rsa!)],
  "whose end is a text": ["is malformed", () => signed(claims({ exp: "1999999999" }), rsa!)],
  "of the future": ["is not valid yet", () => signed(claims({ nbf: inSeconds(60) }), rsa!)],
  "whose beginning is a text": ["is malformed", () => signed(claims({ nbf: "1" }), rsa!)],
  "without a subject": ["is malformed", () => signed(claims({ sub: undefined }), rsa!)],
  "whose subject is empty": ["is malformed", () => signed(claims({ sub: "" }), rsa!)],
  "whose subject is an object": [
    "is malformed",
    () => signed(claims({ sub: { id: "ann" } }), rsa!),
  ],
  "whose subject is a number": ["is malformed", () => signed(claims({ sub: 7 }), rsa!)],
  "whose subject is too long": [
    "is malformed",
    () => signed(claims({ sub: "x".repeat(256) }), rsa!),
  ],
  "whose subject has a NUL": ["is malformed", () => signed(claims({ sub: "ann\0" }), rsa!)],
  "whose subject is no text": ["is malformed", () => signed({ ...claims(), sub: "\ud800" }, rsa!)],
  "with an extension that must be understood": [
    "is malformed",
    () => signed(claims(), rsa!, { crit: ["urn:example:crit"], "urn:example:crit": 1 }),
  ],
  "that is bound to a key of its client": [
    "is malformed",
    () => signed(claims({ cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }), rsa!),
  ],
  "of the type of a proof": ["is malformed", () => signed(claims(), rsa!, { typ: "dpop+jwt" })],
  "of the type of a logout": ["is malformed", () => signed(claims(), rsa!, { typ: "logout+jwt" })],
  "that is encrypted": [
    "is malformed",
    async () =>
      await new CompactEncrypt(Buffer.from(JSON.stringify(claims())))
        .setProtectedHeader({ alg: "RSA-OAEP", enc: "A128GCM" })
        .encrypt(await importJWK(rsa!.open, "RSA-OAEP")),
  ],
  "of one part": ["is malformed", () => "ann"],
  "of three empty parts": ["is malformed", () => ".."],
  "of parts that are no JSON": ["is malformed", () => "YW5u.YW5u.YW5u"],
  "of 8 kB and more": ["is too long", () => signed(claims({ more: "x".repeat(8000) }), rsa!)],
  "of a megabyte": ["is too long", () => "x".repeat(1_000_000)],
};
for (const [what, [reason, token]] of Object.entries(refused)) {
  test(`refuses a token ${what}, and says why`, async () => {
    const sent = await token();
    for (const request of ["GET /", "GET /api/bars/"]) {
      const { status, headers, body } = await guarded.send(request, undefined, bearer(sent));
      assert.equal([status, body.detail], [401, `The token ${reason}`]);
      assert.is(
        headers.get("www-authenticate"),
        `Bearer realm="relata", error="invalid_token", error_description="The token ${reason}"`,
      );
    }
  });
}

test("takes a token without the name of its key, if only one fits", async () => {
  const single = await startSigner(other!, ec!);
  const { send } = serviceOn(relata, { authRequired: true, issuer: single.issuer });
  const token = await signed(claimsOf(single), other!, { kid: undefined });
  assert.is((await callerOf(token, { send })).subject, "ann");
  await single.stop();
});

test("looks for a token in the header alone, and at one at a time", async () => {
  const token = await signed(claims(), rsa!);
  const cookie = { cookie: `access_token=${token}; authorization=Bearer ${token}` };
  assert.is((await guarded.send("GET /api/bars/", undefined, cookie)).status, 401);
  assert.is((await guarded.send(`GET /?access_token=${token}`)).body.caller, undefined);
  const inQuery = await guarded.send(`GET /api/bars/?access_token=${token}`);
  assert.is(inQuery.headers.get("www-authenticate"), 'Bearer realm="relata"');
  assert.is((await told(`${token}, Bearer ${token}`)).status, 401);
});

test("is told apart from a token of our own by how that begins", async () => {
  const own = await grant(relata.sql);
  assert.equal((await told(own)).body.scopes, ["read"]);
  assert.is((await told(own)).body.caller, undefined);
  const { headers } = await told(`relata_${await signed(claims(), rsa!)}`);
  assert.is(headers.get("www-authenticate"), 'Bearer realm="relata", error="invalid_token"');
});

test("refuses every JWT where no issuer is named", async () => {
  const service = serviceOn(relata, { authRequired: true });
  assert.is((await told(await signed(claims(), rsa!), service)).status, 401);
});

test("compares another claim with the audiences, if it is to", async () => {
  const issuer = { ...signer.issuer, audienceClaim: "client_id" };
  const service = serviceOn(relata, { authRequired: true, issuer });
  const fits = await signed(claims({ aud: undefined, client_id: AUDIENCE }), rsa!);
  assert.is((await told(fits, service)).status, 200);
  for (const client_id of [undefined, "other", { [AUDIENCE]: 1 }]) {
    assert.is((await told(await signed(claims({ client_id }), rsa!), service)).status, 401);
  }
});

const roles: [rolesClaim: string, claims: object, roles: string[]][] = [
  ["roles", { roles: ["editor", "admin"] }, ["editor", "admin"]],
  ["roles", { roles: "editor  admin" }, ["editor", "admin"]],
  ["roles", { roles: ["a b", 1, null, { admin: true }, ["admin"]] }, ["a b"]],
  ["roles", { roles: { admin: true } }, []],
  ["roles", { roles: 1 }, []],
  ["roles", {}, []],
  ["/realm_access/roles", { realm_access: { roles: ["admin"] }, roles: ["x"] }, ["admin"]],
  ["/realm_access/roles", { realm_access: null }, []],
  ["/a~1b/0", { "a/b": ["admin"] }, ["admin"]],
  ["https://example.org/roles", { "https://example.org/roles": ["admin"] }, ["admin"]],
  ["constructor", {}, []],
];
for (const [rolesClaim, others, expected] of roles) {
  test(`finds ${JSON.stringify(expected)} at ${rolesClaim} of ${JSON.stringify(others)}`, async () => {
    const service = serviceOn(relata, { authRequired: true, issuer: signer.issuer, rolesClaim });
    assert.equal((await callerOf(await signed(claims(others), ec!), service)).roles, expected);
  });
}

test("keeps of a token what declarations name, and nothing else", () => {
  const { claims, ...caller } = callerIn({
    claims: ["org_id", "/address/city", "team", "__proto__"],
  })({
    sub: "ann",
    org_id: 7,
    address: { city: "Ulm", street: "Main" },
    email: "ann@example.org",
  });
  assert.equal(claims, { org_id: 7, "/address/city": "Ulm" });
  assert.equal(caller, { kind: "somebody", subject: "ann", roles: [] });
});

const scopes: [settings: object, claims: object, scopes: string[]][] = [
  [{}, {}, ["read", "write"]],
  [{ readScope: "r" }, {}, []],
  [{ readScope: "r" }, { scope: "openid r" }, ["read", "write"]],
  [{ writeScope: "w" }, {}, ["read"]],
  [{ writeScope: "w" }, { scp: ["w"] }, ["read", "write"]],
  [{ readScope: "r", writeScope: "w" }, { scope: "ww rr" }, []],
  [{ readScope: "r", writeScope: "w" }, { scp: "r" }, ["read"]],
  [{ readScope: "r", writeScope: "w" }, { scope: "w", scp: ["x"] }, ["read", "write"]],
  [{ readScope: "r", writeScope: "w" }, { scope: { r: 1 }, scp: 1 }, []],
];
for (const [settings, others, expected] of scopes) {
  test(`allows ${JSON.stringify(expected)} for ${JSON.stringify(others)} where ${JSON.stringify(settings)}`, async () => {
    const issuer = { ...signer.issuer, ...settings };
    const service = serviceOn(relata, { authRequired: true, issuer });
    const token = await signed(claims(others), ec!);
    assert.equal((await callerOf(token, service)).scopes, expected);
    const statusOf = async (request: string) =>
      (await service.send(request, undefined, bearer(token))).status;
    assert.is(await statusOf("GET /api/bars/"), expected.includes("read") ? 200 : 403);
    assert.is(await statusOf("DELETE /api/bars/987654/"), expected.includes("write") ? 404 : 403);
  });
}

test("a subject has a limit of requests whatever its tokens, and nobody has one together", async () => {
  const issuer = signer.issuer;
  const service = serviceOn(relata, { authRequired: true, issuer, rateLimit: 2 });
  const statusOf = async (headers: Record<string, string>) =>
    (await service.send("GET /", undefined, headers)).status;
  const [one, same, bob] = await Promise.all([
    signed(claims(), rsa!),
    signed(claims({ more: 1 }), rsa!),
    signed(claims({ sub: "bob" }), rsa!),
  ]);
  assert.equal(
    [await statusOf(bearer(one)), await statusOf(bearer(same)), await statusOf(bearer(one))],
    [200, 200, 429],
  );
  assert.is(await statusOf(bearer(bob)), 200);
  assert.equal([await statusOf({}), await statusOf({}), await statusOf({})], [200, 200, 429]);
});

test("an Idempotency-Key belongs to a subject, whatever its tokens", async () => {
  const [one, same, bob] = await Promise.all([
    signed(claims(), rsa!),
    signed(claims({ more: 1 }), rsa!),
    signed(claims({ sub: "bob" }), rsa!),
  ]);
  const create = async (token: string) => {
    const headers = { ...bearer(token), "idempotency-key": "one" };
    const { status, body } = await guarded.send("POST /api/bars/", { name: "Bar" }, headers);
    assert.is(status, 201);
    return body.id;
  };
  const id = await create(one);
  assert.is(await create(same), id);
  assert.is.not(await create(bob), id);
});

test("the document says where the issuer is found, and which of its scopes an operation needs", async () => {
  const issuer = { ...signer.issuer, readScope: "r" };
  const { send } = serviceOn(relata, { authRequired: true, issuer });
  const { components, paths } = (await send("GET /openapi.json")).body;
  assert.is(
    components.securitySchemes.issuer.openIdConnectUrl,
    `${issuer.url}/.well-known/openid-configuration`,
  );
  assert.equal(components.securitySchemes.issuer.type, "openIdConnect");
  assert.equal(paths["/api/bars/"].get.security, [{ token: ["read"] }, { issuer: ["r"] }]);
  assert.equal(paths["/api/bars/"].post.security, [{ token: ["write"] }, { issuer: ["r"] }]);
  assert.equal(paths["/"].get.security, [{}, { token: [] }, { issuer: [] }]);
});

test("a memory is bounded, forgets what was not used for longest, and what has ended", () => {
  const { get, set, clear } = memory<number>(10);
  set("ended", 0, performance.now() - 1);
  assert.is(get("ended"), undefined);
  set("used", 1, Infinity);
  for (let index = 0; index < 100; index++) {
    set(String(index), index, Infinity);
    assert.is(get("used"), 1);
  }
  const kept = Array.from({ length: 100 }, (_, index) => get(String(index)))
    .filter((value) => value !== undefined);
  assert.ok(kept.length < 10 && kept.includes(99), String(kept));
  clear();
  assert.is(get("used"), undefined);
});

test.run();
