// The recipe of a client that was offline (test/offline-client.ts), step by step.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { offlineClient, type Options, type Row, type Write } from "../offline-client.ts";
import { readProject, startProject } from "../projects.ts";
import { type Service, serviceOn } from "../service.ts";

const test = suite("offline");
let relata: Service;
const project = await readProject(new URL("../offline/", import.meta.url), "offline");

test.before(async () => {
  relata = await startProject(project);
});
test.before.each(async () => {
  await relata.sql`delete from task`;
});
test.after(() => relata.stop());

type Fetch = Options["fetch"];

let phones = 0;

interface Phone extends ReturnType<typeof offlineClient> {
  sub: string;
  lost: [Write["method"], status: unknown][];
  /** What the net does to a request, which it is to send on; undefined if it does nothing. */
  net:
    | ((send: () => Promise<Response>, method: string, path: string) => Promise<Response>)
    | undefined;
}

/** A client with rows of its own, whose marks are added to those of others. */
function phone({ state, served = relata, sub = `phone ${++phones}` }: {
  state?: Options["state"];
  served?: Pick<Service, "as">;
  sub?: string;
} = {}): Phone {
  const caller = served.as({ sub });
  const sent: Fetch = (path, init) => caller.fetch(new Request(`http://relata.test${path}`, init));
  const lost: Phone["lost"] = [];
  const client = offlineClient({
    path: "/api/tasks/",
    fetch: (path, init) => {
      const send = () => sent(path, init);
      return one.net?.(send, init?.method ?? "GET", path) ?? send();
    },
    merge: ({ method, fields }, current) => {
      if (method === "DELETE") return undefined;
      const marks = [...current["marks"] as string[], ...(fields["marks"] as string[]).slice(-1)];
      return { ...fields, marks };
    },
    lost: ({ method }, { status }) => lost.push([method, status]),
    ...state && { state },
  });
  const one: Phone = { ...client, sub, lost, net: undefined };
  return one;
}

/** Follows until the copy is as a condition wants it. */
async function followed(phone: Phone, condition: () => boolean): Promise<void> {
  if (phone.state.position !== undefined && condition()) return;
  for await (const _ of phone.follow()) if (condition()) return;
  throw new Error("The stream ended");
}

/** Makes a row, which is sent at once. */
async function made(phone: Phone, fields: Partial<Row> = {}): Promise<string> {
  const id = crypto.randomUUID();
  phone.write("PUT", id, { title: "Roof", ...fields });
  await phone.send();
  return id;
}

/** What the server has of a row. */
async function stored(id: string): Promise<Pick<Row, "title" | "marks"> | undefined> {
  const { status, body } = await relata.send(`GET /api/tasks/${id}/`);
  return status === 404 ? undefined : { title: body.title, marks: body.marks };
}

function find(phone: Phone, id: string): Row | undefined {
  return phone.rows().find((row) => row.id === id);
}

/** The marks of a row as a phone shows it. */
const marksOf = (phone: Phone, id: string) => find(phone, id)?.["marks"] as string[] | undefined;

/** Those that its copy has. */
const keptMarks = ({ state }: Phone, id: string) => String(state.copy[id]?.row["marks"]);

/** A net that loses the next answer to a write. */
function losesAnAnswer(phone: Phone): void {
  phone.net = async (send, method) => {
    const answer = await send();
    if (method === "GET") return answer;
    phone.net = undefined;
    await answer.body?.cancel();
    throw new TypeError("The connection was cut");
  };
}

const isRefused = () => Promise.reject(new TypeError("There is no net"));

/** What a call rejects with. */
async function failure(work: Promise<unknown>): Promise<string> {
  return await work.then(() => "nothing", (error: Error) => error.message);
}

test("the first sync misses nothing that is written between its position and its list", async () => {
  const ann = phone();
  const before = await made(ann);
  const laptop = phone({ sub: ann.sub });
  let between = "";
  laptop.net = async (send, _, path) => {
    laptop.net = undefined;
    assert.match(path, /changes/);
    const answer = await send();
    const { body } = answer;
    // The position is there; the list is not asked for yet
    between = await made(ann);
    ann.write("PATCH", before, { title: "House" });
    await ann.send();
    return new Response(body, answer);
  };
  await followed(laptop, () => find(laptop, before)?.["title"] === "House");
  assert.is(find(laptop, between)?.["title"], "Roof");
  assert.equal(laptop.rows().length, 2);
});

test("a copy has all pages, with their tags, and only what its caller reads", async () => {
  const [ann, bob] = [phone(), phone()];
  await made(bob, { title: "of bob" });
  const shared = await made(bob, { shared: true });
  await relata.sql`
    insert into task (id, title, marks, shared, owner)
    select gen_random_uuid(), 'Task ' || i, '{}', false, ${ann.sub}
    from generate_series(1, 450) as i`;
  await ann.sync();
  assert.is(ann.rows().length, 451);
  assert.is(find(ann, shared)?.["owner"], bob.sub);
  const { headers } = await relata.send(`GET /api/tasks/${shared}/`);
  assert.is(ann.state.copy[shared]?.tag, headers.get("etag"));
});

test("what is written offline is shown at once, and sent in its order when the net is back", async () => {
  const ann = phone();
  const [kept, gone] = [await made(ann), await made(ann)];
  await ann.sync();
  ann.net = isRefused;
  const id = crypto.randomUUID();
  ann.write("PUT", id, { title: "New", marks: ["a"] });
  ann.write("PATCH", id, { title: "Newer" });
  ann.write("PATCH", kept, { title: "House" });
  ann.write("DELETE", gone);
  const shown = ann.rows();
  assert.equal(shown.map(({ title }) => title), ["House", "Newer"]);
  assert.match(await failure(ann.send()), "no net");
  ann.net = undefined;
  await ann.send();
  assert.equal(ann.state.outbox, []);
  assert.equal(ann.lost, []);
  assert.equal(ann.rows().map(({ title }) => title).sort(), ["House", "Newer"]);
  assert.equal(await stored(id), { title: "Newer", marks: ["a"] });
  assert.is(await stored(gone), undefined);
});

test("a write whose answer is lost is sent again under its key, and is made once", async () => {
  const ann = phone();
  const id = await made(ann);
  for (const mark of ["a", "b"]) {
    ann.write("PATCH", id, { marks: [...marksOf(ann, id)!, mark] });
    losesAnAnswer(ann);
    assert.match(await failure(ann.send()), "cut");
    await ann.send();
  }
  const other = crypto.randomUUID();
  ann.write("PUT", other, { title: "Once", marks: ["c"] });
  losesAnAnswer(ann);
  await failure(ann.send());
  await ann.send();
  assert.equal(await stored(id), { title: "Roof", marks: ["a", "b"] });
  assert.equal(await stored(other), { title: "Once", marks: ["c"] });
  assert.equal(ann.lost, []);
});

test("an answer that is given again does not take the copy back to what it was", async () => {
  const [ann, bob] = [phone(), phone()];
  const id = await made(ann, { shared: true });
  for (const one of [ann, bob]) await one.sync();
  ann.write("PATCH", id, { marks: ["ann"] });
  losesAnAnswer(ann);
  await failure(ann.send());
  await followed(bob, () => marksOf(bob, id)?.join() === "ann");
  bob.write("PATCH", id, { marks: ["ann", "bob"] });
  await bob.send();
  await followed(ann, () => keptMarks(ann, id) === "ann,bob");
  await ann.send();
  assert.equal(marksOf(ann, id), ["ann", "bob"]);
});

test("a write to a row that was changed elsewhere is merged, and both changes stay", async () => {
  const [ann, bob] = [phone(), phone()];
  const id = await made(ann, { shared: true, marks: ["0"] });
  await bob.sync();
  ann.write("PATCH", id, { marks: ["0", "ann"] });
  await ann.send();
  bob.write("PATCH", id, { marks: ["0", "bob"] });
  bob.write("PATCH", id, { title: "of both", marks: ["0", "bob", "again"] });
  losesAnAnswer(bob);
  assert.match(await failure(bob.send()), "cut");
  await bob.send();
  assert.equal(await stored(id), { title: "of both", marks: ["0", "ann", "bob", "again"] });
  assert.equal(bob.lost, []);
});

test("a write that its merge drops leaves the row as others made it", async () => {
  const [ann, bob] = [phone(), phone()];
  const id = await made(ann, { shared: true });
  await bob.sync();
  ann.write("PATCH", id, { title: "House" });
  await ann.send();
  bob.write("DELETE", id);
  assert.is(find(bob, id), undefined);
  await bob.send();
  assert.is(find(bob, id)?.["title"], "House");
  assert.equal(bob.lost, []);
});

test("what happens to a row follows it: a change that was made before it came is no lost update", async () => {
  const [ann, bob] = [phone(), phone()];
  const id = await made(ann, { shared: true });
  await bob.sync();
  bob.write("PATCH", id, { marks: ["bob"] });
  ann.write("PATCH", id, { marks: ["ann"] });
  await ann.send();
  await followed(bob, () => keptMarks(bob, id) === "ann");
  await bob.send();
  assert.equal((await stored(id))?.["marks"], ["ann", "bob"]);
});

test("a row that is deleted or hidden elsewhere goes, and writes to it are told as lost", async () => {
  const [ann, bob] = [phone(), phone()];
  const [gone, hidden] = [await made(ann, { shared: true }), await made(ann, { shared: true })];
  await bob.sync();
  ann.write("DELETE", gone);
  ann.write("PATCH", hidden, { shared: false });
  await ann.send();
  bob.write("PATCH", gone, { marks: ["x"] });
  bob.write("PATCH", hidden, { marks: ["x"] });
  bob.write("DELETE", hidden);
  await bob.send();
  assert.equal(bob.lost, [["PATCH", 404], ["PATCH", 404], ["DELETE", 404]]);
  assert.equal([find(bob, gone), find(bob, hidden)], [undefined, undefined]);
  const follower = phone({ sub: bob.sub });
  const other = await made(ann, { shared: true });
  await follower.sync();
  ann.write("PATCH", other, { shared: false });
  await ann.send();
  await followed(follower, () => !find(follower, other));
});

test("a write that the server refuses is told as lost, and what comes after it is sent", async () => {
  const ann = phone();
  const id = await made(ann);
  ann.write("PATCH", id, { title: "x".repeat(101) });
  ann.write("PATCH", id, { marks: ["a"] });
  ann.write("PATCH", id, { marks: ["a", "b"] });
  await ann.send();
  assert.equal(ann.lost, [["PATCH", 422]]);
  assert.equal(await stored(id), { title: "Roof", marks: ["a", "b"] });
});

test("a write that gets 503, or whose first request is under way, is sent again as it is", async () => {
  const ann = phone();
  const id = crypto.randomUUID();
  ann.write("PUT", id, { title: "Later" });
  for (const [status, code] of [[503, "unavailable"], [409, "in_progress"], [429, "x"]] as const) {
    ann.net = () => Promise.resolve(Response.json({ type: `/problems/${code}` }, { status }));
    assert.match(await failure(ann.send()), code);
    assert.is(ann.state.outbox.length, 1);
  }
  ann.net = undefined;
  await ann.send();
  assert.equal(await stored(id), { title: "Later", marks: [] });
});

test("a client that ends at any time goes on from what it kept", async () => {
  const ann = phone();
  const id = await made(ann);
  await ann.sync();
  ann.write("PATCH", id, { marks: ["a"] });
  losesAnAnswer(ann);
  await failure(ann.send());
  const next = phone({ sub: ann.sub, state: JSON.parse(JSON.stringify(ann.state)) });
  assert.equal(marksOf(next, id), ["a"]);
  await next.send();
  next.write("PATCH", id, { marks: ["a", "b"] });
  await next.send();
  assert.equal((await stored(id))?.["marks"], ["a", "b"]);
});

test("a client whose position is older than what is kept syncs anew, and keeps what it has to send", async () => {
  const ann = phone();
  const [id, gone] = [await made(ann), await made(ann)];
  await ann.sync();
  await made(phone());
  await relata.sql`delete from task where id = ${gone}`;
  await relata.sql`update relata_change set at = now() - interval '31 days'`;
  ann.write("PATCH", id, { marks: ["a"] });
  const later = serviceOn(relata, { resources: project.resources, historyDays: 30 });
  const other = await made(phone({ served: later, sub: ann.sub }));
  assert.match(await failure(ann.follow().next()), "Last-Event-ID");
  await followed(ann, () => find(ann, other) !== undefined);
  assert.equal(ann.rows().map(({ id }) => id).sort(), [id, other].sort());
  await ann.send();
  assert.equal((await stored(id))?.["marks"], ["a"]);
});

test.run();
