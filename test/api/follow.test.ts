// Records are followed as server-sent events: in one order, each once, as a read gives them.
// Needs: Deno, the embedded database
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Event, type Following, following } from "../follow.ts";
import {
  follow,
  identifier,
  list,
  many,
  relation,
  resource,
  resources,
  sha256,
  text,
} from "../house.ts";
import { onEmbedded, type Service, serviceOn, startService } from "../service.ts";
import { bearer, grant } from "../tokens.ts";

const test = suite("follow");
const testOnPostgres = onEmbedded ? test.skip : test; // the embedded database has one session
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.after(() => relata.stop());

const ACCEPT = { accept: "text/event-stream" };

type Served = Pick<Service, "fetch" | "send">;

async function open(
  path = "/bottage/",
  headers: Record<string, string> = {},
  { fetch }: Served = relata,
): Promise<Following> {
  const url = `http://relata.test${path}`;
  return following(await fetch(new Request(url, { headers: { ...ACCEPT, ...headers } })));
}

/** Follows while it works, and goes away. */
async function whileOpen<Stream extends Following, Result>(
  stream: Promise<Stream>,
  work: (stream: Stream) => Promise<Result>,
): Promise<Result> {
  const opened = await stream;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Follows from a new record on. A transaction of another database that ends just then may count, and the stream
 * would begin with an older one. */
async function openAt(
  cul: string,
  served: Served = relata,
): Promise<Following & { first: Event }> {
  const { bottage } = await say(cul, served);
  for (;;) {
    const stream = await open("/bottage/", {}, served);
    const [first] = await stream.take(1);
    if (first!.data.bottage === bottage) return { ...stream, first: first! };
    await stream.close();
  }
}

async function say(cul: string, { send }: Served = relata) {
  const { status, body } = await send("POST /bottage/", { cul, colere: 1 });
  assert.is(status, 201);
  return body;
}

const sayAll = async (count: number, cul: (index: number) => string, served?: Served) => {
  for (let index = 0; index < count; index++) await say(cul(index), served);
};

const culs = (events: Event[]) => events.map(({ data }) => data.cul);

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Lets everything go on that waits for nothing else. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function metric(name: string, { send }: Served = relata): Promise<number> {
  const { body } = await send("GET /metrics");
  return Number(new RegExp(`^${name}{resource="bottage"} (.*)$`, "m").exec(body)![1]);
}

test("begins with the newest record, and goes on with those that are created", async () => {
  await say("Before");
  await whileOpen(openAt("Newest"), async ({ status, headers, first, take, text }) => {
    assert.is(status, 200);
    assert.is(headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.is(headers.get("cache-control"), "no-cache, no-transform");
    assert.is(headers.get("content-length"), null);
    assert.is(headers.get("connection"), "close");
    assert.is(headers.get("x-accel-buffering"), "no");
    const newest = await relata.send("GET /bottage/last");
    assert.equal([first.event, first.data], ["bottage", newest.body]);
    assert.ok(text().startsWith("retry: 1000\n"));
    const created = [await say("One"), await say("Two")];
    const read = await relata.send(`GET /bottage/${created[1].bottage}`);
    const events = await take(2);
    assert.equal(events.map(({ data }) => data), created);
    assert.equal(events[1]!.data, read.body);
  });
});

test("shows what another program inserts, and each row of a batch", async () => {
  await whileOpen(openAt("Newest"), async ({ take }) => {
    await relata.sql`insert into bottage (cul, colere_id) values ('Inserted', 1)`;
    assert.equal(culs(await take(1)), ["Inserted"]);
    const rows = Array.from({ length: 250 }, (_, index) => ({ cul: `Row ${index}`, colere: 1 }));
    assert.is((await relata.send("POST /bottage/batch/", rows)).status, 201);
    assert.equal(culs(await take(250)), rows.map(({ cul }) => cul));
  });
});

for (
  const [title, path, headers] of [
    ["the query parameter after", (id: string) => `/bottage/?after=${id}`, () => ({})],
    ["Last-Event-ID", () => "/bottage/", (id: string) => ({ "last-event-id": id })],
    [
      "Last-Event-ID, which a browser sends beside the after that it began with",
      () => "/bottage/?after=WzFd",
      (id: string) => ({ "last-event-id": id }),
    ],
  ] as const
) {
  test(`goes on after the position in ${title}`, async () => {
    const { id } = await whileOpen(openAt("Seen"), ({ first }) => Promise.resolve(first));
    await sayAll(3, (index) => `Missed ${index}`);
    await whileOpen(open(path(id), headers(id)), async ({ take }) => {
      const missed = await take(2);
      assert.equal(culs(missed), ["Missed 0", "Missed 1"]);
      await whileOpen(open(path(missed[1]!.id), headers(missed[1]!.id)), async ({ take }) => {
        assert.equal(culs(await take(1)), ["Missed 2"]);
      });
    });
  });
}

test("gives a position where there is no record yet, so that none is lost", async () => {
  const fresh = await startService();
  try {
    const stream = await open("/bottage/", {}, fresh);
    await until(async () => {
      if (stream.position() === "") {
        const first = stream.next();
        await say("Wakes the stream", fresh);
        await first;
      }
      return true;
    });
    const [start] = /^id: (.*)$/m.exec(stream.text())!.slice(1);
    await stream.close();
    await say("Missed", fresh);
    await whileOpen(open(`/bottage/?after=${start}`, {}, fresh), async ({ take }) => {
      assert.equal(culs(await take(2)), ["Wakes the stream", "Missed"]);
    });
  } finally {
    await fresh.stop();
  }
});

/** A fresh service whose records are all of an epoch that is over: Postgres has started since. */
async function restarted(): Promise<Service> {
  const fresh = await startService();
  await fresh.sql`
    insert into relata_epoch (epoch, started, database, transaction)
    values (1, '2020-01-01', 0, '3')`;
  await fresh.sql`
    insert into bottage (cul, colere_id, relata_epoch, relata_transaction)
    values ('Old', 1, 1, '5'), ('Older', 1, 1, '4')`;
  return fresh;
}

test("begins with the newest record also where it is the first to ask since Postgres started", async () => {
  const fresh = await restarted();
  await whileOpen(open("/bottage/", {}, fresh), async ({ take }) => {
    assert.equal(culs(await take(1)), ["Old"]);
    await say("New", fresh);
    assert.equal(culs(await take(1)), ["New"]);
  });
  await fresh.stop();
});

test("puts records of an epoch that the database does not know before all later ones", async () => {
  const fresh = await restarted();
  await fresh.sql`delete from relata_epoch`; // as where only the records were copied
  const newest = whileOpen(open("/bottage/", {}, fresh), ({ take }) => take(1));
  const [{ id }] = await newest as [Event];
  await whileOpen(open(`/bottage/?after=${id}`, {}, fresh), async ({ take }) => {
    await say("New", fresh);
    assert.equal(culs(await take(1)), ["New"]);
  });
  const start = encoded(["bottage", 0, "", "0", "0"]);
  await whileOpen(open(`/bottage/?after=${start}`, {}, fresh), async ({ take }) => {
    assert.equal(culs(await take(3)), ["Older", "Old", "New"]);
  });
  await fresh.stop();
});

testOnPostgres(
  "begins with the newest record that can be read, while one from before the epoch may come",
  async () => {
    const fresh = await restarted();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const held = fresh.sql.begin(async (sql) => {
      await sql`select pg_current_xact_id()`;
      hold();
      await isOver;
    });
    await isHeld;
    await say("New", fresh);
    await whileOpen(open("/bottage/", {}, fresh), async ({ take }) => {
      end();
      assert.equal(culs(await take(2)), ["Old", "New"]);
    });
    await held;
    await fresh.stop();
  },
);

testOnPostgres("knows a position that comes after what can be read at present", async () => {
  // As where the transaction did not count when the position was given, because it was one of another database
  const held = await relata.sql.reserve();
  await held`begin`;
  await held`select pg_current_xact_id()`;
  await say("Given before");
  const [place] = await relata.sql`
    select epoch::text, mark, relata_transaction::text as transaction, id::text
    from bottage
    join relata_epoch
      on epoch = relata_epoch
    where cul = 'Given before'`;
  const { epoch, mark, transaction, id } = place!;
  const after = encoded(["bottage", Number(epoch), mark, transaction, id]);
  await whileOpen(open(`/bottage/?after=${after}`), async ({ status, take }) => {
    assert.is(status, 200);
    await held`commit`;
    held.release();
    await say("New");
    assert.equal(culs(await take(1)), ["New"]);
  });
});

const encoded = (position: unknown) => Buffer.from(JSON.stringify(position)).toString("base64url");

for (
  const [title, change] of [
    ["that is no position", () => "nothing"],
    ["that is empty JSON", () => encoded([])],
    ["of another resource", ([, ...rest]) => encoded(["foo", ...rest])],
    [
      "of another database",
      ([name, epoch, , ...rest]) =>
        encoded([name, epoch, "9b2f1c3e-6d0a-4f1b-8a47-2c5e90d7b611", ...rest]),
    ],
    ["of an epoch that never was", ([name, , ...rest]) => encoded([name, 99, ...rest])],
    [
      "of a transaction that never was",
      ([name, epoch, mark, , id]) => encoded([name, epoch, mark, "4611686018427387904", id]),
    ],
    [
      "with a number that Postgres cannot hold",
      ([name, epoch, mark, , id]) => encoded([name, epoch, mark, "99999999999999999999", id]),
    ],
    [
      "with an identifier that Postgres cannot hold",
      ([name, epoch, mark, transaction]) =>
        encoded([name, epoch, mark, transaction, "9223372036854775808"]),
    ],
    [
      "with a negative transaction",
      ([name, epoch, mark, , id]) => encoded([name, epoch, mark, "-1", id]),
    ],
    [
      "with a fraction",
      ([name, epoch, mark, transaction]) => encoded([name, epoch, mark, transaction, "1.5"]),
    ],
  ] as [string, (position: unknown[]) => string][]
) {
  test(`refuses a position ${title}`, async () => {
    const { id } = await whileOpen(openAt("Newest"), ({ first }) => Promise.resolve(first));
    const position = change(JSON.parse(Buffer.from(id, "base64url").toString()));
    const asked = await relata.send(`GET /bottage/?after=${position}`, undefined, ACCEPT);
    assert.equal([asked.status, asked.body.detail], [
      400,
      'The query parameter "after" has no position of this stream: start again without it',
    ]);
    const again = { ...ACCEPT, "last-event-id": position };
    const sent = await relata.send("GET /bottage/", undefined, again);
    assert.equal([sent.status, sent.body.detail], [
      400,
      'The header "Last-Event-ID" has no position of this stream: start again without it',
    ]);
  });
}

test("takes no parameter of the list, and the list none of the stream, and each says who does", async () => {
  const stream = await relata.send("GET /bottage/?limit=1", undefined, ACCEPT);
  assert.equal([stream.status, stream.body.detail], [
    400,
    'The query parameter "limit" goes with the header "Accept: application/json"',
  ]);
  const list = await relata.send("GET /bottage/?after=x");
  assert.equal([list.status, list.body.detail], [
    400,
    'The query parameter "after" goes with the header "Accept: text/event-stream"',
  ]);
  const neither = await relata.send("GET /bottage/?before=x");
  assert.equal(neither.body.detail, 'No query parameter is named "before" here');
});

for (
  const [accept, type] of [
    ["*/*", "application/json"],
    ["application/json, text/event-stream", "application/json"],
    ["application/json;q=0.5, text/event-stream", "text/event-stream; charset=utf-8"],
    ["text/*", "text/event-stream; charset=utf-8"],
    ["text/html", "application/problem+json"],
  ] as const
) {
  test(`answers ${type} to a client that accepts ${accept}`, async () => {
    await whileOpen(open("/bottage/", { accept }), ({ headers }) => {
      assert.is(headers.get("content-type"), type);
      if (type !== "application/problem+json") assert.match(headers.get("vary")!, /^Accept\b/);
      return Promise.resolve();
    });
  });
}

test("HEAD gets the headers, and follows nothing", async () => {
  const { fetch } = relata;
  const request = new Request("http://relata.test/bottage/", { method: "HEAD", headers: ACCEPT });
  const response = await fetch(request);
  const { status, headers } = response;
  assert.equal([status, await response.text()], [200, ""]);
  assert.is(headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.is(await metric("relata_followers"), 0);
});

/** A service whose reads of records fail with a code, as those of Postgres do if it has that form. */
const failing = (code: string): Served => {
  const error = Object.assign(new Error(code), { code });
  if (/^\w{5}$/.test(code)) error.name = "PostgresError";
  const client: typeof relata.client = {
    ...relata.client,
    run: (statement, values) =>
      / bottage$/.test(statement.name)
        ? Promise.reject(error)
        : relata.client.run(statement, values),
  };
  return serviceOn({ client });
};

for (const code of ["ECONNREFUSED", "CONNECTION_CLOSED", "57P03", "53300"]) {
  test(`ends at once while the database is away, so that a browser comes back: ${code}`, async () => {
    const { id } = await whileOpen(openAt("Newest"), ({ first }) => Promise.resolve(first));
    for (const path of ["/bottage/", `/bottage/?after=${id}`]) {
      const { status, next, text } = await open(path, {}, failing(code));
      assert.equal([status, await next(), text()], [200, undefined, "retry: 1000\n\n"]);
    }
  });
}

for (const [code, what] of [["42703", "the columns are missing"], ["25006", "it is a standby"]]) {
  test(`is refused where it could never begin: ${what}`, async () => {
    const { status } = await failing(code!).send("GET /bottage/", undefined, ACCEPT);
    assert.is(status, 503);
  });
}

test("a token has a thousand streams, and leaves others theirs", async () => {
  const served = serviceOn(relata, { authRequired: true });
  const [one, other] = [bearer(await grant(relata.sql)), bearer(await grant(relata.sql))];
  const streams = await Promise.all(
    Array.from({ length: 1000 }, () => open("/bottage/", one, served)),
  );
  assert.ok(streams.every(({ status }) => status === 200));
  const { status, headers, close } = await open("/bottage/", one, served);
  assert.equal([status, headers.get("retry-after")], [503, "1"]);
  await close();
  await (await open("/bottage/", other, served)).close();
  await streams[0]!.close();
  streams[0] = await open("/bottage/", one, served);
  assert.is(streams[0].status, 200);
  await Promise.all(streams.map(({ close }) => close()));
});

test("a process has ten thousand streams", async () => {
  const served = serviceOn(relata, { capacity: 20_000 });
  const streams = await Promise.all(
    Array.from({ length: 10_000 }, () => open("/bottage/", {}, served)),
  );
  assert.ok(streams.every(({ status }) => status === 200));
  const { status, close } = await open("/bottage/", {}, served);
  assert.is(status, 503);
  await close();
  await Promise.all(streams.map(({ close }) => close()));
  assert.is(await metric("relata_followers", served), 0);
});

test("the metrics tell how many follow", async () => {
  assert.is(await metric("relata_followers"), 0);
  await whileOpen(openAt("Newest"), async () => {
    await whileOpen(open(), async () => assert.is(await metric("relata_followers"), 2));
  });
  assert.is(await metric("relata_followers"), 0);
  assert.is(await metric("relata_follow_delay_seconds"), 0);
});

test("nobody follows who got another answer meanwhile", async () => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const client: typeof relata.client = {
    ...relata.client,
    async run(statement, values) {
      const rows = await relata.client.run(statement, values);
      if (statement.name === "newest bottage") await isOver;
      return rows;
    },
  };
  const served = serviceOn({ client }, { timeLimit: 0.1 });
  const { status } = await served.send("GET /bottage/", undefined, ACCEPT);
  assert.is(status, 504);
  end();
  await turn();
  assert.is(await metric("relata_followers", served), 0);
});

test("one reader serves all who follow", async () => {
  let statements = 0;
  const client: typeof relata.client = {
    ...relata.client,
    run(statement, values) {
      if (statement.name === "follow bottage") statements++;
      return relata.client.run(statement, values);
    },
  };
  const served = serviceOn({ client });
  await (await openAt("Newest", served)).close();
  const streams = await Promise.all(
    Array.from({ length: 50 }, () => open("/bottage/", {}, served)),
  );
  await Promise.all(streams.map(({ take }) => take(1)));
  const waiting = streams.map(({ take }) => take(1));
  const before = statements;
  const made = await say("For all", served);
  for (const [{ data }] of await Promise.all(waiting) as [Event][]) assert.equal(data, made);
  assert.ok(statements - before < 25, `${statements - before} statements`);
  await Promise.all(streams.map(({ close }) => close()));
});

test("those who come back at once share the bytes that they missed", async () => {
  const { id } = await whileOpen(openAt("Newest"), ({ first }) => Promise.resolve(first));
  await say("Missed");
  const url = `http://relata.test/bottage/?after=${id}`;
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => relata.fetch(new Request(url, { headers: ACCEPT }))),
  );
  const missed = await Promise.all(responses.map(async ({ body }) => {
    const reader = body!.getReader();
    await reader.read(); // when to come back
    const { value } = await reader.read();
    await reader.cancel();
    return value;
  }));
  assert.ok(new Set(missed).size < missed.length);
});

test("reads, and listens for all, only while somebody follows", async () => {
  let listening = 0;
  const client: typeof relata.client = {
    ...relata.client,
    listen() {
      listening++;
      return () => void listening--;
    },
  };
  const served = serviceOn({ client });
  const streams = [await openAt("Newest", served), await open("/bottage/", {}, served)];
  const reading = streams.map(({ next }) => next()); // joins the feed
  await until(() => Promise.resolve(listening > 0));
  assert.is(listening, 1);
  await streams[0]!.close();
  assert.is(listening, 1);
  await streams[1]!.close();
  await until(() => Promise.resolve(listening === 0));
  await Promise.all(reading);
});

test("cuts off who reads too slowly, who goes on without a gap", async () => {
  const slow = await openAt("Newest");
  const reading = slow.take(1); // joins the feed
  const cul = (index: number) => `${index} `.padEnd(200_000, "x");
  await say(cul(0));
  const seen = [...await reading];
  await whileOpen(open(), async (quick) => {
    await sayAll(12, (index) => cul(index + 1));
    while (culs(await quick.take(1))[0] !== cul(12)); // so that the reader has read them all
  });
  for (let event = await slow.next(); event; event = await slow.next()) seen.push(event);
  assert.ok(seen.length < 13, "it was not cut off");
  await whileOpen(open(`/bottage/?after=${seen.at(-1)!.id}`), async ({ take }) => {
    seen.push(...await take(13 - seen.length));
  });
  assert.equal(culs(seen), Array.from({ length: 13 }, (_, index) => cul(index)));
});

test("leaves nothing out where many records come between the answer and its first event", async () => {
  const { id } = await whileOpen(openAt("Newest"), ({ first }) => Promise.resolve(first));
  const cul = (index: number) => `${index} `.padEnd(200_000, "x");
  await whileOpen(open(`/bottage/?after=${id}`), async (quick) => {
    const reading = quick.take(12);
    await whileOpen(open(`/bottage/?after=${id}`), async (slow) => {
      await sayAll(12, cul);
      await reading;
      assert.equal(culs(await slow.take(1)), [cul(0)]);
      assert.equal(
        culs(await slow.take(11)),
        Array.from({ length: 11 }, (_, index) => cul(index + 1)),
      );
    });
  });
});

test("begins with the newest record of when it asks, though an older answer is under way", async () => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let isHeld = false;
  const client: typeof relata.client = {
    ...relata.client,
    async run(statement, values) {
      const rows = await relata.client.run(statement, values);
      if (statement.name !== "newest bottage" || isHeld) return rows;
      isHeld = true;
      await isOver;
      return rows;
    },
  };
  const served = serviceOn({ client });
  await whileOpen(openAt("Newest"), async ({ take }) => {
    const older = open("/bottage/", {}, served);
    await until(() => Promise.resolve(isHeld));
    await say("Newer");
    await take(1); // so that it can be read
    const newer = open("/bottage/", {}, served);
    await turn();
    end();
    await whileOpen(newer, async ({ take }) => assert.equal(culs(await take(1)), ["Newer"]));
    await (await older).close();
  });
});

test("ends when the server ends, so that clients come back elsewhere", async () => {
  const ends = new AbortController();
  const served = serviceOn(relata, { ending: ends.signal });
  const stream = await openAt("Newest", served);
  const next = stream.next();
  ends.abort();
  assert.is(await next, undefined);
  assert.is(await metric("relata_followers", served), 0);
});

for (
  const [what, happens] of [
    ["the server ends", (ends, _token, _served) => Promise.resolve(ends.abort())],
    ["the token was revoked", async (_ends, token, { send }) => {
      await relata.sql`update relata_token set revoked_at = now() where sha256 = ${sha256(token)}`;
      const read = () => send("GET /bottage/last", undefined, bearer(token));
      await until(async () => (await read()).status === 401);
    }],
  ] as [string, (ends: AbortController, token: string, served: Served) => Promise<void>][]
) {
  test(`ends when ${what}, also for one who still reads what was missed`, async () => {
    const ends = new AbortController();
    const served = serviceOn(relata, { authRequired: true, ending: ends.signal });
    const token = await grant(relata.sql);
    const { first } = await whileOpen(openAt("Newest"), async ({ first, take }) => {
      const rows = Array.from({ length: 250 }, () => ({ cul: "Missed", colere: 1 }));
      assert.is((await relata.send("POST /bottage/batch/", rows)).status, 201);
      await take(250); // so that all can be read
      return { first };
    });
    const stream = await open(`/bottage/?after=${first.id}`, bearer(token), served);
    await stream.take(1);
    await happens(ends, token, served);
    let rest = 0;
    while (await stream.next()) rest++;
    assert.ok(rest < 249, "The last of what was missed came");
  });
}

test("needs a token that reads, where tokens are needed", async () => {
  const served = serviceOn(relata, { authRequired: true });
  const { status, body } = await served.send("GET /bottage/", undefined, ACCEPT);
  assert.equal([status, body.detail], [401, "This path needs a token"]);
});

test("has a comment every 15 seconds, and ends with the first after the token was revoked", async () => {
  const served = serviceOn(relata, { authRequired: true });
  const tokens = [await grant(relata.sql), await grant(relata.sql)] as const;
  const streams = await Promise.all(
    tokens.map((token) => open("/bottage/", bearer(token), served)),
  );
  const [kept, ended] = streams as [Following, Following];
  const began = performance.now();
  let hasEnded = false;
  const reading = streams.map(async ({ next }) => {
    while (await next());
  });
  reading[1]!.then(() => hasEnded = true);
  await relata.sql`
    update relata_token set revoked_at = now() where sha256 = ${sha256(tokens[1])}`;
  await until(() => Promise.resolve(kept.comments() > 0));
  assert.is(Math.round((performance.now() - began) / 15_000), 1);
  await until(() => Promise.resolve(hasEnded || ended.comments() > 0));
  assert.is(ended.comments(), 0);
  await kept.close();
  await Promise.all(reading);
});

testOnPostgres("keeps one order, whichever transaction commits first", async () => {
  await whileOpen(openAt("Newest"), async ({ take, next }) => {
    const held = await relata.sql.reserve();
    await held`begin`;
    await held`insert into bottage (cul, colere_id) values ('Begun first', 1)`;
    await say("Committed first");
    const event = next();
    await until(async () => await metric("relata_follow_delay_seconds") > 0);
    await held`commit`;
    held.release();
    assert.is((await event)!.data.cul, "Begun first");
    assert.equal(culs(await take(1)), ["Committed first"]);
    await until(async () => await metric("relata_follow_delay_seconds") === 0);
  });
});

test("ends when the history of its database is another one, and is then refused", async () => {
  const fresh = await startService();
  await say("Newest", fresh);
  const stream = await open("/bottage/", {}, fresh);
  const [{ id }] = await stream.take(1) as [Event];
  const next = stream.next();
  await fresh.sql`update relata_epoch set mark = gen_random_uuid()`;
  assert.is(await next, undefined);
  assert.is((await fresh.send(`GET /bottage/?after=${id}`, undefined, ACCEPT)).status, 400);
  await fresh.stop();
});

test("goes on where records that were missed are gone from the table", async () => {
  const { id } = await whileOpen(openAt("Newest"), ({ first }) => Promise.resolve(first));
  await whileOpen(open(`/bottage/?after=${id}`), async (quick) => {
    const reading = quick.take(12);
    await sayAll(12, (index) => `${index} `.padEnd(200_000, "x"));
    await reading;
    await relata.sql`delete from bottage where length(cul) = 200000`;
    await whileOpen(open(`/bottage/?after=${id}`), async ({ take }) => {
      await take(1); // the newest are still kept
      await say("Not gone");
      while (culs(await take(1))[0] !== "Not gone");
    });
  });
});

test("orders transactions by their numbers, whatever digits they have and identifiers came with them", async () => {
  const fresh = await startService();
  await fresh.sql`
    insert into bottage (cul, colere_id, relata_transaction)
    values ('Third', 1, '9'), ('First', 1, '7'), ('Second', 1, '8')`;
  const position = encoded(["bottage", 0, "", "0", "0"]);
  await whileOpen(open(`/bottage/?after=${position}`, {}, fresh), async ({ take }) => {
    assert.equal(culs(await take(3)), ["First", "Second", "Third"]);
    const next = take(1);
    await fresh.sql`
      insert into bottage (cul, colere_id, relata_transaction) values ('Fourth', 1, '10')`;
    assert.equal(culs(await next), ["Fourth"]);
  });
  await fresh.stop();
});

testOnPostgres("has one epoch, also where several begin it at once", async () => {
  const fresh = await startService();
  let other: Promise<unknown> | undefined;
  await fresh.sql.begin(async (sql) => {
    await sql`insert into bottage (cul, colere_id) values ('One', 1)`;
    other = fresh.sql`insert into bottage (cul, colere_id) values ('Other', 1)`.execute();
    await until(async () => {
      const rows = await fresh.sql`
        select
        from pg_stat_activity
        where datname = current_database()
          and wait_event_type = 'Lock'`;
      return rows.length > 0;
    });
  });
  await other;
  const epochs = await fresh.sql`select distinct relata_epoch from bottage`;
  assert.is(epochs.length, 1);
  await fresh.stop();
});

testOnPostgres("lets the epoch be begun by a role that may do nothing but insert", async () => {
  const fresh = await startService();
  const role = `relata_writer_${randomUUID().slice(0, 8)}`;
  await fresh.sql.unsafe(`create role ${role}; grant insert on bottage to ${role}`).simple();
  await fresh.sql.begin(async (sql) => {
    await sql.unsafe(`set local role ${role}`);
    await sql`insert into bottage (cul, colere_id) values ('Its own', 1)`;
  });
  await whileOpen(open("/bottage/", {}, fresh), async ({ take }) => {
    assert.equal(culs(await take(1)), ["Its own"]);
  });
  await fresh.sql.unsafe(`drop owned by ${role}; drop role ${role}`).simple();
  await fresh.stop();
});

testOnPostgres("leaves out what was taken back", async () => {
  await whileOpen(openAt("Newest"), async ({ take }) => {
    await relata.sql.begin(async (sql) => {
      await sql`insert into bottage (cul, colere_id) values ('Taken back', 1)`;
      throw new Error("no");
    }).catch(() => {});
    await say("After it");
    assert.equal(culs(await take(1)), ["After it"]);
  });
});

// Tables of other people

const person = resource("person", {
  fields: { id: identifier(), name: text() },
  display: "name",
  routes: { "/people/": [list()] },
});
const visit = resource("visit", {
  table: "desk.visits",
  fields: {
    number: identifier({ column: "no" }),
    person: relation(person),
    guests: many(person, { through: "visit_person" }),
    word: text(),
  },
  routes: { "/visits/": [follow] },
});
const followable = `
  alter table desk.visits
    add column relata_epoch bigint not null default relata_epoch(),
    add column relata_transaction xid8 not null default pg_current_xact_id()`;
const schema = `
  create schema desk;
  create table person (
    id bigint generated by default as identity primary key,
    name text not null
  );
  create table desk.visits (
    no bigint generated by default as identity primary key,
    person_id bigint not null references person,
    word text not null
  );
  create table visit_person (
    visit_id bigint not null references desk.visits,
    person_id bigint not null references person,
    primary key (visit_id, person_id)
  );
  insert into person (name) values ('Ann'), ('Bob');
  insert into desk.visits (person_id, word) values (1, 'Old'), (1, 'Older')`;

test("follows a table in another schema, once it has what that needs", async () => {
  const fresh = await startService({ resources: [...resources, person, visit] });
  try {
    await fresh.sql.unsafe(schema).simple();
    const { status, body } = await fresh.send("GET /visits/", undefined, ACCEPT);
    assert.equal([status, body.detail], [503, "The database lacks the schema of this server"]);
    await fresh.sql.unsafe(followable);
    await whileOpen(open("/visits/", { accept: "*/*" }, fresh), async ({ take }) => {
      // It begins with the first if a transaction of another database ends just then
      const seen = await take(1);
      if (seen[0]!.data.number === 1) seen.push(...await take(1));
      const [ann, bob] = [{ id: 1, name: "Ann" }, { id: 2, name: "Bob" }];
      const newest = { number: 2, person: ann, guests: [], word: "Older" };
      assert.equal([seen.at(-1)!.event, seen.at(-1)!.data], ["visit", newest]);
      await fresh.sql.unsafe(`
        with made as (
          insert into desk.visits (person_id, word) values (1, 'New') returning no
        )
        insert into visit_person select no, unnest(array[1, 2]) from made`);
      const [{ data }] = await take(1) as [Event];
      assert.equal(data, { number: 3, person: ann, guests: [ann, bob], word: "New" });
    });
  } finally {
    await fresh.stop();
  }
});

test("goes on after records whose identifiers are no numbers of JSON", async () => {
  const fresh = await startService({ resources: [...resources, person, visit] });
  await fresh.sql.unsafe(`${schema}; ${followable}`).simple();
  const older = await whileOpen(open("/visits/", ACCEPT, fresh), ({ take }) => take(1));
  await fresh.sql`
    insert into desk.visits (no, person_id, word)
    select case when count < 4 then count - 9007199254740999 else count + 9007199254740990 end, 1, count
    from generate_series(0, 7) as count`;
  const seen = [...older];
  while (seen.at(-1)!.data.word !== "7") {
    const path = `/visits/?after=${seen.at(-1)!.id}`;
    seen.push(...await whileOpen(open(path, ACCEPT, fresh), ({ take }) => take(1)));
  }
  const words = seen.map(({ data }) => data.word);
  assert.equal(words.slice(-8), ["0", "1", "2", "3", "4", "5", "6", "7"]);
  await fresh.stop();
});

test.run();
