// What `relata check` and `/readyz` say of the tables of rows that others own: those that only the owner writes, too.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  create,
  differences,
  identifier,
  integer,
  list,
  type Opened,
  openPostgres,
  owned,
  read,
  relation,
  replace,
  type Resource,
  resource,
  text,
} from "./house.ts";
import {
  fieldsOfLine,
  invoice,
  invoices,
  line,
  lines,
  part,
  product,
  tag,
  up,
} from "./invoices.ts";
import { freshPostgres, serviceOn } from "./service.ts";

const test = suite("owned-check");

let database: Awaited<ReturnType<typeof freshPostgres>>;
let opened: Opened; // of one session, so that a change can be taken back

test.before(async () => {
  database = await freshPostgres();
  await database.sql.unsafe(up);
  opened = openPostgres(database.url, { sessions: 1 });
});
test.after(async () => {
  await opened.close();
  await database.stop();
});

/** What the database is changed to, and what is said of it. */
const cases: { what: string; change: string; failing?: string[]; other?: string[] }[] = [
  { what: "tables as they are declared", change: "select" },
  {
    what: "missing tables, at both levels",
    change: "drop table line_tag, part, line",
    failing: ['The database does not have the tables "part", "line", "line_tag"'],
  },
  {
    what: "missing columns: of a field, of the owner, of the rank",
    change: `
      alter table line drop column note, drop column place;
      alter table part drop column line_id`,
    failing: ['The table "part" lacks "line_id"', 'The table "line" lacks "note", "place"'],
  },
  {
    what: "a column of another type",
    change: "alter table part alter name type integer using 0",
    failing: ['The column "name" of "part" is "integer", but the field "name" wants "text"'],
  },
  {
    what: "a rank that is a text",
    change: "alter table line alter place type text",
    failing: ['The column "place" of "line" is "text", but the field "lines" wants "bigint"'],
  },
  { what: "a rank that is a bigint", change: "alter table line alter place type bigint" },
  {
    what: "ranks that are checked too early, with the owner or alone",
    change: `
      create unique index places on line (invoice_id, place);
      create unique index ranks on line (place)`,
    other: [
      '"places" on "line" is unique and not a deferrable constraint: rows cannot change their ' +
      'ranks in "place"',
      '"ranks" on "line" is unique and not a deferrable constraint: rows cannot change their ' +
      'ranks in "place"',
    ],
  },
  {
    what: "links of owned rows whose ranks are checked too early",
    change: "create unique index ranks on line_tag (line_id, rank)",
    other: [
      '"ranks" on "line_tag" is unique and not a deferrable constraint: links cannot change ' +
      'their ranks in "rank"',
    ],
  },
  {
    what: "missing foreign keys to the owners, at both levels",
    change: `
      alter table line drop constraint line_invoice_id_fkey;
      alter table part drop constraint part_line_id_fkey`,
    other: [
      'The column "invoice_id" of "line" has no foreign key to "invoice"',
      'The column "line_id" of "part" has no foreign key to "line"',
    ],
  },
  {
    what: "missing indexes by which the rows of an owner are read, with an order and without",
    change: "alter table line drop constraint line_place; drop index part_line_id",
    other: [
      'No index serves "lines" of invoice: create index on "line" ("invoice_id", "place")',
      'No index serves "parts" of line: create index on "part" ("line_id", "id")',
    ],
  },
  {
    what: "columns without which no owned row and no link of one can be",
    change: `
      alter table part add column kind text not null;
      alter table line_tag add column kind text not null`,
    failing: [
      'The column "kind" of "line_tag" is not null and has no default, and no field writes it: ' +
      "every link is refused",
      'The column "kind" of "part" is not null and has no default, and no field writes it: ' +
      "every create is refused",
    ],
  },
  {
    what: "an identifier that nothing gives",
    change: "alter table line alter id drop identity",
    failing: [
      'The column "id" of "line" is not null and has no default, and no field writes it: every ' +
      "create is refused",
    ],
  },
  {
    what: "an identifier that is always generated",
    change: "alter table line alter id set generated always",
  },
  {
    what: "rules in the way of writes of the owner",
    change: "create rule kept as on delete to part do instead nothing",
    failing: [
      'The rule "kept" on delete of "part" makes writes fail: let a trigger do what it does',
    ],
  },
];

for (const { what, change, failing = [], other = [] } of cases) {
  const verb = failing.length + other.length > 0 ? "tells" : "says nothing of";
  test(`${verb} ${what}`, async () => {
    const { client } = opened;
    await client.script("begin");
    try {
      await client.script(change);
      const { status, body } = await serviceOn(opened, { resources: invoices }).send("GET /readyz");
      assert.is(status, failing.length > 0 ? 503 : 200, body.detail);
      assert.is(body.detail, failing[0]);
      const found = await differences(client, invoices);
      const sentences = (fails: boolean) =>
        found.filter((each) => each.fails === fails).map(({ sentence }) => sentence).sort();
      assert.equal(sentences(true), failing.toSorted());
      assert.equal(sentences(false), other.toSorted());
    } finally {
      await client.script("rollback");
    }
  });
}

/** The tables of visits and of the parts that they have, by a key of both. */
const keyed = `
  create table visit (id bigint generated by default as identity primary key, title text not null);
  create table usage (
    visit_id bigint references visit,
    product_id bigint references product,
    quantity integer not null,
    primary key (visit_id, product_id)
  );
  create index on usage (product_id, visit_id)`;

for (
  const [what, change, found] of [
    ["tables as they are declared", "select", []],
    [
      "a unique index in place of the primary key",
      `
        create unique index usage_once on usage (product_id, visit_id);
        alter table usage drop constraint usage_pkey;
        alter table usage alter visit_id set not null, alter product_id set not null;
        create index on usage (visit_id, product_id)`,
      [],
    ],
    ["no key", "alter table usage drop constraint usage_pkey", [
      'Nothing keeps two rows of "usage" from the same "visit_id" and "product_id": they are no primary key',
      'No index serves "parts" of visit: create index on "usage" ("visit_id", "product_id")',
    ]],
    [
      "a key of more columns",
      `
        alter table usage drop constraint usage_pkey;
        alter table usage add primary key (visit_id, product_id, quantity)`,
      [
        'Nothing keeps two rows of "usage" from the same "visit_id" and "product_id": they are no primary key',
      ],
    ],
    [
      "a rest of another type",
      `
        alter table usage drop constraint usage_product_id_fkey;
        alter table usage alter product_id type text`,
      [
        'The column "product_id" of "usage" is "text", but the field "part" wants "bigint"',
        'The column "product_id" of "usage" has no foreign key to "product"',
      ],
    ],
    ["no index for what a product is in", "drop index usage_product_id_visit_id_idx", [
      'No index serves "parts" in the list of visit: create index on "usage" ("product_id", "visit_id")',
    ]],
  ] as const
) {
  test(`${found.length > 0 ? "tells" : "says nothing of"} a key of two columns with ${what}`, async () => {
    const { client } = opened;
    const usage: Resource = resource("usage", {
      fields: {
        visit: relation(() => visit),
        part: relation(product, { column: "product_id" }),
        quantity: integer(),
      },
      key: ["visit", "part"],
    });
    const visit: Resource = resource("visit", {
      path: "/visits/",
      fields: { id: identifier(), title: text(), parts: owned(usage, { parent: "visit" }) },
    });
    await client.script(`begin; ${keyed}; ${change}`);
    try {
      const sentences = (await differences(client, [product, usage, visit]))
        .map(({ sentence }) => sentence);
      assert.equal(sentences.toSorted(), found.toSorted());
    } finally {
      await client.script("rollback");
    }
  });
}

test("tells a default in SQL that Postgres does not take, of a row that only its owner writes", async () => {
  const wrong = resource("line", {
    fields: { ...fieldsOfLine, note: text({ default: (sql) => sql`next_note()` }) },
  });
  const owner = resource("invoice", {
    path: "/invoices/",
    fields: { ...invoice.fields, lines: owned(wrong, { parent: "invoice", order: "place" }) },
  });
  const found = await differences(opened.client, [product, tag, wrong, owner]);
  assert.match(
    found.filter(({ fails }) => fails).map(({ sentence }) => sentence).join("\n"),
    /^Postgres refuses the statements of invoice, such as "create invoice": function next_note\(\) does not exist$/,
  );
});

test("says nothing of the rank where a path of their own creates rows that others own", async () => {
  const served = resource("line", {
    fields: { ...line.fields, invoice: relation(() => owner, { read: "identifier" }) },
    routes: { "/lines/": [create], "/lines/{id}/": [read] },
  });
  const owner: Resource = resource("invoice", {
    fields: { ...invoice.fields, lines: owned(served, { parent: "invoice", order: "place" }) },
    routes: { "/invoices/{id}/": [read] },
  });
  assert.equal(await differences(opened.client, [product, tag, part, served, owner]), []);
});

for (
  const [what, of, verbs, name] of [
    [
      "that undoes the touch of what owns rows with a path of their own",
      "",
      [replace],
      "same",
    ],
    ["where no path of their own writes rows that others own", "", [], undefined],
    ["that leaves the touch alone", "of title", [replace], undefined],
  ] as const
) {
  test(`${name ? "tells" : "says nothing of"} a trigger ${what}`, async () => {
    const served = resource("line", {
      fields: { ...line.fields, invoice: relation(() => owner, { read: "identifier" }) },
      routes: { "/lines/{id}/": [read, ...verbs] },
    });
    const owner: Resource = resource("invoice", {
      fields: { ...invoice.fields, lines: owned(served, { parent: "invoice", order: "place" }) },
      routes: { "/invoices/{id}/": [read, replace] },
    });
    const { client } = opened;
    await client.script(`
      begin;
      create trigger same before update ${of} on invoice
      for each row execute function suppress_redundant_updates_trigger()`);
    try {
      const found = await differences(client, [product, tag, part, served, owner]);
      assert.equal(
        found.map(({ sentence }) => sentence),
        name === undefined ? [] : [
          `The trigger "${name}" of "invoice" may keep writes of a whole invoice from seeing those of a ` +
          'single line: let it run before update of the columns but "id"',
        ],
      );
    } finally {
      await client.script("rollback");
    }
  });
}

test("says nothing of a column that is missing for new rows where no route makes any", async () => {
  const { client } = opened;
  const told = async (verbs: Parameters<typeof resource>[1]["routes"]) => {
    const owner = resource("invoice", { fields: { ...invoice.fields, lines }, routes: verbs! });
    const found = await differences(client, [product, tag, part, line, owner]);
    return found.filter(({ fails }) => fails).length;
  };
  await client.script("begin; alter table line add column kind text not null");
  try {
    const one = "/invoices/{id}/";
    assert.equal(
      [
        await told({ [one]: [read] }),
        await told({ [one]: [read, replace] }),
        await told({ "/invoices/": [list(), create], [one]: [read] }),
      ],
      [0, 1, 1],
    );
  } finally {
    await client.script("rollback");
  }
});

test.run();
