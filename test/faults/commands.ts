// What a client can do, as commands on the model and on the service, whose answers must agree.
import fc from "fast-check";
import * as assert from "uvu/assert";
import { pathOf, type Resource, type Verb } from "../house.ts";
import { type Answer, failures, type Service } from "../service.ts";
import { type Api, documentOf, writtenSchemas } from "./apis.ts";
import { type Json, queryText } from "./arbitrary.ts";
import {
  type Identifier,
  identifierIn,
  keyMembers,
  type Model,
  type Row,
  type Wishes,
} from "./model.ts";
import {
  filtered,
  identifier,
  limit,
  pick,
  picked,
  type Picks,
  picks,
  replaced,
  text,
  wishes,
} from "./picks.ts";

export interface Real {
  send: Service["send"];
  /** Serves anew, as after a restart: nothing is remembered but what the database has. */
  restart(): void;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Which representation of a row a condition names, or that of a write that there is none. */
type Condition = "none" | "seen" | "other" | "any" | "absent";

const conditions: Condition[] = ["none", "none", "seen", "seen", "other", "any"];
const condition = fc.constantFrom(...conditions);
const writeCondition = fc.constantFrom<Condition>(...conditions, "absent");

/** Everything that can be done with every resource, by what it declares. */
export function commands(api: Api): fc.Arbitrary<Command>[] {
  const document = documentOf(api);
  return [
    fc.constant(command("restart", (_, real) => Promise.resolve(real.restart()))),
    fc.tuple(pick, fc.boolean()).map((values) => repeat(...values)),
    ...api.resources.flatMap((resource) => commandsOf(resource, document)),
  ];
}

function commandsOf(resource: Resource, document: Json): fc.Arbitrary<Command>[] {
  const schemas = writtenSchemas(document, resource);
  const listed = document.paths[pathOf(resource, "list") ?? ""]?.get;
  const whole = picks(resource, schemas, { whole: true });
  const some = picks(resource, schemas, { whole: false });
  const reading = fc.tuple(pick, condition);
  const made: Partial<Record<Verb["name"], fc.Arbitrary<Command>[]>> = {
    create: [
      whole.map((picks) => create(resource, [picks])),
      fc.array(whole, { minLength: 2, maxLength: 6 }).map((all) => create(resource, all)),
      fc.tuple(whole, fc.uuid()).map(([picks, key]) => create(resource, [picks], key)),
    ],
    batch: [
      fc.array(whole, { minLength: 1, maxLength: 4 }).map((all) => createBatch(resource, all)),
    ],
    read: [
      fc.array(reading, { minLength: 1, maxLength: 6 }).map((all) => read(resource, all)),
    ],
    last: [fc.constant(last(resource))],
    replace: [
      fc.tuple(pick, whole, writeCondition).map((all) => write(resource, "replace", ...all)),
    ],
    patch: [fc.tuple(pick, some, writeCondition).map((all) => write(resource, "patch", ...all))],
    delete: [fc.tuple(pick, writeCondition).map((all) => remove(resource, ...all))],
    list: listed ? [wishes(listed).map((wishes) => list(resource, wishes))] : [],
    choices: Object.keys(resource.relations).map((field) =>
      fc.record({ q: text, limit }, { requiredKeys: [] })
        .map((wishes) => choose(resource, field, wishes))
    ),
  };
  return Object.entries(made).flatMap(([verb, arbitraries]) =>
    pathOf(resource, verb as Verb["name"]) ? arbitraries : []
  );
}

/** Creates rows at once: whatever becomes of one is nothing to the others, unless both want what one can have. */
function create(resource: Resource, all: Picks[], key?: string): Command {
  return command(`create ${resource.name} ${shown(all)} ${key ?? ""}`, (model, real) => {
    const sent = all.map((picks) => picked(model, resource, picks));
    return createRows(model, real, resource, sent, key);
  });
}

export async function createRows(
  model: Model,
  real: Real,
  resource: Resource,
  sent: Row[],
  key?: string,
): Promise<void> {
  const newest = model.newest(resource);
  const path = pathOf(resource, "create")!;
  const headers: Record<string, string> = key ? { "idempotency-key": key } : {};
  const answers = await Promise.all(
    sent.map((values) => real.send(`POST ${path}`, JSON.stringify(values), headers)),
  );
  const refused: [Row, Answer][] = [];
  const created: Identifier[] = [];
  for (const [place, values] of sent.entries()) {
    const answer = answers[place]!;
    const row = wholeRow(model, resource, values);
    if (isRefused(model, resource, row, answer)) continue;
    if (answer.status !== 201) {
      refused.push([row, answer]);
      continue;
    }
    const id = put(model, resource, row, answer.body, newest);
    created.push(id);
    assert.is(answer.headers.get("location"), pathAt(resource, id));
    sees(model, resource, id, answer);
    if (key) model.kept.push({ resource, key, body: JSON.stringify(values), answer: answer.body });
  }
  for (const [row, answer] of refused) assert.ok(isInConflict(model, resource, row, answer));
  await learnOrder(model, real, resource, created);
}

/** Puts a row into the model that was created after another one; gives its identifier. */
function put(
  model: Model,
  resource: Resource,
  row: Row,
  body: Json,
  after: Identifier | undefined,
): Identifier {
  const { identifiers, takesKeys } = resource;
  const id = identifierIn(resource, body)!;
  assert.is(id, identifierIn(resource, row) ?? id);
  const isLater = takesKeys || !identifiers.isChronological || after === undefined || id > after;
  assert.ok(isLater && !model.has(resource, id), `The identifier ${id} is not a new one`);
  assert.equal(model.conflicts(resource, row), []);
  model.put(resource, id, { ...told(resource, body), ...row });
  return id;
}

/** Learns in which order rows were created at once, if their identifiers do not tell. */
async function learnOrder(
  model: Model,
  real: Real,
  resource: Resource,
  created: Identifier[],
): Promise<void> {
  const { creation } = resource;
  if (creation === undefined || created.length < 2) return;
  const pages = await walk(real, pathOf(resource, "list")!, { sort: creation });
  const told = pages.flatMap(({ items }) =>
    items.map((item: Json) => identifierIn(resource, item)!)
  );
  assert.equal(told.slice(-created.length).toSorted(), created.toSorted());
  model.reorder(resource, told.slice(-created.length));
}

/** Creates all rows or none, with one request. */
function createBatch(resource: Resource, all: Picks[]): Command {
  return command(`create batch ${resource.name} ${shown(all)}`, async (model, real) => {
    const sent = all.map((picks) => picked(model, resource, picks));
    const answer = await real.send(`POST ${pathOf(resource, "batch")}`, sent);
    const rows = sent.map((values) => wholeRow(model, resource, values));
    const dangling = rows.flatMap((row, place) =>
      model.dangling(resource, row).map((pointer) => [`/${place}${pointer}`, "does_not_exist"])
    );
    if (dangling.length > 0) {
      return assert.equal(failures(answer), Object.fromEntries(dangling));
    }
    if (answer.status !== 201) {
      const expected = conflictsAmong(model, resource, rows);
      const told = Object.entries(failures(answer)).map(String);
      return assert.ok(told.length > 0 && told.every((one) => expected.includes(one)), shown(told));
    }
    let newest = model.newest(resource);
    const created: Identifier[] = [];
    for (const [place, row] of rows.entries()) {
      const body = answer.body[place];
      newest = put(model, resource, row, body, newest);
      created.push(newest);
      assert.is(JSON.stringify(body), JSON.stringify(model.read(resource, newest)));
    }
    await learnOrder(model, real, resource, created);
  });
}

/** Why the database may refuse some rows that come one after the other. */
function conflictsAmong(model: Model, resource: Resource, rows: Row[]): string[] {
  const added: Identifier[] = [];
  const expected = rows.flatMap((row, place) => {
    const conflicts = model.conflicts(resource, row);
    const id = identifierIn(resource, row) ?? `row ${place}`;
    if (!model.has(resource, id)) {
      model.put(resource, id, row);
      added.push(id);
    }
    return conflicts.map(([pointer, code]) => String([`/${place}${pointer}`, code]));
  });
  for (const id of added) model.remove(resource, id);
  return expected;
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
    assert.is(again.headers.get("location"), pathAt(resource, identifierIn(resource, answer)!));
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
    const newest = model.newest(resource);
    if (newest === undefined) return assert.is(answer.status, 404);
    assert.is(answer.status, 200);
    sees(model, resource, newest, answer);
  });
}

/** Replaces a row, or changes some of its fields; a PUT may create it where clients give the identifiers. */
function write(
  resource: Resource,
  verb: "replace" | "patch",
  nth: number,
  picks: Picks,
  condition: Condition,
): Command {
  const title = `${verb} ${resource.name} ${nth} ${shown(picks)} ${condition}`;
  return command(title, async (model, real) => {
    const all = picked(model, resource, picks);
    const id = verb === "replace"
      ? replaced(model, resource, nth, model.shown(resource, all))
      : identifier(model, resource, nth);
    const values = nth % 3 === 0 ? withoutKey(resource, all) : all;
    const path = pathAt(resource, id);
    const holds = meets(model, resource, id, condition);
    const method = verb === "replace" ? "PUT" : "PATCH";
    const headers = conditional(model, path, "if-match", condition);
    const answer = await real.send(`${method} ${path}`, values, headers);
    const isThere = model.has(resource, id);
    const creates = verb === "replace" && resource.takesKeys && !isThere;
    const isMet = ["none", "absent"].includes(condition);
    const row = verb === "replace"
      ? wholeRow(model, resource, values)
      : model.patched(resource, id, values);
    if (isRefused(model, resource, row, answer, { id, isNew: creates && isMet })) return;
    if (!isThere) {
      if (!creates) return assert.is(answer.status, 404);
      if (!isMet) return assert.is(answer.status, 412);
      const created = { ...row, ...keyMembers(resource, id) };
      if (isInConflict(model, resource, created, answer)) return;
      assert.is(answer.status, 201);
      assert.is(answer.headers.get("location"), path);
      put(model, resource, created, answer.body, undefined);
      return sees(model, resource, id, answer);
    }
    if (!holds) return assert.is(answer.status, 412);
    if (isInConflict(model, resource, row, answer, id)) return;
    assert.is(answer.status, 200);
    model.put(resource, id, { ...told(resource, answer.body, { anew: false }), ...row });
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

function list(resource: Resource, { filters: picks, ...asked }: Wishes): Command {
  return command(`list ${resource.name} ${shown({ ...asked, ...picks })}`, async (model, real) => {
    const filters = Object.fromEntries(
      Object.entries(picks).flatMap(([filter, nth]) => {
        const value = filtered(model, resource, filter, nth);
        return value === undefined ? [] : [[filter, value]];
      }),
    );
    const pages = await walk(real, pathOf(resource, "list")!, { ...asked, ...filters });
    const expected = model.list(resource, { ...asked, filters });
    assert.equal(pages.flatMap(({ items }) => items), expected);
    evenly(pages.map(({ items }) => items.length), asked.limit);
    assert.is(pages[0].count, asked.count && expected.length);
  });
}

function choose(resource: Resource, field: string, asked: Partial<Wishes>): Command {
  const [path] = Object.entries(resource.routes).find(([, verbs]) =>
    verbs.some((verb) => verb.operation(resource).candidatesOf === field)
  )!;
  return command(`choose ${resource.name}.${field} ${shown(asked)}`, async (model, real) => {
    const pages = (await walk(real, path, asked)).map(({ choices }) => Object.entries(choices));
    assert.equal(pages.flat(), model.choices(resource, field, asked.q));
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

/** A row as it is read, where nothing else was sent. */
function wholeRow(model: Model, resource: Resource, values: Row): Row {
  return { ...model.defaults(resource), ...model.shown(resource, values) };
}

/** The values that only the database gives. When a row is created never changes. */
function told({ fields }: Resource, body: Json, { anew } = { anew: true }): Row {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { kind, write }]) => !write && kind !== "identifier")
      .filter(([, { kind }]) => anew || kind !== "created")
      .map(([name]) => [name, body[name]]),
  );
}

function pathAt(resource: Resource, id: Identifier): string {
  const segments = Object.values(keyMembers(resource, id)).map(encodeURIComponent);
  return pathOf(resource, "read")!.replace(/\{.+\}/, () => segments.join());
}

/** The values without the key, where it is of fields: the path says it. */
function withoutKey({ keys, fields }: Resource, values: Row): Row {
  const isLeft = (field: string) => !keys.includes(field) || fields[field]!.kind === "identifier";
  return Object.fromEntries(Object.entries(values).filter(([field]) => isLeft(field)));
}

/** Whether a write is refused for its relations, or to the row of a path for another identifier than that, which the
 * answer then has to say of all that fail: of what the path says, too, if that is to be created. */
function isRefused(
  model: Model,
  resource: Resource,
  values: Row,
  answer: Answer,
  of?: { id: Identifier; isNew: boolean },
): boolean {
  const dangling = (values: Row) =>
    Object.fromEntries(
      model.dangling(resource, values).map((pointer) => [pointer, "does_not_exist"]),
    );
  const inPath = of ? keyMembers(resource, of.id) : {};
  const ofPath = dangling(inPath);
  const expected = {
    ...(of?.isNew && ofPath),
    ...dangling(Object.fromEntries(
      Object.entries(values).filter(([field]) => !Object.hasOwn(inPath, field)),
    )),
  };
  for (const [field, value] of Object.entries(inPath)) {
    if ((values[field] ?? value) !== value) expected[`/${field}`] = "read_only";
  }
  if (Object.keys(expected).length === 0) return false;
  const told = failures(answer);
  // Where it is not to be created, the path may be told of with the others
  if (of?.isNew) assert.equal(told, expected);
  else assert.equal({ ...ofPath, ...told }, { ...ofPath, ...expected });
  return true;
}

/** Whether a write is refused by the database alone, which the answer then has to say of one that fails. */
function isInConflict(
  model: Model,
  resource: Resource,
  row: Row,
  answer: Answer,
  id?: Identifier,
): boolean {
  const conflicts = model.conflicts(resource, row, id).map(String);
  if (conflicts.length === 0) return false;
  const [told, ...more] = Object.entries(failures(answer)).map(String);
  assert.ok(conflicts.includes(told!) && more.length === 0, `${told} is none of ${conflicts}`);
  return true;
}

/** Holds an answer to the row as the model has it, and its tag to what is known of tags. */
function sees(model: Model, resource: Resource, id: Identifier, { body, headers }: Answer): void {
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
  if (condition === "absent") return { "if-none-match": "*" };
  const tags = { seen: model.tagAt(path) ?? '"never"', other: '"other"', any: "*" };
  return { [header]: tags[condition] };
}

/** Whether a condition names what a row is read as now. */
function meets(model: Model, resource: Resource, id: Identifier, condition: Condition): boolean {
  if (condition === "absent") return !model.has(resource, id);
  if (condition !== "seen" || !model.has(resource, id)) return condition !== "other";
  return model.seen.get(pathAt(resource, id)) === JSON.stringify(model.read(resource, id));
}

/** Every page of a list, from the first to the last. */
async function walk(real: Real, path: string, asked: object): Promise<Json[]> {
  const query = new URLSearchParams(
    Object.entries(asked).map(([name, value]) => [name, queryText(value)]),
  );
  const pages: Json[] = [];
  for (let next: string | null = `${path}?${query}`; next;) {
    const { status, headers, body }: Answer = await real.send(`GET ${next}`);
    assert.is(status, 200);
    const [link = null] = /<[^>]*>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
    assert.is(link, body.next && `<${body.next}>; rel="next"`);
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
