// Claims of any value, in rules by fields of every kind: who has an odd one reads nothing, and those who ask at the
// same time, in the same statement, are not disturbed.
// Needs: Deno, the embedded database, time
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  authenticated,
  boolean,
  choice,
  claim,
  date,
  decimal,
  identifier,
  integer,
  number,
  relation,
  type Resource,
  resource,
  text,
  timestamp,
  uuid,
} from "../house.ts";
import { type Service, startService } from "../service.ts";

const test = suite("claims");
let relata: Service;

const UUID = "11111111-1111-4111-8111-111111111111";

const target = resource("target", {
  path: "/targets/",
  access: authenticated(),
  fields: { id: identifier({ type: "text" }) },
});

/** A field of each kind, the type of its column, and a claim that its only row has. */
const kinds = {
  text: [text(), "text", "right"],
  varying: [text({ maximum: 5 }), "varchar(5)", "right"],
  choice: [choice(["right", "wrong"]), "text", "right"],
  integer: [integer(), "integer", 7],
  number: [number(), "double precision", 1.5],
  decimal: [decimal({ digits: 6, places: 2 }), "numeric(6,2)", "1.50"],
  wide: [decimal(), "numeric", 7],
  boolean: [boolean(), "boolean", true],
  uuid: [uuid(), "uuid", UUID],
  date: [date(), "date", "2026-11-21"],
  timestamp: [timestamp(), "timestamptz", "2026-11-21T09:30:00Z"],
  relation: [relation(target, { column: "value" }), "text references target", "right"],
} as const;

/** What no row has, and some of which nothing can read. */
const odd = [
  ..."\0|a\ud800|\udfff|'|\\|%|{}|{a,b}|NULL|NaN|infinity|-infinity|1e1000000|-1e-1000000".split(
    "|",
  ),
  ..."0x10|99999999999999999999|2026-02-30|294277-01-01|now|today||  |1_000|१|t|yes".split("|"),
  ..."4713-01-01 BC|0000-00-00|9999-12-31T23:59:60Z|(1,2)|\u{10ffff}|\ufeff".split("|"),
  ...[1e300, -0, 5e-324, 2 ** 63, -(2 ** 53), null, {}, [], [[]], [null], [{}], { a: "right" }],
  ...[
    ["\0", "a\ud800", 1e300, "NaN", null],
    Array.from({ length: 1000 }, (_, place) => `-${place + 1}`),
  ],
  "x".repeat(100_000),
];

const byName = Object.entries(kinds);
const namesOf = { each: (kind: string) => `each_${kind}`, one: (kind: string) => `one_${kind}` };

/** For each kind, a resource whose rule is an object, and one whose rule is a function with one claim and a list. */
const resources: Resource[] = byName.flatMap(([kind, [field]]) => {
  const [each, one] = [namesOf.each(kind), namesOf.one(kind)];
  const fields = { id: identifier(), value: field };
  return [
    resource(each, {
      path: `/${each}/`,
      access: authenticated({ value: claim("v") }),
      fields,
    }),
    resource(one, {
      path: `/${one}/`,
      access: authenticated((sql, claim) =>
        kind === "relation"
          ? sql(
            [`${one}.value = `, ` or ${one}.value = any(`, ")"],
            claim("v"),
            claim("v", [text()]),
          )
          : sql(
            [`${one}.value = `, ` or ${one}.value = any(`, ")"],
            claim("v", field),
            claim("v", [field]),
          )
      ),
      fields,
    }),
  ];
});

test.before(async () => {
  relata = await startService({ resources: [target, ...resources] });
  await relata.sql.unsafe(`
    create table target (id text primary key);
    insert into target values ('right');
    ${
    byName.flatMap(([kind, [, type, value]]) =>
      [namesOf.each(kind), namesOf.one(kind)].map((table) => `
        create table ${table} (id bigint primary key, value ${type} not null);
        insert into ${table} values (1, '${value}');`)
    ).join("\n")
  }`);
});
test.after(() => relata.stop());

for (const [kind, [, , right]] of byName) {
  for (const name of [namesOf.each(kind), namesOf.one(kind)]) {
    test(`a rule by ${name}: an odd claim is no claim, and disturbs nobody`, async () => {
      const own = relata.as({ sub: "ann", v: right });
      await Promise.all(odd.map(async (v) => {
        const other = relata.as({ sub: "odd", v });
        const [mine, read, listed, created] = await Promise.all([
          own.send(`GET /${name}/1/`),
          other.send(`GET /${name}/1/`),
          other.send(`GET /${name}/`),
          other.send(`POST /${name}/`, { value: right }),
        ]);
        const told = [mine, read, listed, created].map(({ status }) => status);
        assert.equal(told, [200, 404, 200, 422], JSON.stringify(v)?.slice(0, 100));
        assert.equal(listed.body.items, []);
      }));
    });
  }
}

test.run();
