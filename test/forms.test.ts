// The forms of lists: however many clients ask for, what is kept of them is bounded; and those that an index
// serves read no more than their page, wherever in the table its rows are.
// Needs: time
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  askAsServer,
  created,
  type Database,
  date,
  identifier,
  integer,
  list,
  many,
  nullable,
  openPostgres,
  relation,
  resource,
  text,
} from "./house.ts";
import { afterwards, endAll } from "./program.ts";
import { freshEmbedded, freshPostgres, serviceOn } from "./service.ts";
import { createTables, resources } from "./tracks.ts";

const test = suite("forms of lists");
test.after.each(endAll);

const FORMS = 2_500;

/** Filters of which each may be asked for or not: more than that many forms. */
const filters = [
  ...["name__gt=", "name__lt=z", "motto__gte=", "plays__gt=0", "plays__lt=9", "weight__gt=0"],
  ...[
    "price__gt=0",
    "explicit=true",
    "released__gt=2000-01-01",
    "played__isnull=true",
    "stage=draft",
  ],
  ...["album__artist=1", "album__title=x", "made__gt=2000-01-01+00:00:00"],
];

/** The statements of lists that the session of a database has prepared, the newest last, and how many
 * statements it has prepared in all. */
async function prepared(database: Database): Promise<{ lists: string[]; all: number }> {
  const [row] = await askAsServer<{ lists: string; all: number }>(
    database,
    `select
      coalesce(json_agg(statement order by prepare_time)
        filter (where statement like '%array_agg(text)%'), '[]')::text as lists,
      count(*)::int as all
    from pg_prepared_statements`,
  );
  return { lists: JSON.parse(row!.lists), all: row!.all };
}

/** The path that asks for a form: a number, whose bits say which filters it has. */
function pathOf(form: number): string {
  return `/tracks/?${filters.filter((_, place) => form & (1 << place)).join("&")}`;
}

/** Opens a fresh database with one session, so that a request uses what the one before has prepared. */
const openings: Record<string, () => Promise<Database & { sql: postgres.Sql }>> = {
  async Postgres() {
    const { sql, url, stop } = await freshPostgres();
    afterwards(stop);
    const database = openPostgres(url, { sessions: 1 });
    afterwards(database.close);
    return { ...database, sql };
  },
  async embedded() {
    const database = await freshEmbedded();
    afterwards(database.stop);
    return database;
  },
};

test("a session keeps at most 64 of 2,500 prepared, and the server keeps no more of them", async () => {
  const database = await openings["Postgres"]!();
  await createTables(database.sql);
  const { client } = database;
  const ran: object[] = [];
  const { fetch } = serviceOn({
    client: {
      ...client,
      run(statement, values) {
        ran.push(statement);
        return client.run(statement, values);
      },
    },
  }, { resources });
  for (let form = 0; form < FORMS; form++) {
    const response = await fetch(new Request(`http://relata.test${pathOf(form)}`));
    assert.is(await response.text(), '{"items":[],"next":null}');
  }
  const { lists, all } = await prepared(database);
  assert.ok(lists.length <= 64, `${lists.length} forms are prepared`);
  assert.ok(all < 70, `${all} are prepared`);
  for (const form of [0, 0, FORMS - 1]) {
    await fetch(new Request(`http://relata.test${pathOf(form)}`));
  }
  const [first, last] = [ran[0], ran[FORMS - 1]];
  const [made, kept, latest] = ran.slice(FORMS);
  assert.is.not(made, first, "The first form is made again");
  assert.is(kept, made);
  assert.is(latest, last);
});

for (const [where, opened] of Object.entries(openings)) {
  test(`a form that comes later takes the place of those that nobody asks for any more, ${where}`, async () => {
    const database = await opened();
    await createTables(database.sql);
    const { fetch } = serviceOn(database, { resources });
    const ask = async (form: number) => {
      const response = await fetch(new Request(`http://relata.test${pathOf(form)}`));
      assert.is(await response.text(), '{"items":[],"next":null}');
    };
    for (let form = 0; form < 64; form++) await ask(form);
    const early = await prepared(database);
    assert.is(early.lists.length, 64);
    for (let time = 0; time < 1_100; time++) await ask(64);
    const late = await prepared(database);
    assert.is(late.lists.length, 1);
    assert.not(early.lists.includes(late.lists[0]!));
  });
}

for (const [where, opened] of Object.entries(openings)) {
  test(`pages of any limit have that many rows, by five statements, ${where}`, async () => {
    const database = await opened();
    await createTables(database.sql);
    const { send } = serviceOn(database, { resources });
    await database.sql.unsafe(
      "insert into artist (name) select 'g' || n from generate_series(1, 201) as n",
    );
    const limits = [1, 9, 10, 11, 24, 25, 26, 49, 50, 51, 99, 100, 101, 199, 200];
    for (const limit of limits) {
      const { body } = await send(`GET /artists/?limit=${limit}`);
      assert.equal(
        body.items.map(({ id }: { id: number }) => id),
        Array.from({ length: limit }, (_, index) => index + 1),
      );
      const { body: rest } = await send(`GET ${body.next}`);
      assert.is(rest.items[0].id, limit + 1);
      const { body: choices } = await send(`GET /tracks/choices/producer/?limit=${limit}`);
      assert.is(Object.keys(choices.choices).length, limit);
      assert.type(choices.next, "string");
    }
    const { lists } = await prepared(database);
    assert.is(lists.length, 2 * 5, "first pages, and those behind a cursor");
  });
}

const project = resource("project", {
  fields: { id: identifier(), name: text() },
  routes: { "/projects/": [list()] },
});

const label = resource("label", {
  fields: { id: identifier(), name: text() },
  routes: { "/labels/": [list()] },
});

const task = resource("task", {
  fields: {
    id: identifier(),
    name: text(),
    project: relation(project, { read: "identifier" }),
    parent: nullable(relation("self", { read: "identifier" })),
    due: nullable(date()),
    size: integer(),
    labels: many(label, { through: "task_label", read: "identifier" }),
    filler: text(),
    made: created(),
  },
  filter: ["name", "due", "size"],
  sort: ["name", "due"],
  routes: { "/tasks/": [list()] },
});

/** Tasks of which the last twentieth, and no other, are of project 7, have label 7, the size 7 and the name "seven",
 * no parent and no date. */
async function createTasks(sql: postgres.Sql): Promise<void> {
  const isLast = "number > 95000";
  await sql.unsafe(`
    create table project (id bigint generated by default as identity primary key, name text not null);
    create table label (id bigint generated by default as identity primary key, name text not null);
    insert into project (name) select 'Project' from generate_series(1, 100);
    insert into label (name) select 'Label' from generate_series(1, 20);
    create table task (
      id bigint generated by default as identity primary key,
      name text not null,
      project_id bigint not null references project (id),
      parent_id bigint references task (id),
      due date,
      size integer not null,
      filler text not null default repeat('-', 200),
      made timestamptz not null default now()
    );
    create table task_label (
      task_id bigint not null references task (id),
      label_id bigint not null references label (id),
      primary key (task_id, label_id)
    );
    insert into task (name, project_id, parent_id, due, size)
    select
      case when ${isLast} then 'seven' else 'n' || number % 50 end,
      case when ${isLast} then 7 else 8 + number % 90 end,
      case when not ${isLast} then 1 end,
      case when not ${isLast} then date '2026-01-01' + number % 100 end,
      case when ${isLast} then 7 else 8 + number % 90 end
    from generate_series(1, 100000) as number;
    insert into task_label
    select number, case when ${isLast} then 7 else 8 + number % 10 end
    from generate_series(1, 100000) as number;
    create index on task_label (label_id, task_id);
    create index on task (name collate "C", id);
    create index on task (project_id, id);
    create index on task (project_id, name collate "C", id);
    create index on task (project_id, due, id);
    create index on task (parent_id, id);
    create index on task (due, id);
    create index on task (size, id);
    analyze;`);
}

test("a page of what an index finds costs the same where all its rows are the newest", async () => {
  const { client, sql, stop } = await freshPostgres();
  afterwards(stop);
  await createTasks(sql);
  let blocks = 0;
  const { send } = serviceOn({
    client: {
      ...client,
      async run(statement, values) {
        const text = `explain (analyze, buffers, format json) ${statement.text}`;
        const [row] = await client.run({ ...statement, text, replans: true }, values);
        const { "QUERY PLAN": plans } = row as { "QUERY PLAN": { Plan: Record<string, number> }[] };
        const { Plan: plan } = plans[0]!;
        blocks = plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!;
        return await client.run(statement, values);
      },
    },
  }, { resources: [project, label, task] });
  const paths = [
    ...["project=7", "project__in=7", "project__in=7,1,2", "name=seven", "size=7", "size__in=7,6"],
    ...["labels=7", "parent__isnull=true", "due__isnull=true", "project=7&name=seven"],
    ...["project=7&sort=name", "project=7&sort=-due", "project__in=7,6&sort=due"],
  ].flatMap((query) => query.includes("sort=") ? [query] : [query, `${query}&sort=-id`]);
  for (const query of paths) {
    let path = `/tasks/?limit=20&${query}`;
    for (const page of [1, 2]) {
      const { body } = await send(`GET ${path}`);
      assert.is(body.items.length, 20, path);
      assert.ok(
        body.items.every(({ id }: { id: number }) => id > 95_000),
        path,
      );
      assert.ok(blocks < 300, `page ${page} of ${query} read ${blocks} blocks`);
      path = body.next;
    }
  }
});

test.run();
