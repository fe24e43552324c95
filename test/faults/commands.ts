// What a client can do, as commands on the model and on the service, whose answers must agree.
import fc from "fast-check";
import * as assert from "uvu/assert";
import { pathOf, type Resource, resources, type Verb } from "../house.ts";
import { type Answer, failures, type Service } from "../service.ts";
import type { Json } from "./arbitrary.ts";
import type { Model, Row, Wishes } from "./model.ts";

export interface Real {
  send: Service["send"];
  /** Serves anew, as after a restart: nothing is remembered but what the database has. */
  restart(): void;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Which representation of a row a condition names. */
type Condition = "none" | "seen" | "other" | "any";

/** Values to send: texts, and for each relation a number that picks a row. */
type Picks = Record<string, string | number>;

// Letters in both cases, what patterns mean something by, and two that UTF-16 and Unicode sort apart.
const text = fc.string({ unit: fc.constantFrom(..."aAbB%_\\ é～😀"), maxLength: 5 });
const pick = fc.nat(20);
const condition = fc.constantFrom<Condition>("none", "none", "seen", "seen", "other", "any");
const limit = fc.integer({ min: 1, max: 4 });

/** An identifier that no row has. */
const NEVER = 9_000_000_000_000_000;

/** Everything that can be done with every resource, by what it declares. */
export function commands(): fc.Arbitrary<Command>[] {
  return [
    fc.constant(command("restart", (_, real) => Promise.resolve(real.restart()))),
    fc.tuple(pick, fc.boolean()).map((values) => repeat(...values)),
    ...resources.flatMap(commandsOf),
  ];
}

function commandsOf(resource: Resource): fc.Arbitrary<Command>[] {
  const whole = picks(resource, { whole: true });
  const some = picks(resource, { whole: false });
  const reading = fc.tuple(pick, condition);
  const made: Partial<Record<Verb["name"], fc.Arbitrary<Command>[]>> = {
    create: [
      whole.map((picks) => create(resource, [picks])),
      fc.array(whole, { minLength: 2, maxLength: 6 }).map((all) => create(resource, all)),
      fc.tuple(whole, fc.uuid()).map(([picks, key]) => create(resource, [picks], key)),
    ],
    read: [
      fc.array(reading, { minLength: 1, maxLength: 6 }).map((all) => read(resource, all)),
    ],
    last: [fc.constant(last(resource))],
    replace: [fc.tuple(pick, whole, condition).map((all) => write(resource, "replace", ...all))],
    patch: [fc.tuple(pick, some, condition).map((all) => write(resource, "patch", ...all))],
    delete: [reading.map((all) => remove(resource, ...all))],
    list: [wishes(resource).map((wishes) => list(resource, wishes))],
    choices: Object.keys(resource.relations).map((field) =>
      fc.record({ q: text, limit }, { requiredKeys: [] })
        .map((wishes) => choose(resource, field, wishes))
    ),
  };
  return Object.entries(made).flatMap(([verb, arbitraries]) =>
    pathOf(resource, verb as Verb["name"]) ? arbitraries : []
  );
}

function picks({ sent }: Resource, { whole }: { whole: boolean }): fc.Arbitrary<Picks> {
  const fields = Object.entries(sent);
  const needed = fields.filter(([, { write }]) => whole && write.default === undefined);
  return fc.record<Picks>(
    Object.fromEntries(fields.map(([name, { relation }]) => [name, relation ? pick : text])),
    { requiredKeys: needed.map(([name]) => name), noNullPrototype: true },
  );
}

function wishes({ display, relations }: Resource): fc.Arbitrary<Wishes & { fields: Picks }> {
  const sorts = ["id", ...(display ? [display] : [])].flatMap((field) => [field, `-${field}`]);
  const filters = {
    ...(display && { [display]: text }),
    ...Object.fromEntries(Object.keys(relations).map((name) => [name, pick])),
  };
  return fc.record({
    sort: fc.constantFrom(...sorts),
    limit,
    ...(display && { q: text }),
    fields: fc.oneof(
      fc.constant({}),
      fc.record<Picks>(filters, { requiredKeys: [], noNullPrototype: true }),
    ),
  }, { requiredKeys: ["sort", "fields"], noNullPrototype: true }) as fc.Arbitrary<
    Wishes & { fields: Picks }
  >;
}

/** Creates rows at once: whatever becomes of one is nothing to the others. */
function create(resource: Resource, all: Picks[], key?: string): Command {
  return command(`create ${resource.name} ${shown(all)} ${key ?? ""}`, async (model, real) => {
    const newest = model.identifiers(resource).at(-1) ?? 0;
    const sent = all.map((picks) => picked(model, resource, picks));
    const path = pathOf(resource, "create")!;
    const answers = await Promise.all(
      sent.map((values) =>
        real.send(`POST ${path}`, JSON.stringify(values), key ? { "idempotency-key": key } : {})
      ),
    );
    for (const [place, values] of sent.entries()) {
      const answer = answers[place]!;
      if (isRefused(model, resource, values, answer)) continue;
      assert.is(answer.status, 201);
      const id = answer.body[resource.key];
      assert.ok(id > newest && !model.has(resource, id), `The identifier ${id} is not a new one`);
      model.put(resource, id, { ...given(resource, answer.body), ...values });
      assert.is(answer.headers.get("location"), pathAt(resource, id));
      sees(model, resource, id, answer);
      if (key) {
        const body = JSON.stringify(values);
        model.kept.push({ resource, key, body, answer: answer.body });
      }
    }
  });
}

/** Sends a create under a key again, or something else under that key. */
function repeat(nth: number, same: boolean): Command {
  return command(`repeat ${same ? "create" : "key"} ${nth}`, async (model, real) => {
    const kept = model.kept[nth % model.kept.length];
    if (!kept) return;
    const { resource, key, body, answer } = kept;
    const again = await real.send(
      `POST ${pathOf(resource, "create")}`,
      same ? body : `${body} `,
      { "idempotency-key": key },
    );
    if (!same) return assert.equal(failures(again), { "": "reused_key" });
    assert.equal([again.status, again.body], [201, answer]);
    assert.is(again.headers.get("location"), pathAt(resource, answer[resource.key]));
  });
}

/** Reads rows at once. */
function read(resource: Resource, all: [nth: number, condition: Condition][]): Command {
  return command(`read ${resource.name} ${shown(all)}`, async (model, real) => {
    await Promise.all(all.map(async ([nth, condition]) => {
      const id = identifier(model, resource, nth);
      const path = pathAt(resource, id);
      const unchanged = condition !== "none" && meets(model, resource, id, condition);
      const headers = conditional(model, path, "if-none-match", condition);
      const answer = await real.send(`GET ${path}`, undefined, headers);
      if (!model.has(resource, id)) return assert.is(answer.status, 404);
      assert.is(answer.status, unchanged ? 304 : 200);
      if (!unchanged) sees(model, resource, id, answer);
    }));
  });
}

function last(resource: Resource): Command {
  return command(`last ${resource.name}`, async (model, real) => {
    const answer = await real.send(`GET ${pathOf(resource, "last")}`);
    const newest = model.identifiers(resource).at(-1);
    if (newest === undefined) return assert.is(answer.status, 404);
    assert.is(answer.status, 200);
    sees(model, resource, newest, answer);
  });
}

/** Replaces a row, or changes some of its fields. */
function write(
  resource: Resource,
  verb: "replace" | "patch",
  nth: number,
  picks: Picks,
  condition: Condition,
): Command {
  const title = `${verb} ${resource.name} ${nth} ${shown(picks)} ${condition}`;
  return command(title, async (model, real) => {
    const id = identifier(model, resource, nth);
    const path = pathAt(resource, id);
    const values = picked(model, resource, picks);
    const holds = meets(model, resource, id, condition);
    const method = verb === "replace" ? "PUT" : "PATCH";
    const headers = conditional(model, path, "if-match", condition);
    const answer = await real.send(`${method} ${path}`, values, headers);
    if (isRefused(model, resource, values, answer)) return;
    if (!model.has(resource, id)) return assert.is(answer.status, 404);
    if (!holds) return assert.is(answer.status, 412);
    assert.is(answer.status, 200);
    model.put(resource, id, verb === "replace" ? { ...given(resource, {}), ...values } : values);
    sees(model, resource, id, answer);
  });
}

function remove(resource: Resource, nth: number, condition: Condition): Command {
  return command(`delete ${resource.name} ${nth} ${condition}`, async (model, real) => {
    const id = identifier(model, resource, nth);
    const path = pathAt(resource, id);
    const holds = meets(model, resource, id, condition);
    const headers = conditional(model, path, "if-match", condition);
    const { status } = await real.send(`DELETE ${path}`, undefined, headers);
    if (!model.has(resource, id)) return assert.is(status, 404);
    if (!holds) return assert.is(status, 412);
    if (model.isReferred(resource, id)) return assert.is(status, 409);
    assert.is(status, 204);
    model.remove(resource, id);
    assert.is((await real.send(`GET ${path}`)).status, 404);
  });
}

function list(resource: Resource, { fields, ...asked }: Wishes & { fields: Picks }): Command {
  return command(`list ${resource.name} ${shown({ ...asked, ...fields })}`, async (model, real) => {
    const filters = picked(model, resource, fields);
    const pages = await walk(real, pathOf(resource, "list")!, { ...asked, ...filters });
    const expected = model.list(resource, { ...asked, fields: filters });
    assert.equal(pages.flatMap(({ items }) => items), expected);
    evenly(pages.map(({ items }) => items.length), asked.limit);
  });
}

function choose(resource: Resource, field: string, asked: Partial<Wishes>): Command {
  const [path] = Object.entries(resource.routes).find(([, verbs]) =>
    verbs.some((verb) => verb.operation(resource).candidatesOf === field)
  )!;
  return command(`choose ${resource.name}.${field} ${shown(asked)}`, async (model, real) => {
    const pages = (await walk(real, path, asked)).map(({ choices }) => Object.entries(choices));
    assert.equal(pages.flat(), model.choices(resource.relations[field]!.target(resource), asked.q));
    evenly(pages.map((choices) => choices.length), asked.limit);
  });
}

function command(
  title: string,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return { check: () => true, run, toString: () => title.trim() };
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}

/** One of the rows that there are, now and then none. */
function identifier(model: Model, resource: Resource, nth: number): number {
  const identifiers = model.identifiers(resource);
  return nth % 7 === 6 ? NEVER : identifiers[nth % identifiers.length] ?? NEVER;
}

function picked(model: Model, resource: Resource, picks: Picks): Row {
  const { relations } = resource;
  return Object.fromEntries(
    Object.entries(picks).map(([name, pick]) => [
      name,
      relations[name] ? identifier(model, relations[name].target(resource), Number(pick)) : pick,
    ]),
  );
}

/** The values that a row gets from the server: what it has where nothing was sent, and moments. */
function given({ fields }: Resource, told: Json): Row {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (field.kind === "created") return [[name, told[name]]];
      return field.write?.default === undefined ? [] : [[name, field.write.default]];
    }),
  );
}

function pathAt(resource: Resource, id: number): string {
  return pathOf(resource, "read")!.replace(/\{\w+\}/, String(id));
}

/** Whether a write is refused for its relations, which the answer then has to say of all that fail. */
function isRefused(model: Model, resource: Resource, values: Row, answer: Answer): boolean {
  const dangling = model.dangling(resource, values);
  if (dangling.length === 0) return false;
  const expected = Object.fromEntries(dangling.map((name) => [`/${name}`, "does_not_exist"]));
  assert.equal(failures(answer), expected);
  return true;
}

/** Holds an answer to the row as the model has it, and its tag to what is known of tags. */
function sees(model: Model, resource: Resource, id: number, { body, headers }: Answer): void {
  const representation = JSON.stringify(model.read(resource, id));
  assert.is(JSON.stringify(body), representation);
  assert.ok(model.tells(representation, headers.get("etag")!), "The tag is of something else");
  model.seen.set(pathAt(resource, id), representation);
}

function conditional(
  model: Model,
  path: string,
  header: string,
  condition: Condition,
): Record<string, string> {
  if (condition === "none") return {};
  const tags = { seen: model.tagAt(path) ?? '"never"', other: '"other"', any: "*" };
  return { [header]: tags[condition] };
}

/** Whether a condition names what a row is read as now. */
function meets(model: Model, resource: Resource, id: number, condition: Condition): boolean {
  if (condition !== "seen" || !model.has(resource, id)) return condition !== "other";
  return model.seen.get(pathAt(resource, id)) === JSON.stringify(model.read(resource, id));
}

/** Every page of a list, from the first to the last. */
async function walk(real: Real, path: string, asked: object): Promise<Json[]> {
  const query = new URLSearchParams(
    Object.entries(asked).map(([name, value]) => [name, String(value)]),
  );
  const pages: Json[] = [];
  for (let next: string | null = `${path}?${query}`; next;) {
    const { status, headers, body }: Answer = await real.send(`GET ${next}`);
    assert.is(status, 200);
    assert.is(headers.get("link"), body.next && `<${body.next}>; rel="next"`);
    pages.push(body);
    next = body.next;
  }
  return pages;
}

/** Whether every page but the last is full. */
function evenly(lengths: number[], limit = Infinity): void {
  for (const length of lengths.slice(0, -1)) assert.is(length, limit);
  assert.ok(lengths.at(-1)! <= limit);
}
