// The keys of an issuer: how they are read, kept while it is away, and taken away.
// Needs: Deno
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JWTVerifyGetKey } from "jose";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { issuerKeys, type Problem } from "./house.ts";
import { freePort } from "./port.ts";
import { until } from "./program.ts";
import { type Service, serviceOn, startService, temporaryFolder } from "./service.ts";
import {
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

const test = suite("keys");

/** Seconds between two readings for keys that are not known, as promised. */
const PAUSE = 5;

let relata: Service;
let signer: Signer;
let [one, two]: Pair[] = [];
const ends = new Set<AbortController>();

test.before(async () => {
  relata = await startService();
  [one, two] = [await pairOf("ES256", "one"), await pairOf("EdDSA", "two")];
});
test.before.each(async () => {
  signer = await startSigner(one!);
});
test.after.each(async () => {
  for (const end of ends) end.abort();
  ends.clear();
  await signer.stop();
});
test.after(() => relata.stop());

/** Keys of the issuer, read in times of milliseconds. */
function keysOf(times: object = {}, issuer = signer.issuer) {
  const end = new AbortController();
  ends.add(end);
  const warnings: string[] = [];
  let withdrawals = 0;
  const keys = issuerKeys(issuer, {
    log: (level, message) => void warnings.push(`${level}: ${message}`),
    onWithdrawal: () => void withdrawals++,
    ending: end.signal,
    times,
  });
  return { ...keys, warnings, withdrawals: () => withdrawals };
}

/** Whether a key is found; else why not. */
async function found(
  find: JWTVerifyGetKey,
  { alg, kid }: Pair,
): Promise<string> {
  try {
    await find({ alg, kid }, { payload: "", signature: "" });
    return "found";
  } catch (error) {
    return (error as Problem).code;
  }
}

const UNKNOWN = "ERR_JWKS_NO_MATCHING_KEY";

function guarded(issuer = signer.issuer) {
  const end = new AbortController();
  ends.add(end);
  const { send } = serviceOn(relata, { authRequired: true, issuer, ending: end.signal });
  const ask = (token: string) => send("GET /api/bars/", undefined, bearer(token));
  return { send, ask, statusOf: async (token: string) => (await ask(token)).status };
}

const metric = async ({ send }: Pick<Service, "send">, name: string) => {
  const { body } = await send("GET /metrics", undefined, bearer(await grant(relata.sql)));
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(body)?.[1]);
};

test("a token of a new key is taken within 5 s, and one of a key that was withdrawn no longer", async () => {
  const { statusOf } = guarded();
  const [old, fresh] = [await signed(claimsOf(signer), one!), await signed(claimsOf(signer), two!)];
  assert.is(await statusOf(old), 200);
  signer.keys = [two!.open];
  const rotated = performance.now();
  await until("the new key is known", async () => await statusOf(fresh) === 200);
  assert.ok(performance.now() - rotated < (PAUSE + 1) * 1000);
  assert.is(await statusOf(old), 401, "It was remembered, but its key is gone");
});

test("tokens of thousands of unknown keys make the issuer be asked once in 5 s", async () => {
  const { ask, statusOf } = guarded();
  const known = await signed(claimsOf(signer), one!);
  assert.is(await statusOf(known), 200);
  const began = performance.now();
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 200 }, () => {
      const kid = crypto.randomUUID();
      return ask(unsigned(claimsOf(signer), { alg: "RS256", kid }, "c2lnbmVk"));
    }));
    for (const { status, body } of answers) {
      assert.equal([status, body.detail], [401, "The token is signed by no key of the issuer"]);
    }
  }
  const most = 2 + Math.ceil((performance.now() - began) / (PAUSE * 1000));
  assert.ok(signer.reads() <= most, `${signer.reads()} readings, ${most} at most`);
  assert.is(await statusOf(known), 200);
});

test("while the issuer is away its known keys go on, others get 503, and what has ended 401", async () => {
  const service = guarded();
  const known = await signed(claimsOf(signer), one!);
  assert.is(await service.statusOf(known), 200);
  await signer.stop();
  const [unknown, ended] = await Promise.all([
    signed(claimsOf(signer), two!),
    signed(claimsOf(signer, { exp: inSeconds(-60) }), two!),
  ]);
  await until("it is noticed", async () => await service.statusOf(unknown) === 503);
  const { headers, body } = await service.ask(unknown);
  assert.is(headers.get("retry-after"), String(PAUSE));
  assert.match(body.type, /unavailable$/);
  assert.is(await service.statusOf(ended), 401);
  assert.is(await service.statusOf(await signed(claimsOf(signer, { more: 1 }), one!)), 200);
  assert.ok(await metric(service, "relata_issuer_failures_total") >= 1);
  assert.ok(await metric(service, "relata_issuer_keys_age_seconds") > 0);
});

test("a server starts without its issuer: JWTs get 503, tokens of our own work, and it is ready", async () => {
  const issuer = { ...signer.issuer, url: `http://127.0.0.1:${await freePort()}` };
  const { send, statusOf } = guarded(issuer);
  const token = await signed(claimsOf(signer, { iss: issuer.url }), one!);
  assert.is(await statusOf(token), 503);
  assert.is(await statusOf(await grant(relata.sql)), 200);
  assert.is((await send("GET /readyz")).status, 200);
  assert.is((await send("GET /api/bars/")).status, 401);
});

test("the metrics tell nothing of an issuer where there is none", async () => {
  const service = serviceOn(relata, { authRequired: true });
  assert.ok(Number.isNaN(await metric(service, "relata_issuer_failures_total")));
});

test("keys are read again, and one that is gone is told", async () => {
  const { find, state, withdrawals } = keysOf({ fresh: 20, pause: 60_000 });
  assert.is(await found(find, one!), "found");
  signer.keys = [one!.open, two!.open];
  await until("the new key is there", async () => await found(find, two!) === "found");
  assert.is(withdrawals(), 0);
  signer.keys = [two!.open];
  await until("the old key is gone", async () => await found(find, one!) === UNKNOWN);
  assert.is(withdrawals(), 1);
  assert.ok(state().age < 10);
  assert.is(state().failures, 0);
});

test("keys are asked for once by all who do not find theirs, and not again within the pause", async () => {
  const { find } = keysOf({ pause: 60_000 });
  const all = Array.from({ length: 100 }, () => found(find, two!));
  assert.equal(new Set(await Promise.all(all)), new Set([UNKNOWN]));
  assert.is(await found(find, two!), UNKNOWN);
  assert.is(signer.reads(), 1);
});

test("keys stay while the issuer is away, but not for ever, and come back with it", async () => {
  const { find, state, warnings } = keysOf({ fresh: 10, retry: 10, kept: 3000 });
  assert.is(await found(find, one!), "found");
  signer.answerBy((_, outgoing) => outgoing.writeHead(500).end());
  await until("it is away", () => state().failures > 3);
  assert.is(await found(find, one!), "found");
  assert.equal(warnings, ["warn: The keys of the issuer cannot be read"], "One in a minute");
  await until("they are too old", async () => await found(find, one!) === "unavailable");
  assert.ok(state().age >= 3);
  signer.answerBy();
  await until("they are back", async () => await found(find, one!) === "found");
});

test("warnings are repeated while the issuer is away", async () => {
  signer.answerBy((_, outgoing) => outgoing.writeHead(500).end());
  const { warnings } = keysOf({ retry: 10, quiet: 10 });
  await until("there are several", () => warnings.length > 2);
});

const away: Record<string, Parameters<Signer["answerBy"]>[0]> = {
  "answers with an error": (_, outgoing) =>
    outgoing.writeHead(503).end(JSON.stringify({ keys: [] })),
  "answers with a page": (_, outgoing) => outgoing.end("<!doctype html>"),
  "answers without keys": (_, outgoing) => outgoing.end("{}"),
  "answers with keys that are none": (_, outgoing) => outgoing.end('{"keys":[1]}'),
  "answers with null": (_, outgoing) => outgoing.end("null"),
  "does not answer": () => {},
  "stops in the middle": (_, outgoing) => void outgoing.write('{"keys":'),
  "closes the connection": (incoming) => incoming.socket.destroy(),
  "answers with more than a megabyte": (_, outgoing) => {
    outgoing.end(JSON.stringify({ keys: signer.keys, more: "x".repeat(1_000_000) }));
  },
  "sends to another origin": (_, outgoing) => {
    const there = signer.issuer.url.replace("127.0.0.1", "localhost");
    outgoing.writeHead(302, { location: `${there}/moved` }).end();
  },
  "sends in a circle": (_, outgoing) => outgoing.writeHead(302, { location: "/keys" }).end(),
  "sends nowhere": (_, outgoing) => outgoing.writeHead(302).end(),
};
for (const [what, answer] of Object.entries(away)) {
  test(`an issuer that ${what} is away`, async () => {
    signer.answerBy(answer);
    const { find, state } = keysOf({ answer: 500 });
    assert.is(await found(find, one!), "unavailable");
    assert.is(state().failures, 1);
  });
}

test("an issuer whose discovery names another one is away", async () => {
  const url = signer.issuer.url.replace("127.0.0.1", "localhost");
  const { find } = keysOf({}, { ...signer.issuer, url });
  assert.is(await found(find, one!), "unavailable");
});

test("an issuer may send to another path of its own", async () => {
  signer.answerBy((_, outgoing) => outgoing.writeHead(307, { location: "/moved" }).end());
  assert.is(await found(keysOf().find, one!), "found");
});

test("keys may be at an address of their own", async () => {
  const keys = `${signer.issuer.url}/moved`;
  const { find } = keysOf({}, { ...signer.issuer, url: "https://login.example.org", keys });
  assert.is(await found(find, one!), "found");
});

test("keys may be in a file, which is read again", async () => {
  const folder = temporaryFolder();
  const keys = join(folder.path, "keys.json");
  const { find } = keysOf({ pause: 0 }, { ...signer.issuer, keys });
  assert.is(await found(find, one!), "unavailable");
  for (const pair of [one!, two!]) {
    writeFileSync(keys, JSON.stringify({ keys: [pair.open] }));
    assert.is(await found(find, pair), "found");
  }
  assert.is(await found(find, one!), UNKNOWN);
  assert.is(signer.reads(), 0);
  folder.remove();
});

test.run();
