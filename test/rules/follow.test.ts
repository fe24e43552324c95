// Those who follow records of which each reads some: each gets its own, in the order of all, for as long as its token.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Event, type Following, following } from "../follow.ts";
import { sha256 } from "../house.ts";
import { until } from "../program.ts";
import { type Service, startService } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { resources, tables } from "./project.ts";

const test = suite("following own records");
let relata: Service;

/** Sales of each who sells. */
const SALES = 500;

/** Requests of one seller at once. */
const AT_ONCE = 20;

test.before(async () => {
  relata = await startService({ resources, authRequired: true });
  await relata.sql.unsafe(`
    ${tables}
    alter table sale
      add column relata_epoch bigint not null default relata_epoch(),
      add column relata_transaction xid8 not null default pg_current_xact_id();
    create index on sale (relata_epoch, relata_transaction, id);`);
});
test.after(() => relata.stop());

async function follow(token: string, position?: string): Promise<Following> {
  const headers = {
    ...bearer(token),
    accept: "text/event-stream",
    ...position !== undefined && { "last-event-id": position },
  };
  const request = new Request("http://relata.test/sales/", { headers });
  const stream = following(await relata.fetch(request));
  assert.is(stream.status, 200);
  return stream;
}

/** Follows from where it began to the end of what is sold, and comes back half way. */
async function followAll(token: string, { start, count }: { start: string; count: number }) {
  const before = await follow(token, start);
  const seen = await before.take(Math.floor(count / 2));
  await before.close();
  const stream = await follow(token, seen.at(-1)!.id);
  seen.push(...await stream.take(count - seen.length));
  return { seen, stream };
}

/** The position in a stream of one who reads no sale yet. */
async function startOf(token: string): Promise<string> {
  const stream = await follow(token);
  const nothing = stream.next();
  await until("it has a position", () => stream.position() !== "");
  await stream.close();
  await nothing;
  return stream.position();
}

async function sellAll(token: string): Promise<void> {
  let left = SALES;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) {
      const { status } = await relata.send("POST /sales/", { item: "Tea" }, bearer(token));
      assert.is(status, 201);
    }
  }));
}

const idsOf = (events: Event[]) => events.map(({ data }) => data.id as number);

test("each gets its own records, in the order of all, none twice, until its token ends", async () => {
  const [ann, bob, cleo] = await Promise.all(
    ["ann", "bob", "cleo"].map((sub) => grant(relata.sql, { scope: "write", claims: { sub } })),
  ) as [string, string, string];
  const service = await grant(relata.sql);
  const start = await startOf(service);

  const idle = await follow(cleo, start);
  const following = [
    followAll(service, { start, count: 2 * SALES }),
    ...[ann, bob].map((token) => followAll(token, { start, count: SALES })),
  ] as const;
  await Promise.all([sellAll(ann), sellAll(bob)]);
  const [all, ...own] = await Promise.all(following);

  const stored = await relata.sql<{ id: number }[]>`select id::integer from sale`;
  assert.equal(idsOf(all!.seen).toSorted(), stored.map(({ id }) => id).toSorted());
  for (const [place, who] of ["ann", "bob"].entries()) {
    const ofWho = all!.seen.filter(({ data }) => data.owner === who);
    assert.is(ofWho.length, SALES);
    assert.equal(own[place]!.seen, ofWho);
  }

  const [{ stream: hers }, { stream: his }] = own as [typeof own[0], typeof own[0]];
  let hasEnded = false;
  const rest = [
    hers.next().then((event) => hasEnded = event === undefined),
    idle.next().then((event) => assert.is(event, undefined)),
  ];
  await relata.sql`
    update relata_token set expires_at = now() where sha256 = ${sha256(ann)}`;
  await until(
    "the token has ended",
    async () => (await relata.send("GET /sales/", undefined, bearer(ann))).status === 401,
  );
  const [ended, comments] = [performance.now(), hers.comments()];
  await until("her stream ends, or goes on", () => hasEnded || hers.comments() > comments);
  assert.ok(hasEnded);
  assert.ok(Math.round((performance.now() - ended) / 15_000) <= 1);

  // That of another goes on, and who reads nothing of all that has come as far
  await relata.send("POST /sales/", { item: "Tea" }, bearer(bob));
  assert.is((await his.next())!.data.owner, "bob");
  await until("the idle one has come as far", () => idle.position() === all!.seen.at(-1)!.id);
  await Promise.all([all!.stream, his, idle].map(({ close }) => close()));
  await Promise.all(rest);
});

test.run();
