// Tables that are called as types of Postgres, whose names mean the type where SQL expects one.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  choice,
  differences,
  identifier,
  many,
  nullable,
  relation,
  resource,
  text,
} from "../house.ts";
import { failures, type Service, startService } from "../service.ts";

const test = suite("tables that are called as types");
let relata: Service;

const names = ["line", "point", "box", "path", "circle", "interval", "date", "name", "text"];

const declared = names.map((name) => ({
  name,
  path: `/${name}s/`,
  resource: resource(name, {
    path: `/${name}s/`,
    display: "title",
    filter: ["before", "state"],
    fields: {
      id: identifier({ type: "text", default: "database" }),
      title: text(),
      state: choice(["new", "old"], { default: "new" }),
      before: nullable(relation("self", { read: "identifier" })),
      others: many("self", { through: `${name}_pair`, from: "one", to: "two", read: "identifier" }),
    },
  }),
}));

const resources = declared.map(({ resource }) => resource);

test.before(async () => {
  relata = await startService({ resources });
  await relata.sql.unsafe("create type state as enum ('new', 'old')");
  for (const name of names) {
    await relata.sql.unsafe(`
      create table "${name}" (
        id varchar(10) primary key default 'given',
        title text not null,
        state state not null,
        before_id varchar(10) references "${name}"
      );
      create table "${name}_pair" (
        one varchar(10) not null references "${name}",
        two varchar(10) not null references "${name}",
        primary key (one, two)
      )`);
  }
});
test.after(() => relata.stop());

for (const { name, path } of declared) {
  test(`rows of "${name}" are written, read and listed`, async () => {
    const { send } = relata;
    const plain = { title: "Title", state: "new", before: null, others: [] };
    const first = { ...plain, id: "a" };
    const made = await send(`POST ${path}`, { id: "a", title: "Title" });
    assert.equal([made.status, made.body], [201, first]);
    assert.equal((await send(`GET ${path}a/`)).body, first);
    const given = { ...plain, id: "given", state: "old", before: "a", others: ["a"] };
    const { id: _, ...sent } = given;
    assert.equal((await send(`POST ${path}`, sent)).body, given);
    const rows = [{ ...given, id: "b" }, { ...plain, id: "c" }];
    assert.equal((await send(`POST ${path}batch/`, rows)).body, rows);
    const put = await send(`PUT ${path}d/`, sent);
    assert.equal([put.status, put.body], [201, { ...given, id: "d" }]);
    const patched = await send(`PATCH ${path}d/`, { state: "new", others: [] });
    assert.equal(patched.body, { ...given, id: "d", state: "new", others: [] });
    assert.equal((await send(`PUT ${path}d/`, { title: "Title" })).body, { ...plain, id: "d" });
    for (
      const [query, ids] of [
        ["before=a", ["b", "given"]],
        ["state=new", ["a", "c", "d"]],
        ["id__in=d,x,a", ["a", "d"]],
      ] as const
    ) {
      const seen = [];
      for (let next = `${path}?limit=1&${query}`; next !== null;) {
        const { body } = await send(`GET ${next}`);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        next = body.next;
      }
      assert.equal(seen, ids, query);
    }
    assert.equal(Object.keys((await send(`GET ${path}choices/before/`)).body.choices), [
      ...["a", "b", "c", "d", "given"],
    ]);
    const wrong = { title: "Title", state: "none", before: "x", others: ["a", "x"] };
    assert.equal(failures(await send(`POST ${path}`, wrong)), {
      "/state": "invalid_choice",
      "/before": "does_not_exist",
      "/others/1": "does_not_exist",
    });
    assert.equal(failures(await send(`POST ${path}`, { ...wrong, ...sent, id: "a" })), {
      "/id": "taken",
    });
    assert.is((await send(`DELETE ${path}b/`)).status, 204);
  });
}

test("the comparison with the database finds nothing that fails", async () => {
  const found = await differences(relata.client, resources);
  assert.equal(found.filter(({ fails }) => fails), []);
});

test.run();
