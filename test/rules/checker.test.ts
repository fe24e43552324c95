// Projects by chance, in which everybody asks everything at once: each caller is told what follows from the rules, and
// nothing else is written.
// Needs: Deno, the embedded database
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { explore, PATIENCE } from "../faults/explore.ts";
import { type Answer, type Service, serviceOn, startService } from "../service.ts";
import { type Failures, Model, type Row, type Who } from "./model.ts";
import {
  createTables,
  dropTables,
  type Id,
  idOf,
  LISTS,
  nameOf,
  resourcesOf,
  type Right,
  type Sent,
  type World,
  world,
} from "./world.ts";

const test = suite("rules by chance");
let relata: Service;

test.before(async () => {
  relata = await startService();
});
test.after(() => relata.stop());

/** What is told: the status, and the body, or the failures. */
type Told = [status: number, of?: unknown];

const FORBIDDEN: Told = [403, "forbidden"];
const NEEDS_TOKEN: Told = [401, "unauthorized"];
const NOT_FOUND: Told = [404, "not_found"];

type List = [query: string, filters: Filters, sort?: string];
type Filters = Parameters<Model["list"]>[2];

/** The list of each question: its query, and what that means. */
const lists: List[] = [
  ["sort=-id", [], "-id"],
  ["sort=name", [], "name"],
  ["sort=-level", [], "-level"],
  ["sort=one__name", [], "one__name"],
  ["sort=-one__level", [], "-one__level"],
  ["owner=s0", [["owner", "equals", "s0"]]],
  ["owner=s1&sort=-level", [["owner", "equals", "s1"]], "-level"],
  ["q=a", [["name", "contains", "a"]]],
  ["level__isnull=true", [["level", "isnull", 1]]],
  ["one__name=a", [["one__name", "equals", "a"]]],
  ["one__owner=s0&sort=one__name", [["one__owner", "equals", "s0"]], "one__name"],
  ["one__level__gte=2", [["one__level", "gte", 2]]],
  ["one__level__isnull=true", [["one__level", "isnull", 1]]],
];

let worlds = 0;

/** A world on its tables. */
class Trial {
  readonly number = ++worlds;
  readonly model: Model;
  readonly service: ReturnType<typeof serviceOn>;
  readonly everybody: Who[];
  readonly world: World;

  constructor(world: World) {
    this.world = world;
    const rows = new Map(world.specs.map(({ rows }, place) => [
      nameOf(place),
      rows.map((sent, row): Row => ({
        ...this.rowOf(place, sent),
        id: idOf(world.specs[place]!, row),
      })),
    ]));
    this.model = new Model(world, rows);
    const resources = resourcesOf(world, this.number);
    this.service = serviceOn(relata, { resources, timeLimit: PATIENCE });
    this.everybody = [...world.callers, null];
  }

  get places(): number[] {
    return this.world.specs.map((_, place) => place);
  }

  /** A row, with its references as identifiers of rows that were there from the beginning. */
  rowOf(place: number, { name, owner, level, one, many }: Sent): Omit<Row, "id"> {
    const { specs } = this.world;
    const spec = specs[place]!;
    const refer = (target: number, row: number) =>
      idOf(specs[target]!, row % specs[target]!.rows.length);
    return {
      ...{ name, level, owner: owner ?? null },
      one: one === null ? null : refer(spec.one.target, one),
      many: [...new Set(many.map((row) => refer(spec.many.target, row)))],
    };
  }

  async ask(who: Who, request: string, body?: unknown, headers?: Record<string, string>) {
    return await this.service.as(who).send(request, body, headers);
  }

  async check(who: Who, request: string, body: unknown, expected: Told, headers = {}) {
    const answer = await this.ask(who, request, body, headers);
    assertTold(answer, expected, who, request, body);
    if (answer.status === 409) this.checkReferences(who, answer);
    return answer;
  }

  /** A row that others refer to tells only of resources of which its caller may read some. */
  checkReferences(who: Who, { body }: Answer): void {
    const known = this.places.filter((place) => this.model.entries(who, place, "read").length > 0)
      .map(nameOf);
    for (const { resource } of body.references) assert.ok(known.includes(resource));
  }

  /** Why a caller is not let in, whatever the row; undefined if it is. */
  barred(who: Who, place: number, ...rights: Right[]): Told | undefined {
    if (rights.some((right) => this.model.entries(who, place, right).length > 0)) return undefined;
    return who === null ? NEEDS_TOKEN : FORBIDDEN;
  }

  async readEverything(): Promise<void> {
    await Promise.all(this.everybody.flatMap((who) =>
      this.places.flatMap((place) => [
        this.readRows(who, place),
        this.readLast(who, place),
        this.readChoices(who, place),
        ...this.listsOf(place).map(([query, filters, sort]) =>
          this.readList(who, place, query, filters, sort)
        ),
      ])
    ));
  }

  /** The lists that are asked for: all rows, and some by a filter or in another order. */
  listsOf(place: number): List[] {
    const { one, many } = this.world.specs[place]!;
    const [to, there] = [one, many].map(({ target }) =>
      this.model.of(target)[0]?.id ?? idOf(this.world.specs[target]!, 0)
    ) as [Id, Id];
    const all: List[] = [
      ...lists,
      [`one=${encodeURIComponent(to)}`, [["one", "equals", to]]],
      [`many=${encodeURIComponent(there)}`, [["many", "among", there]]],
    ];
    assert.is(all.length, LISTS);
    return [["", []], ...this.world.lists.map((place) => all[place]!)];
  }

  async readRows(who: Who, place: number): Promise<void> {
    const barred = this.barred(who, place, "read");
    await Promise.all(
      this.model.of(place).map(async (row) => {
        const expected: Told = barred ??
          (this.model.may(who, place, "read", row)
            ? [200, this.model.shown(who, place, row)]
            : NOT_FOUND);
        const request = `GET ${pathOf(place, row.id)}`;
        const { headers } = await this.check(who, request, undefined, expected);
        if (expected[0] !== 200) return;
        await this.check(who, request, undefined, [304], { "if-none-match": headers.get("etag")! });
      }),
    );
  }

  async readLast(who: Who, place: number): Promise<void> {
    if (this.world.specs[place]!.key !== "integer") return;
    const newest = this.model.list(who, place, [], "-id")[0];
    const expected: Told = this.barred(who, place, "read") ??
      (newest ? [200, this.model.shown(who, place, newest)] : NOT_FOUND);
    await this.check(who, `GET ${pathOf(place)}last/`, undefined, expected);
  }

  async readChoices(who: Who, place: number): Promise<void> {
    const { target } = this.world.specs[place]!.one;
    const choices = Object.fromEntries(
      this.model.list(who, target, []).map(({ id, name }) => [id, name]),
    );
    const expected: Told = this.barred(who, target, "read") ?? [200, { choices, next: null }];
    await this.check(who, `GET ${pathOf(place)}choices/one/`, undefined, expected);
  }

  /** Follows a list to its end, in pages of two. */
  async readList(
    who: Who,
    place: number,
    query: string,
    filters: Filters,
    sort?: string,
  ): Promise<void> {
    const barred = this.barred(who, place, "read");
    const request = `GET ${pathOf(place)}?count=true&limit=2&${query}`;
    if (barred) return void await this.check(who, request, undefined, barred);
    const expected = this.model.list(who, place, filters, sort);
    const items = [];
    for (let next: string | null = request.slice(4); next;) {
      const answer: Answer = await this.ask(who, `GET ${next}`);
      const asked = `${JSON.stringify(who)} ${request}`;
      assert.is(answer.status, 200, `${asked} is ${JSON.stringify(answer.body)}`);
      const { count } = answer.body;
      if (items.length === 0) assert.is(count, expected.length, `${asked} counts ${count}`);
      items.push(...answer.body.items);
      assert.ok(items.length <= expected.length + 2, "It has an end");
      next = answer.body.next;
    }
    const shown = expected.map((row) => this.model.shown(who, place, row));
    assert.equal(items, shown, `${JSON.stringify(who)} ${request}`);
  }

  /** Everybody creates the same rows at once: alone, in a batch, with a key, and by PUT. */
  async createEverything(): Promise<void> {
    const made: [place: number, row: Row][] = [];
    let ids = 100;
    await Promise.all(this.everybody.flatMap((who) =>
      this.places.flatMap((place) => {
        const { key, bodies } = this.world.specs[place]!;
        const next = () => key === "integer" ? 0 : idOf(this.world.specs[place]!, ids++);
        const rows = () =>
          bodies.map((body) => ({ row: this.rowToCreate(who, place, body, next()), body }));
        const sentOf = ({ row, body }: ReturnType<typeof rows>[0]) => this.sentOf(place, row, body);
        const barred = this.barred(who, place, "create");
        const create = async (
          request: string,
          body: object,
          given: ReturnType<typeof rows>,
          headers = {},
        ) => {
          const isBatch = Array.isArray(body);
          const failures = this.failuresOfCreates(who, place, given.map(({ row }) => row), isBatch);
          const refused: Told | undefined = barred ?? failures;
          const answer = await this.ask(who, request, body, headers);
          if (refused || answer.status !== 201) {
            assertTold(answer, refused ?? [201], who, request, body);
            return answer;
          }
          const found = [answer.body].flat();
          for (const [index, { row }] of given.entries()) {
            row.id = found[index].id;
            const shown = this.model.shown(who, place, row);
            assertTold({ ...answer, body: found[index] }, [201, shown], who, request, body);
            made.push([place, row]);
          }
          return answer;
        };
        const [first, second] = rows();
        const both = rows();
        const [keyed] = rows();
        const keyedOnce = async () => {
          const headers = { "idempotency-key": `world-${this.number}` };
          const sent = sentOf(keyed!);
          const once = await create(`POST ${pathOf(place)}`, sent, [keyed!], headers);
          if (once.status !== 201) return;
          const again = await this.ask(who, `POST ${pathOf(place)}`, sent, headers);
          assert.equal([again.status, again.body], [201, once.body]);
        };
        return [
          create(`POST ${pathOf(place)}`, sentOf(first!), [first!]),
          create(`POST ${pathOf(place)}`, sentOf(second!), [second!]),
          create(`POST ${pathOf(place)}batch/`, both.map(sentOf), both),
          keyedOnce(),
        ];
      })
    ));
    for (const [place, row] of made) this.model.of(place).push(row);
  }

  rowToCreate(who: Who, place: number, sent: Sent, id: Id): Row {
    const { fills } = this.world.specs[place]!;
    const owner = sent.owner === undefined && fills ? who?.sub ?? null : sent.owner ?? null;
    return { ...this.rowOf(place, sent), id, owner };
  }

  /** What is sent for a row: without the owner where that is left out. */
  sentOf(place: number, row: Row, { owner }: Sent): object {
    const { key } = this.world.specs[place]!;
    const { id, owner: _, ...rest } = row;
    return { ...(key !== "integer" && { id }), ...(owner !== undefined && { owner }), ...rest };
  }

  failuresOfCreates(who: Who, place: number, rows: Row[], isBatch: boolean): Told | undefined {
    if (this.barred(who, place, "create")) return undefined;
    const wrong = rows.map((row) => this.model.refusedToCreate(who, place, row));
    for (const when of ["before", "after"] as const) {
      const failures: Failures = Object.assign(
        {},
        ...wrong.map(({ [when]: failures }, index) =>
          Object.fromEntries(
            Object.entries(failures).map(([pointer, code]) => [
              isBatch ? `/${index}${pointer}` : pointer,
              code,
            ]),
          )
        ),
      );
      if (Object.keys(failures).length > 0) return [422, failures];
    }
    return undefined;
  }

  /** Everybody changes and deletes everything: what is refused at once, what is allowed one by one. */
  async writeEverything(): Promise<void> {
    const writes = this.everybody.flatMap((who) =>
      this.places.flatMap((place) =>
        [...this.model.of(place), undefined].flatMap((row, index) => {
          const { bodies, rows: { length } } = this.world.specs[place]!;
          const id = row?.id ?? idOf(this.world.specs[place]!, 999);
          const body = bodies[index % 2]!;
          const { id: _, ...whole } = this.rowToCreate(who, place, body, id);
          const fields = Object.keys(whole) as (keyof typeof whole)[];
          const field = fields[(index + length) % fields.length]!;
          const { owner, ...rest } = whole;
          const replaced = body.owner === undefined ? rest : { owner, ...rest };
          return [
            this.writing(who, place, id, "PATCH", { [field]: whole[field] }),
            this.writing(who, place, id, "PUT", replaced),
            this.writing(who, place, id, "DELETE"),
          ];
        })
      )
    );
    await Promise.all(writes.map((write) => write({ isRefused: true })));
    for (const write of writes) await write({ isRefused: false });
  }

  /** Makes the write that is sent only if it is refused, or only if not. */
  writing(
    who: Who,
    place: number,
    id: Id,
    method: "PATCH" | "PUT" | "DELETE",
    sent?: Partial<Row>,
  ) {
    return async ({ isRefused }: { isRefused: boolean }) => {
      const refused = method === "DELETE"
        ? this.refusedToDelete(who, place, id)
        : this.refusedToChange(who, place, id, method, sent!);
      if (isRefused !== (refused !== undefined)) return;
      const request = `${method} ${pathOf(place, id)}`;
      if (refused) {
        await this.check(who, request, sent, refused);
        const [status] = refused;
        if (status === 403 || status === 404) {
          await this.check(who, request, sent, refused, { "if-match": '"other"' });
        }
        return;
      }
      const row = this.model.find(place, id);
      await this.check(who, request, sent, [412, "precondition_failed"], { "if-match": '"other"' });
      const tag = row && this.model.may(who, place, "read", row)
        ? (await this.ask(who, `GET ${pathOf(place, id)}`)).headers.get("etag")!
        : "*";
      const headers = row ? { "if-match": tag } : {};
      if (method === "DELETE") {
        await this.check(who, request, undefined, [204], headers);
        this.model.rows.set(nameOf(place), this.model.of(place).filter((row) => row.id !== id));
        return;
      }
      const answer = await this.ask(who, request, sent, headers);
      const written = row ?? this.created(who, place, id, sent!);
      if (!row) this.model.of(place).push(written);
      Object.assign(written, this.changed(place, written, method, sent!));
      const shown = this.model.shown(who, place, written);
      assertTold(answer, [row ? 200 : 201, shown], who, request, sent);
    };
  }

  created(who: Who, place: number, id: Id, sent: Partial<Row>): Row {
    const owner = this.world.specs[place]!.fills ? who?.sub ?? null : null;
    return { id, owner, ...sent } as Row;
  }

  changed(place: number, row: Row, method: string, sent: Partial<Row>): Row {
    const isCleared = method === "PUT" && !this.world.specs[place]!.fills;
    return { ...row, ...(isCleared && { owner: null }), ...sent };
  }

  refusedToChange(
    who: Who,
    place: number,
    id: Id,
    method: string,
    sent: Partial<Row>,
  ): Told | undefined {
    const { model } = this;
    const createsByPut = method === "PUT" && this.world.specs[place]!.key !== "integer";
    const barred = this.barred(who, place, "update", ...(createsByPut ? ["create" as const] : []));
    if (barred) return barred;
    const mayCreate = createsByPut && model.entries(who, place, "create").length > 0;
    const row = model.find(place, id);
    const isShown = row !== undefined && model.may(who, place, "read", row);
    const dangling = model.refused(who, place, sent, isShown ? row : undefined);
    if (Object.keys(dangling).length > 0) return [422, dangling];
    if (row && !isShown && mayCreate) return [422, { "/id": "taken" }];
    if (!isShown && !mayCreate) return NOT_FOUND;
    if (!row) {
      return this.failuresOfCreates(who, place, [this.created(who, place, id, sent)], false);
    }
    if (!model.may(who, place, "update", row)) return FORBIDDEN;
    const wrong = model.notAllowed(who, place, "update", this.changed(place, row, method, sent));
    return Object.keys(wrong).length > 0 ? [422, wrong] : undefined;
  }

  refusedToDelete(who: Who, place: number, id: Id): Told | undefined {
    const { model } = this;
    const barred = this.barred(who, place, "delete");
    if (barred) return barred;
    const row = model.find(place, id);
    if (!row || !model.may(who, place, "read", row)) return NOT_FOUND;
    if (!model.may(who, place, "delete", row)) return FORBIDDEN;
    const referring = this.places.filter((from) =>
      model.of(from).some((other) => {
        const { one, many } = this.world.specs[from]!;
        const isSame = from === place && other.id === id;
        return !isSame &&
          (one.target === place && other.one === id ||
            many.target === place && other.many.includes(id));
      })
    );
    if (referring.length === 0) return undefined;
    return [409, "still_referenced"];
  }

  /** Compares what is stored with the model. */
  async compareTables(): Promise<void> {
    for (const place of this.places) {
      const [table, links] = [
        `${nameOf(place)}_${this.number}`,
        `${nameOf(place)}_link_${this.number}`,
      ];
      const { isOrdered } = this.world.specs[place]!.many;
      const stored = await relata.sql.unsafe<{ row: Row }[]>(`
        select json_build_object(
          'id', id, 'name', name, 'owner', owner, 'level', level, 'one', one_id,
          'many', array(select there from ${links} where here = id order by place, there)
        ) as row
        from ${table}`);
      const sorted = (rows: Row[]) =>
        rows.map((row) =>
          JSON.stringify([
            row.id,
            row.name,
            row.owner,
            row.level,
            row.one,
            isOrdered ? row.many : row.many.map(String).toSorted(),
          ])
        ).toSorted();
      assert.equal(sorted(stored.map(({ row }) => row)), sorted(this.model.of(place)));
    }
  }
}

function pathOf(place: number, id?: Id): string {
  const path = `/${nameOf(place)}s/`;
  return id === undefined ? path : `${path}${encodeURIComponent(id)}/`;
}

/** Checks what an answer tells; the failure says who asked what. */
function assertTold(answer: Answer, expected: Told, who: Who, ...sent: unknown[]): void {
  const told = toldBy(answer);
  const asked = [who, ...sent].map((each) => JSON.stringify(each)).join(" ");
  assert.equal(
    told,
    expected,
    `${asked} is ${JSON.stringify(told)}, not ${JSON.stringify(expected)}`,
  );
}

function toldBy({ status, body }: Answer): Told {
  if (body === undefined) return [status];
  if (status === 422) {
    const told: { pointer: string; code: string }[] = body.errors;
    assert.is(new Set(told.map(({ pointer }) => pointer)).size, told.length, "Each field once");
    return [422, Object.fromEntries(told.map(({ pointer, code }) => [pointer, code]))];
  }
  return [status, status < 400 ? body : body.type.split("/").at(-1)];
}

test("everybody is told and may write what the rules say", async () => {
  await explore(
    fc.asyncProperty(world, async (world) => {
      const trial = new Trial(world);
      await createTables(world, trial.number, trial.model.rows, relata.sql);
      try {
        await trial.readEverything();
        await trial.createEverything();
        await trial.readEverything();
        await trial.writeEverything();
        await trial.readEverything();
        await trial.compareTables();
      } finally {
        await dropTables(world, trial.number, relata.sql);
      }
    }),
    { cases: 2 },
  );
});

test.run();
