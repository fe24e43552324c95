// `relata check`: what it says of a database that is not as the declarations want it, and for which of that
// `/readyz` is 503.
// Needs: time
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  action,
  anyone,
  authenticated,
  choice,
  choices,
  claim,
  create,
  created,
  date,
  differences,
  follow,
  identifier,
  integer,
  json,
  list,
  many,
  merge,
  nullable,
  number,
  type Opened,
  openPostgres,
  optional,
  type Options,
  pgType,
  read,
  readonly,
  relation,
  remove,
  report,
  type Resource,
  resource,
  resources as specified,
  role,
  text,
  timestamp,
  type Verb,
} from "./house.ts";
import { embeddedFolder, endAll, relata } from "./program.ts";
import { serverRole } from "./roles.ts";
import { freshDatabase, freshPostgres, serviceOn, temporaryFolder } from "./service.ts";
import album from "./store/resources/album.ts";
import artist from "./store/resources/artist.ts";
import { actions, reports, resources, up } from "./store/store.ts";

const test = suite("check");

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
test.after.each(endAll);

/** What the store's database is changed to, and what is said of it. */
interface Case {
  what: string;
  change: string;
  /** Because of these requests fail. */
  failing?: string[];
  other?: string[];
}

const track = `(name, album_id, milliseconds, price, rating, explicit)`;

const cases: Case[] = [
  {
    what: "a missing table",
    change: "drop table review",
    failing: ['The database does not have the table "review"'],
  },
  {
    what: "a missing column",
    change: "alter table album rename released to issued",
    failing: ['The table "album" lacks "released"'],
  },
  {
    what: "a missing table of links, and a missing column of others",
    change: "drop table track_genre; alter table playlist_track drop column position",
    failing: [
      'The database does not have the table "track_genre"',
      'The table "playlist_track" lacks "position"',
    ],
  },
  {
    what: "text where a field holds integers",
    change: "alter table record_label alter founded type text",
    failing: [
      'The column "founded" of "record_label" is "text", but the field "founded" wants "bigint"',
    ],
  },
  {
    what: "an integer where a field holds text",
    change: "alter table review alter opinion type integer using 0",
    failing: [
      'The column "opinion" of "review" is "integer", but the field "opinion" wants "text"',
    ],
  },
  {
    what: "a decimal with another number of places",
    change: "alter table track alter price type numeric(10, 3)",
    other: [
      'The column "price" of "track" is "numeric(10,3)", but the field "price" wants "numeric(10,2)"',
    ],
  },
  {
    what: "a number that loses digits",
    change: "alter table track alter gain type real",
    other: [
      'The column "gain" of "track" is "real", but the field "gain" wants "double precision"',
    ],
  },
  {
    what: "a time that is a day",
    change: "alter table profile alter seen type date",
    other: [
      'The column "seen" of "profile" is "date", but the field "seen" wants ' +
      '"timestamp with time zone"',
    ],
  },
  {
    what: "identifiers that run out",
    change: "alter table genre alter id type smallint",
    other: ['The column "id" of "genre" is "smallint", but the field "id" wants "bigint"'],
  },
  {
    what: "types that hold the same values, and domains over them",
    change: `
      alter table profile alter seen type timestamp;
      alter table album alter artist_id type integer;
      alter table artist alter id type integer;
      alter table track_genre alter genre_id type smallint;
      alter table playlist_track alter position type smallint;
      create domain code as varchar(2) check (value <> '');
      create domain country as code;
      create domain role as text check (value in ('buyer', 'clerk', 'driver'));
      alter table artist alter country_code type country;
      alter table track alter milliseconds type bigint;
      alter table employee drop constraint employee_role, alter role type role`,
  },
  {
    what: "a record that nobody can follow",
    change: `
      alter table review drop column relata_epoch, drop column relata_transaction;
      alter table invoice drop column relata_transaction`,
    other: [
      'Nobody can follow review: its table "review" needs the columns relata_epoch bigint not null ' +
      "default relata_epoch(), and relata_transaction xid8 not null default pg_current_xact_id()",
      'Nobody can follow invoice: its table "invoice" needs the column relata_transaction xid8 not ' +
      "null default pg_current_xact_id()",
    ],
  },
  {
    what: "records that no index has in the order in which they are followed",
    change: `
      drop index review_followed;
      create index on review (relata_epoch, relata_transaction)`,
    other: [
      "No index serves those who follow review: " +
      'create index on "review" ("relata_epoch", "relata_transaction", "id")',
    ],
  },
  {
    what: "a choice that nothing checks",
    change: "alter table employee drop constraint employee_role",
    other: [
      'No check holds the column "role" of "employee" to the choices of the field "role": ' +
      `add check ("role" in ('buyer', 'clerk', 'driver'))`,
    ],
  },
  {
    what: "an enum with other labels",
    change: "alter type album_format rename value 'EP' to 'tape'",
    other: [
      'The enum of the column "format" of "album" lacks "EP", which "format" takes',
      'The enum of the column "format" of "album" has "tape", which "format" does not take',
    ],
  },
  {
    what: "null where a field has none",
    change: "alter table artist alter name drop not null",
    other: ['The column "name" of "artist" may be null, but the field "name" is not nullable'],
  },
  {
    what: "no null where a field takes it",
    change: "alter table track alter composer set not null",
    other: [
      'The column "composer" of "track" is not null, but the field "composer" is nullable: ' +
      "null would be refused",
    ],
  },
  {
    what: "a column without which no row can be",
    change: "alter table tag add column kind text not null",
    failing: [
      'The column "kind" of "tag" is not null and has no default, and no field writes it: ' +
      "every create is refused",
    ],
  },
  {
    what: "such a column that no trigger names",
    change: `
      alter table tag add column kind text not null;
      create function fill() returns trigger language plpgsql
        as 'begin new.name := upper(new.name); return new; end';
      create trigger fill before insert on tag for each row execute function fill()`,
    failing: [
      'The column "kind" of "tag" is not null and has no default, and no field writes it: ' +
      "every create is refused",
    ],
  },
  {
    what: "such columns that triggers fill, one by one or by a row",
    change: `
      alter table tag
      add column kind text not null,
      add column other text not null,
      add column words tsvector not null;
      create function fill() returns trigger language plpgsql
        as 'begin select upper(new.name) into new.kind; new.other = ''''; return new; end';
      create trigger fill before insert on tag for each row execute function fill();
      create trigger words before insert on tag
      for each row execute function tsvector_update_trigger(words, 'pg_catalog.simple', name)`,
  },
  {
    what: "such a column where a trigger returns another row",
    change: `
      alter table tag add column kind text not null;
      create function fill() returns trigger language plpgsql
        as 'begin return jsonb_populate_record(new, to_jsonb(tg_argv)); end';
      create trigger fill before insert on tag for each row execute function fill()`,
    other: [
      'The trigger "fill" runs before rows of "tag" are written: see that it changes no ' +
      "identifier; a row that it leaves out is refused",
    ],
  },
  {
    what: "such a column where a trigger is in another language",
    change: `
      alter table tag add column kind text not null;
      create trigger fill before insert on tag for each row execute function unique_key_recheck()`,
    other: [
      'The column "kind" of "tag" is not null and has no default, and no field writes it: ' +
      "unless a trigger gives it a value, every create is refused",
      'The trigger "fill" runs before rows of "tag" are written: see that it changes no ' +
      "identifier; a row that it leaves out is refused",
    ],
  },
  {
    what: "such a column with a default",
    change: "alter table tag add column kind text not null default ''",
  },
  {
    what: "such a column of links",
    change: "alter table track_tag add column since date not null",
    failing: [
      'The column "since" of "track_tag" is not null and has no default, and no field writes it: ' +
      "every link is refused",
    ],
  },
  {
    what: "a generated column that a field writes",
    change: `
      alter table profile drop column about;
      alter table profile add column about text generated always as ('') stored`,
    failing: [
      'The column "about" of "profile" is generated, but the field "about" is written: ' +
      "declare it readonly",
    ],
  },
  {
    what: "an identifier that nothing gives",
    change: "alter table tag alter id drop identity",
    failing: [
      'The column "id" of "tag" is not null and has no default, and no field writes it: ' +
      "every create is refused",
    ],
  },
  {
    what: "an identifier from a sequence of no table",
    change: `
      create sequence numbers;
      alter table tag alter id drop identity, alter id set default nextval('numbers');
      insert into tag (id, name) values (1, 'one')`,
    other: ['The sequence of "tag" is behind: it gives 1 next, and 1 is taken'],
  },
  {
    what: "an identifier from a function",
    change: `
      create function number() returns bigint language sql as 'select 7::bigint';
      alter table tag alter id drop identity, alter id set default number()`,
  },
  {
    what: "a missing primary key",
    change: "alter table invoice_line drop constraint invoice_line_pkey",
    other: ['Nothing keeps two rows of "invoice_line" from the same "id": it is no primary key'],
  },
  {
    what: "a missing foreign key",
    change: "alter table track drop constraint track_album_id_fkey",
    other: ['The column "album_id" of "track" has no foreign key to "album"'],
  },
  {
    what: "a table with an heir",
    change: "create table single (side text) inherits (album)",
    failing: [
      'The table "single" inherits from "album": nothing keeps a row of each from the same "id", ' +
      "and a change or a delete then meets both",
    ],
  },
  {
    what: "a column of citext whose schema is not in the search path",
    change: `
      create schema extensions;
      create extension citext schema extensions;
      alter table tag alter name type extensions.citext`,
    failing: [
      'The column "name" of "tag" is "extensions.citext", and without its schema in the search_path ' +
      "of the role that serves, pages leave rows out",
    ],
  },
  {
    what: "a foreign key that older rows were not checked for",
    change: `
      alter table track drop constraint track_album_id_fkey;
      insert into track ${track} values ('', 7, 1, 1, 1, true), ('', 8, 1, 1, 1, true);
      alter table track add foreign key (album_id) references album not valid`,
    other: [
      'The column "album_id" of "track" holds 2 identifiers that "album" does not have, such as 7',
      'The foreign key to "album" of the column "album_id" of "track" is not valid: older rows may ' +
      "refer to none",
    ],
  },
  {
    what: "a foreign key to another table",
    change: `
      alter table album drop constraint album_label_id_fkey;
      alter table album add foreign key (label_id) references tag`,
    other: ['The column "label_id" of "album" has no foreign key to "record_label"'],
  },
  {
    what: "missing foreign keys of links",
    change: `
      alter table track_tag
      drop constraint track_tag_tag_id_fkey,
      drop constraint track_tag_track_id_fkey`,
    other: [
      'The column "track_id" of "track_tag" has no foreign key to "track"',
      'The column "tag_id" of "track_tag" has no foreign key to "tag"',
    ],
  },
  {
    what: "links without a key, but the index that is gone with it",
    change: "alter table track_tag drop constraint track_tag_pkey",
    other: [
      'No index serves "tags" in the list of track: create index on "track_tag" ("track_id")',
    ],
  },
  {
    what: "an order of links that is checked too early",
    change: `
      alter table playlist_track drop constraint playlist_track_playlist_id_position_key;
      create unique index places on playlist_track (playlist_id, position)`,
    other: [
      '"places" on "playlist_track" is unique and not a deferrable constraint: links cannot ' +
      'change their ranks in "position"',
    ],
  },
  {
    what: "rules, in the way of some writes",
    change: `
      create rule noted as on insert to tag do also notify noted;
      create rule kept as on delete to playlist_track do instead nothing;
      create rule unseen as on delete to invoice do instead nothing`,
    failing: [
      'The rule "kept" on delete of "playlist_track" makes writes fail: let a trigger do what it does',
      'The rule "noted" on insert of "tag" makes writes fail: let a trigger do what it does',
    ],
  },
  {
    what: "a trigger that leaves out updates which change nothing",
    change: `
      create trigger suppress before update on tag
        for each row execute function suppress_redundant_updates_trigger()`,
  },
  {
    what: "a trigger that may leave rows out",
    change: `
      create function hold() returns trigger language plpgsql
        as 'begin if new.name = '''' then return null; end if; return new; end';
      create trigger hold before update on tag for each row execute function hold()`,
    other: [
      'The trigger "hold" runs before rows of "tag" are written: see that it changes no ' +
      "identifier; a row that it leaves out is refused",
    ],
  },
  {
    what: "a trigger that selects an identifier",
    change: `
      create function number() returns trigger language plpgsql
        as 'begin select name, 7 into new.name, new.id from tag; return new; end';
      create trigger number before insert on tag for each row execute function number()`,
    other: [
      'The trigger "number" runs before rows of "tag" are written: see that it changes no ' +
      "identifier; a row that it leaves out is refused",
    ],
  },
  {
    what: "a trigger in another language, on links",
    change: `
      create trigger same before update on playlist_track
      for each row execute function unique_key_recheck()`,
    other: [
      'The trigger "same" runs before rows of "playlist_track" are written: see that it changes ' +
      "no identifier; a row that it leaves out is refused",
    ],
  },
  {
    what: "a trigger that gives a column its value, and one that comes after",
    change: `
      create function trimmed() returns trigger language plpgsql
        as 'begin new.name := trim(new.name); return new; end';
      create trigger trimmed before insert on tag for each row execute function trimmed();
      create trigger after after insert on tag for each row execute function trimmed()`,
  },
  {
    what: "row security that holds for the role",
    change: `
      alter table tag enable row level security;
      create policy slow on tag using (true);
      create role guest in role pg_read_all_data, pg_write_all_data;
      set local role guest`,
    other: [
      'The table "tag" has row security by "slow": see which rows it shows to the role that ' +
      "serves; a row that it leaves out is refused",
    ],
  },
  {
    what: "row security that does not hold for the role, here a superuser",
    change: "alter table tag enable row level security; create policy slow on tag using (false)",
  },
  {
    what: "a policy while row security is off",
    change: "create policy slow on tag using (false)",
  },
  {
    what: "a list that sorts without an index",
    change: "drop index track_milliseconds_id",
    other: [
      'No index serves "milliseconds" in the list of track: ' +
      'create index on "track" ("milliseconds", "id")',
    ],
  },
  {
    what: "an index of text in another order than that of code points",
    change: "drop index shop_city_id; create index on shop (city, id)",
    other: [
      'No index serves "city" in the list of shop: create index on "shop" ("city" collate "C", "id")',
    ],
  },
  {
    what: "a relation without an index",
    change: "drop index invoice_customer_id_id",
    other: [
      'No index serves "customer" in the list of invoice: ' +
      'create index on "invoice" ("customer_id", "id")',
    ],
  },
  {
    what: "an index that is missing for two lists",
    change: "drop index album_released_id",
    other: [
      'No index serves "released" in the list of album: create index on "album" ("released", "id")',
    ],
  },
  {
    what: "the end of a path without an index",
    change: "drop index artist_country_code",
    other: [
      'No index serves "artist__country" in the list of album: ' +
      'create index on "artist" ("country_code" collate "C")',
    ],
  },
  {
    what: "a to-many without an index from the other side",
    change: "drop index track_tag_tag_id",
    other: [
      'No index serves "tags" in the list of track: ' +
      'create index on "track_tag" ("tag_id", "track_id")',
    ],
  },
  {
    what: "indexes that serve only some rows, only equality, or both orders at once",
    change: `
      drop index track_price_id;
      create index on track (price, id) where price > 0;
      create index on track using hash (price);
      create index on track (price, id desc)`,
    other: [
      'No index serves "price" in the list of track: create index on "track" ("price", "id")',
    ],
  },
  {
    what: "indexes that begin as they have to, that descend, and that find one row",
    change: `
      drop index track_milliseconds_id, track_price_id, track_album_id_id;
      create index on track (milliseconds, id, name);
      create index on track (price desc, id desc);
      create unique index on track (album_id)`,
  },
  {
    what: "numbers that JSON does not have",
    change: `
      alter table track drop constraint track_album_id_fkey;
      insert into track ${track} values
        ('', 1, 1, 'NaN', 'Infinity', true),
        ('', 1, 1, 'NaN', 1, true)`,
    other: [
      'The column "album_id" of "track" has no foreign key to "album"',
      'The column "album_id" of "track" holds 2 identifiers that "album" does not have, such as 1',
      'The column "price" of "track" holds 2 values that the field "price" cannot have, such as "NaN"',
      'The column "rating" of "track" holds a value that the field "rating" cannot have, such as ' +
      '"Infinity"',
    ],
  },
  {
    what: "days and times that JSON does not have",
    change: `
      insert into shop (city, opened) values ('Rome', '0044-03-15 BC');
      insert into customer (name, email, newsletter) values ('', '', true);
      insert into profile (customer_id, seen) select id, 'infinity' from customer`,
    other: [
      'The column "seen" of "profile" holds a value that the field "seen" cannot have, such as ' +
      '"infinity"',
      'The column "opened" of "shop" holds a value that the field "opened" cannot have, such as ' +
      '"0044-03-15 BC"',
    ],
  },
  {
    what: "an integer and an identifier that no JSON reader holds, and a choice that is none",
    change: `
      alter table record_label alter founded type bigint;
      insert into record_label (name, founded) values ('', 9007199254740992);
      insert into tag (id, name) values (9007199254740992, '');
      insert into shop (city, opened) values ('', '2001-01-01');
      alter table employee drop constraint employee_role, add check (role <> '');
      insert into employee (name, role, hired, shop_id)
      select '', 'boss', '2001-01-01', id from shop`,
    other: [
      'The column "founded" of "record_label" holds a value that the field "founded" cannot have, such as ' +
      '"9007199254740992"',
      'The column "id" of "tag" holds a value that the field "id" cannot have, such as ' +
      '"9007199254740992"',
      'The column "role" of "employee" holds a value that the field "role" cannot have, such as ' +
      '"boss"',
    ],
  },
  {
    what: "a migration whose file is another one than when it was applied",
    change: "update relata_migration set checksum = '' where name = '0001_initial'",
    other: ['The migration "0001_initial" was edited after it was applied'],
  },
  {
    what: "links with a key of their own, but its sequence",
    change: `
      alter table track_tag drop constraint track_tag_pkey;
      alter table track_tag add unique (track_id, tag_id);
      alter table track_tag add column id bigint generated by default as identity primary key;
      set local session_replication_role = replica;
      insert into track_tag (id, track_id, tag_id) values (7, 1, 1)`,
    other: ['The sequence of "track_tag" is behind: it gives 1 next, and 7 is taken'],
  },
  {
    what: "a sequence that is behind",
    change: `
      alter sequence tag_id_seq restart;
      insert into tag (name) values ('one');
      insert into tag (id, name) values (5, 'five')`,
    other: ['The sequence of "tag" is behind: it gives 2 next, and 5 is taken'],
  },
  {
    what: "the last identifier that there is, which leaves none to mend a sequence with",
    change: "insert into tag (id, name) values (9007199254740991, 'last')",
  },
];

for (const { what, change, failing = [], other = [] } of cases) {
  const verb = failing.length + other.length > 0 ? "tells" : "says nothing of";
  test(`${verb} ${what}`, async () => {
    const { client } = opened;
    await client.script("begin");
    try {
      await client.script(change);
      const { status, body } = await serviceOn(opened, { resources }).send("GET /readyz");
      assert.is(status, failing.length > 0 ? 503 : 200, body.detail);
      assert.is(body.detail, failing[0]);
      const found = await differences(client, resources);
      const sentences = (fails: boolean) =>
        found.filter((each) => each.fails === fails).map(({ sentence }) => sentence).sort();
      assert.equal(sentences(true), failing.toSorted());
      assert.equal(sentences(false), other.toSorted());
    } finally {
      await client.script("rollback");
    }
  });
}

test("the store and the resources of the specification are as they are declared", async () => {
  assert.equal(await differences(opened.client, resources, reports, actions), []);
  assert.equal(await differences(opened.client, specified), []);
});

test("says nothing of a column that was dropped, in whatever order Postgres joins the catalogue", async () => {
  const { client } = opened;
  for (let seed = 0; seed < 10; seed++) {
    await client.script(`
      begin;
      alter table tag add column gone text;
      alter table tag drop column gone;
      set local geqo_threshold = 2;
      set local geqo_seed = ${seed / 10};
      set local cpu_tuple_cost = 0`);
    try {
      assert.equal(await differences(client, resources), [], `${seed}`);
    } finally {
      await client.script("rollback");
    }
  }
});

const shown = { path: "/reports/shown/", summary: "What is shown" };
for (
  const [what, fields, expected] of [
    ["a column that the SQL does not give", { day: date() }, [{
      sentence: 'Postgres refuses the report "shown": ' +
        "column report.day does not exist",
      fails: true,
    }]],
    ["a column of another type", { id: text() }, [{
      sentence:
        'The column "id" of the report "shown" is "bigint", but the field "id" wants "text"',
      fails: false,
    }]],
    ["nothing of columns that fit, whatever the parameters are", { name: text() }, []],
  ] as const
) {
  test(`tells of a report ${what}`, async () => {
    const shows = report("shown", {
      ...shown,
      parameters: { id: optional(identifier()) },
      fields,
      rows: (sql, { id }) =>
        sql`select id, name from artist where ${id} is null or artist.id = ${id}`,
    });
    assert.equal(await differences(opened.client, resources, [shows]), expected);
  });
}

for (
  const [what, fields, table, returned, expected] of [
    ["a column that the SQL does not return", { day: date() }, "artist", "id, name", [{
      sentence: 'The statement of the action "rename" returns no column "day"',
      fails: true,
    }]],
    ["a column of another type", { id: text() }, "artist", "id, name", [{
      sentence:
        'The column "id" of the action "rename" is "bigint", but the field "id" wants "text"',
      fails: false,
    }]],
    ["a table that is not there", { id: text() }, "artists", "id, name", [{
      sentence: 'Postgres refuses the action "rename", such as "action rename": ' +
        'relation "artists" does not exist',
      fails: true,
    }]],
    ["a column that the SQL returns twice", { id: integer() }, "artist", "id, name, id", [{
      sentence: 'The statement of the action "rename" returns more than one column "id"',
      fails: true,
    }]],
    ["nothing of columns that fit", { id: integer(), name: text() }, "artist", "id, name", []],
  ] as const
) {
  test(`tells of an action ${what}, and runs nothing of it`, async () => {
    const renames = action("rename", {
      path: "/artists/{artist}/rename/",
      summary: "Rename an artist",
      input: { artist: relation(resources.find(({ name }) => name === "artist")!) },
      fields,
      statement: (sql, { artist }) =>
        sql`
          update ${sql([table])}
          set name = 'Renamed'
          where id = ${artist}
          returning ${sql([returned])}`,
    });
    assert.equal(await differences(opened.client, resources, [], [renames]), expected);
    assert.is((await database.sql`select from artist where name = 'Renamed'`).length, 0);
  });
}

test("names a table with its schema in the index that is missing", async () => {
  await database.sql.unsafe(`
    create schema lexicon;
    create table lexicon.words (
      id bigint generated by default as identity primary key,
      name text not null
    )`);
  const word = resource("word", {
    table: "lexicon.words",
    fields: { id: identifier(), name: text() },
    routes: { "/words/": [list()] },
    sort: ["name"],
  });
  assert.equal((await differences(opened.client, [word])).map(({ sentence }) => sentence), [
    'No index serves "name" in the list of word: ' +
    'create index on "lexicon"."words" ("name" collate "C", "id")',
  ]);
});

test("tells what is wrong with a report that asks for claims", async () => {
  const shows = report("shown", {
    ...shown,
    fields: { id: text() },
    rows: (sql, _, claim) =>
      sql`select id from artist where name = ${claim("sub")} or id = any(${
        claim("artists", [integer()])
      })`,
  });
  assert.equal((await differences(opened.client, resources, [shows])).map((one) => one.sentence), [
    'The column "id" of the report "shown" is "bigint", but the field "id" wants "text"',
  ]);
});

test("tells nothing of a report whose function takes no null", async () => {
  await database.sql.unsafe(`
    create function since(n bigint) returns bigint language plpgsql stable as $$
    begin
      if n is null then raise exception 'No number'; end if;
      return n;
    end
    $$`);
  const shows = report("shown", {
    ...shown,
    parameters: { id: identifier() },
    fields: { name: text() },
    rows: (sql, { id }) => sql`select name from artist where artist.id >= since(${id})`,
  });
  assert.equal(await differences(opened.client, resources, [shows]), []);
});

// Access

const ofOwner = authenticated({ owner: claim("sub") });
const memo = {
  fields: {
    id: identifier(),
    owner: nullable(text({ default: claim("sub") })),
    code: text(),
    level: integer(),
    up: nullable(relation("self")),
  },
  path: "/memos/",
};

for (
  const [what, access, change, expected] of [
    ["as it is wanted", ofOwner, "", []],
    [
      "without the index of its rule",
      ofOwner,
      "drop index memo_owner",
      [
        'No index serves "owner" in the rule of memo: ' +
        'create index on "memo" ("owner" collate "C", "id")',
      ],
    ],
    [
      "without that of a rule by a number, beside one by a constant",
      [authenticated({ level: claim("level"), code: "x" }), anyone({ code: "public" })],
      "",
      [
        'No index serves "level" in the rule of memo: create index on "memo" ("level", "id")',
      ],
    ],
    [
      "without that of a rule by a path",
      authenticated({ up__level: claim("level") }),
      "",
      ['No index serves "up__level" in the rule of memo: create index on "memo" ("level")'],
    ],
    [
      "without an index that no rule of reading needs",
      { read: anyone(), write: ofOwner },
      "drop index memo_owner",
      [],
    ],
    [
      "with rows that have no owner",
      ofOwner,
      "insert into memo (code, level) values ('a', 1), ('b', 1)",
      ['2 rows of memo have no "owner": its rule shows them to nobody'],
    ],
    [
      "with one such row",
      [ofOwner, role("admin")],
      "insert into memo (code, level) values ('a', 1)",
      ['A row of memo has no "owner": its rule shows them to nobody'],
    ],
    [
      "with a constraint that tells of the rows of others",
      ofOwner,
      "alter table memo add unique (code), add unique (owner, level)",
      [
        'The unique constraint "memo_code_key" lacks "owner": who writes a memo learns what others have',
      ],
    ],
    [
      "with a rule by e-mail",
      authenticated({ owner: claim("email") }),
      "",
      ['The rule of memo compares "email": people can change it, "sub" stays'],
    ],
    [
      "with SQL that Postgres refuses",
      { read: role("admin", (sql) => sql`memo.levle > 1`), create: ofOwner },
      "",
      [
        'Postgres refuses the statements of memo, such as "list memo by id": ' +
        "column memo.levle does not exist",
      ],
    ],
    [
      "with SQL of a rule of one verb that Postgres refuses",
      { read: ofOwner, delete: role("admin", (sql) => sql`memo.level > 'x'`) },
      "",
      [
        'Postgres refuses the statements of memo, such as "delete memo": ' +
        'invalid input syntax for type bigint: "x"',
      ],
    ],
  ] as [string, NonNullable<Options["resource"]["access"]>, string, string[]][]
) {
  test(`tells what access lacks: a table ${what}`, async () => {
    const { sql } = database;
    await sql.unsafe(`
      create table memo (
        id bigint generated by default as identity primary key, owner text, code text not null,
        level bigint not null, up_id bigint references memo
      );
      create index memo_owner on memo (owner collate "C", id);
      create index memo_up on memo (up_id, id);
      ${change}`);
    const found = await differences(opened.client, [resource("memo", { ...memo, access })]);
    assert.equal(found.map(({ sentence }) => sentence), expected);
    await sql`drop table memo`;
  });
}

test("tells that policies see no claims, where access has rules", async () => {
  const { sql } = database;
  await sql.unsafe(`
    create table memo (id bigint generated by default as identity primary key, words text not null);
    alter table memo enable row level security`);
  const fields = { id: identifier(), words: text() };
  const ruled = resource("memo", { path: "/memos/", access: authenticated(), fields });
  const server = await serverRole(database, [ruled]);
  const own = openPostgres(server.url, { sessions: 1 });
  const found = await differences(own.client, [ruled]);
  const sentence = 'The table "memo" has row security, whose policies see no claims of callers: ' +
    '"access" of memo is asked beside it';
  assert.ok(found.some((each) => each.sentence === sentence), JSON.stringify(found));
  await own.close();
  await server.stop();
  await sql`drop table memo`;
});

test("tells identifiers of a view that are null, or of several rows", async () => {
  const fields = { id: identifier(), name: text() };
  const once = resource("once", { fields, routes: { "/once/": [list()] } });
  const twice = resource("twice", { fields, routes: { "/twice/": [list()] } });
  await database.sql.unsafe(`
    create view once (id, name) as values (1::bigint, 'One'), (2, 'Two'), (null, 'None');
    create view twice (id, name) as
      select * from once union all select * from once where id is distinct from 2`);
  assert.equal(await differences(opened.client, [once, twice]), [
    {
      sentence:
        'The view "once" has an identifier that is null or of several rows, such as null: ' +
        "pages that end with such a row leave others out",
      fails: false,
    },
    {
      sentence: 'The view "twice" has 2 identifiers that are null or of several rows, such as 1: ' +
        "pages that end with such a row leave others out",
      fails: false,
    },
  ]);
});

test("tells identifiers that a table and its heirs have, where no row is changed", async () => {
  await database.sql.unsafe(`
    create table paper (id bigint generated by default as identity primary key, name text not null);
    create table letter () inherits (paper);
    insert into paper (name) values ('One'), ('Two');
    insert into letter (id, name) values (nextval('paper_id_seq'), 'Three')`);
  const paper = resource("paper", {
    fields: { id: identifier(), name: text() },
    routes: { "/papers/": [list(), create], "/papers/{id}/": [read] },
  });
  assert.equal(await differences(opened.client, [paper]), []);
  await database.sql`insert into letter (id, name) values (2, 'Second')`;
  assert.equal(await differences(opened.client, [paper]), [{
    sentence: 'The table "paper" has an identifier that is null or of several rows, such as 2: ' +
      "pages that end with such a row leave others out",
    fails: false,
  }]);
});

test("tells that no row of a view with groups can be changed", async () => {
  await database.sql.unsafe(`
    create view grouped as
      select id, min(name) as name, min(xmin::text)::xid as xmin from tag group by id;
    create function change() returns trigger language plpgsql as 'begin return new; end';
    create trigger changes instead of update on grouped for each row execute function change()`);
  const grouped = resource("grouped", {
    fields: { id: identifier(), name: text() },
    routes: { "/grouped/{id}/": [read, merge] },
  });
  assert.equal(await differences(opened.client, [grouped]), [{
    sentence: 'Postgres refuses the statements of grouped, such as "change grouped": ' +
      "FOR NO KEY UPDATE is not allowed with GROUP BY clause",
    fails: true,
  }]);
});

test("a view, which is only read, has columns and nothing else to compare", async () => {
  await database.sql`
    create view song as
    select id, name, album_id, gen_random_uuid() as code
    from track`;
  const routes = { "/songs/": [list()] };
  const fields = { id: identifier(), name: text(), album: relation(album) };
  const song = resource("song", { fields, display: "name", routes });
  assert.equal(await differences(opened.client, [song]), []);
  // What is only read as it is cannot fail
  const code = resource("song", {
    fields: { ...fields, code: readonly(text({ maximum: 36 })) },
    routes,
  });
  assert.equal(await differences(opened.client, [code]), [
    {
      sentence: 'The column "code" of "song" is "uuid", but the field "code" wants "text"',
      fails: false,
    },
  ]);
  const other = resource("song", { fields: { ...fields, name: integer() }, routes });
  assert.equal(await differences(opened.client, [other]), [
    {
      sentence: 'The column "name" of "song" is "text", but the field "name" wants "bigint"',
      fails: true,
    },
  ]);
});

for (const name of ["held", "sequence"]) {
  test(`looks at the rows of a table called "${name}", and columns called as in its statements`, async () => {
    await database.sql.unsafe(`
      create table ${name} (
        id bigint generated by default as identity primary key,
        value text not null,
        field double precision not null,
        next bigint not null
      );
      insert into ${name} (value, field, next) values ('', 'NaN', 1);
      insert into ${name} (id, value, field, next) values (3, '', 0, 1)`);
    const fields = { id: identifier(), value: text(), field: number(), next: integer() };
    const routes = { [`/${name}/`]: [list(), create], [`/${name}/{id}/`]: [read] };
    const found = await differences(opened.client, [resource(name, { fields, routes })]);
    assert.equal(found.map(({ sentence }) => sentence), [
      `The column "field" of "${name}" holds a value that the field "field" cannot have, such as "NaN"`,
      `The sequence of "${name}" is behind: it gives 2 next, and 3 is taken`,
    ]);
  });
}

test("tells a sequence that the role may not set, and what else differs", async () => {
  const { sql } = database;
  await sql`create table note (id bigint generated by default as identity primary key, text text)`;
  const fields = { id: identifier(), text: text() };
  const one = { "/notes/{id}/": [read] };
  const written = resource("note", { fields, routes: { ...one, "/notes/": [list(), create] } });
  const only = resource("note", { fields, routes: { ...one, "/notes/": [list()] } });
  const role = await serverRole(database, [written]);
  await sql`revoke all on sequence note_id_seq from ${sql(role.name)}`;
  const { client, close } = openPostgres(role.url, { sessions: 1 });
  const told = async (each: Resource) =>
    (await differences(client, [each])).map(({ sentence }) => sentence);
  try {
    const empty = 'The column "text" of "note" may be null, but the field "text" is not nullable';
    assert.equal(await told(written), [
      'The role of DATABASE_URL may not set the sequence of "note" when it is behind: ' +
      '"relata migrate grants" prints the SQL that lets it',
      empty,
    ]);
    assert.equal(await told(only), [empty]);
  } finally {
    await close();
    await role.stop();
    await sql`drop table note`;
  }
});

test("tells what a trigger writes where the role may not, unless its function has the rights of its owner", async () => {
  const { sql } = database;
  await sql.unsafe(`
    create table note (id bigint generated by default as identity primary key, text text not null);
    create table audit (id bigint generated by default as identity primary key, what text);
    create function audit() returns trigger language plpgsql as $$
    begin
      INSERT INTO public.audit (what) values (tg_op);
      update audit set what = what where false;
      if false then delete from "note" where id = new.id; end if;
      return null;
    end
    $$;
    create trigger audits after insert on note for each row execute function audit()`);
  const note = resource("note", {
    fields: { id: identifier(), text: text() },
    routes: { "/notes/": [list(), create], "/notes/{id}/": [read, remove] },
  });
  const role = await serverRole(database, [note]);
  const { client, close } = openPostgres(role.url, { sessions: 1 });
  const told = async () => (await differences(client, [note])).map(({ sentence }) => sentence);
  const post = () =>
    serviceOn({ client }, { resources: [note] }).send("POST /notes/", { text: "" });
  try {
    assert.equal(await told(), [
      'The trigger "audits" of "note" may insert in "public.audit", where the role of DATABASE_URL ' +
      "may not: make its function security definer",
      'The trigger "audits" of "note" may update in "audit", where the role of DATABASE_URL ' +
      "may not: make its function security definer",
    ]);
    assert.is((await post()).status, 503);
    await sql`alter function audit security definer`;
    assert.equal(await told(), []);
    assert.is((await post()).status, 201);
  } finally {
    await close();
    await role.stop();
    await sql.unsafe("drop table note, audit; drop function audit");
  }
});

for (
  const [what, made, revoked, expected] of [
    [
      "a column that the role may not write",
      "",
      `revoke insert on note from :role; grant insert (text) on note to :role`,
      'Postgres refuses the statements of note, such as "insert note": permission denied for table note',
    ],
    [
      "a column that the role may not change",
      "",
      `revoke update on note from :role; grant update (text) on note to :role`,
      'Postgres refuses the statements of note, such as "update note": permission denied for table note',
    ],
    [
      "a function in a default that the role may not call",
      `create function stamp() returns text language sql as 'select now()::text';
       revoke execute on function stamp from public;
       alter table note add stamp text default stamp()`,
      "",
      'Postgres refuses the statements of note, such as "insert note": ' +
      "permission denied for function stamp",
    ],
    [
      "a policy that reads its own table",
      `create policy circle on note using (exists (select from note));
       alter table note enable row level security`,
      "",
      'Postgres refuses the statements of note, such as "list note by id": ' +
      'infinite recursion detected in policy for relation "note"',
    ],
  ] as const
) {
  test(`tells ${what}, though the catalogue of its table does not`, async () => {
    const { sql } = database;
    await sql.unsafe(`
      create table note (
        id bigint generated by default as identity primary key,
        text text not null,
        more text not null
      );
      ${made}`);
    const note = resource("note", {
      fields: { id: identifier(), text: text(), more: text() },
      routes: { "/notes/": [list(), create], "/notes/{id}/": [read, merge, remove] },
    });
    const role = await serverRole(database, [note]);
    const { client, close } = openPostgres(role.url, { sessions: 1 });
    try {
      await sql.unsafe(revoked.replaceAll(":role", `"${role.name}"`));
      const found = await differences(client, [note]);
      assert.equal(found.filter(({ fails }) => fails).map(({ sentence }) => sentence), [expected]);
    } finally {
      await close();
      await role.stop();
      await sql.unsafe("drop table note; drop function if exists stamp");
    }
  });
}

test("tells that lists cannot read a column of another type, also through a relation, nor sort by it", async () => {
  const { sql } = database;
  await sql.unsafe(`
    create table draft (id bigint generated by default as identity primary key, body json);
    create table note (id bigint generated by default as identity primary key, draft_id bigint references draft)`);
  const draft = resource("draft", {
    fields: { id: identifier(), body: nullable(readonly(text())) },
    routes: {},
  });
  const note = resource("note", {
    fields: { id: identifier(), draft: nullable(relation(draft)) },
    routes: { "/notes/": [list()] },
    sort: ["draft__body"],
  });
  const found = await differences(opened.client, [draft, note]);
  assert.equal(found.filter(({ fails }) => fails).map(({ sentence }) => sentence), [
    "Postgres refuses the statements of draft: function octet_length(json) does not exist",
    'Postgres refuses the statements of note, such as "list note by draft__body": ' +
    "collations are not supported by type json",
  ]);
  await sql`drop table note, draft`;
});

test("asks one question about the statements of each resource, however much its lists nest", async () => {
  const { sql } = database;
  const chain: Resource[] = [];
  for (let place = 0; place < 14; place++) {
    const before = chain.slice(-2);
    const fields = Object.fromEntries(
      before.map((target) => [target.name, relation(target)]),
    );
    await sql.unsafe(`create table link_${place} (
      id bigint generated by default as identity primary key,
      name text not null
      ${before.map(({ name }) => `, ${name}_id bigint not null references ${name}`).join("")}
    )`);
    chain.push(resource(`link_${place}`, {
      path: `/links-${place}/`,
      fields: { id: identifier(), name: text(), ...fields },
    }));
  }
  const asked: string[] = [];
  const counting = {
    ...opened.client,
    script: (...texts: string[]) => {
      asked.push(...texts);
      return opened.client.script(...texts);
    },
  };
  const found = await differences(counting, chain);
  assert.equal(found.filter(({ sentence }) => !sentence.startsWith("No index serves")), []);
  assert.is(asked.length, chain.length);
  const longest = Math.max(...asked.map(({ length }) => length));
  assert.ok(longest < 2 ** 16, `A question has ${longest} characters`);
  await sql.unsafe(`drop table ${chain.map(({ name }) => name).join(", ")}`);
});

test("says nothing of a column of characters where every text has its length", async () => {
  const { sql } = database;
  await sql`create table money (id bigint generated by default as identity primary key, code char(3) not null)`;
  const told = async (limits: { minimum: number; maximum: number }) => {
    const fields = { id: identifier(), code: text(limits) };
    const routes = { "/money/": [list(), create], "/money/{id}/": [read] };
    const money = resource("money", { fields, routes });
    return (await differences(opened.client, [money])).map(({ sentence }) => sentence);
  };
  assert.equal(await told({ minimum: 3, maximum: 3 }), []);
  assert.equal(await told({ minimum: 2, maximum: 3 }), [
    'The column "code" of "money" is "character(3)", but the field "code" wants "text"',
  ]);
  await sql`drop table money`;
});

test("tells a condition of a relation that Postgres does not take, once", async () => {
  const wrong = relation(artist, { where: (sql) => sql`artist.activ` });
  const declared = resource("album", {
    fields: { id: identifier(), artist: wrong },
    routes: { "/albums/choices/artist/": [choices("artist")] },
  });
  assert.equal(await differences(opened.client, [declared]), [
    {
      sentence: 'Postgres refuses the statements of album, such as "choices of artist": ' +
        "column artist.activ does not exist",
      fails: true,
    },
  ]);
});

/** Keys in tables that do not hold what is declared, and what is told of each. */
const otherKeys: [
  what: string,
  column: string,
  key: ReturnType<typeof identifier>,
  told: string[],
][] = [
  ["a UUID without a default", "id uuid", identifier({ type: "uuid", default: "database" }), [
    'The column "id" of "keyed" has no default, but the field "id" has that of the database',
  ]],
  ["texts that paths have for something else", "id text", identifier({ type: "text" }), [
    'The column "id" of "keyed" holds 2 values that the field "id" cannot have, such as ""',
  ]],
  ["days in place of texts", "id date", identifier({ type: "text" }), [
    'The column "id" of "keyed" is "date", but the field "id" wants "text"',
  ]],
  ["texts of any length in a column of some", "id varchar(9)", identifier({ type: "text" }), [
    'The column "id" of "keyed" is "character varying(9)", and cuts off blanks that the field "id" ' +
    "takes: declare it with maximum: 9",
  ]],
  ["texts of one length", "id varchar(9)", identifier({ type: "text", maximum: 9 }), []],
  ["integers that are read as texts", "id bigint", identifier({ type: "text" }), []],
  ["UUIDs that the server makes", "id uuid", identifier({ type: "uuid" }), []],
  ["small integers of clients", "id smallint", identifier({ generated: false }), []],
  ["numbers without a fraction", "id numeric(9)", identifier({ generated: false }), []],
];
for (const [what, column, id, told] of otherKeys) {
  test(`tells of keys that are ${what}`, async () => {
    const { sql } = database;
    await sql.unsafe(`create table keyed (${column} primary key, name text not null)`);
    if (column === "id text") {
      await sql`insert into keyed values ('batch', ''), ('', ''), ('a', '')`;
    }
    const declared = resource("keyed", { path: "/keyed/", fields: { id, name: text() } });
    const found = await differences(opened.client, [declared]);
    await sql`drop table keyed`;
    assert.equal(found.map(({ sentence }) => sentence), told);
  });
}

test("takes integers for identifiers that are texts, and for what refers to them", async () => {
  const { sql } = database;
  await sql.unsafe(`
    create table crate (
      id bigint generated by default as identity primary key,
      inside_id bigint references crate
    );
    create index on crate (inside_id, id);
    create table crate_near (
      crate_id bigint references crate,
      near_id bigint references crate,
      primary key (crate_id, near_id)
    );
    create index on crate_near (near_id, crate_id)`);
  const crate = resource("crate", {
    path: "/crates/",
    fields: {
      id: identifier({ type: "text", default: "database" }),
      inside: nullable(relation("self")),
      near: many("self", { through: "crate_near", to: "near_id" }),
    },
  });
  const found = await differences(opened.client, [crate]);
  await sql`drop table crate, crate_near`;
  assert.equal(found.map(({ sentence }) => sentence), []);
});

test("wants an index by which those who follow integers as texts find the records", async () => {
  const { sql } = database;
  await sql`create table counted (
    id bigint primary key,
    made timestamptz not null default now(),
    relata_epoch bigint not null default relata_epoch(),
    relata_transaction xid8 not null default pg_current_xact_id()
  )`;
  const counted = resource("counted", {
    fields: { id: identifier({ type: "text" }), made: created() },
    routes: { "/counted/": [list(), follow], "/counted/{id}/": [read] },
  });
  const index = 'create index on "counted" ("relata_epoch", "relata_transaction")';
  const told = async () =>
    (await differences(opened.client, [counted])).filter(({ sentence }) =>
      sentence.endsWith(index)
    );
  assert.is((await told()).length, 1);
  await sql.unsafe(index);
  assert.equal(await told(), []);
  await sql`drop table counted`;
});

const codes = resource("code", { fields: { id: identifier({ type: "text" }) }, routes: {} });

/** The functions of the server, and fields and routes that need each. */
const functions: [
  signature: string,
  fields: Parameters<typeof resource>[1]["fields"],
  verbs: Verb[],
  filter?: string[],
][] = [
  ["relata_take(text)", { name: text() }, [create]],
  ["relata_each(text, json, boolean)", { name: text() }, [create]],
  ["relata_cast(text, anyelement)", { name: choice(["a"]) }, [create]],
  ["relata_key(text, anyelement)", { id: identifier({ type: "text", column: "code" }) }, [list()]],
  ["relata_key(text, anyelement)", { code: relation(codes, { column: "code" }) }, [list()]],
  ["relata_takes(text, text)", { address: pgType("inet") }, [merge]],
  ["relata_default(text, text, anyelement)", {
    id: identifier({ type: "text", column: "code", default: "database" }),
    name: text(),
  }, [create]],
  ["relata_merge_patch(jsonb, jsonb)", { data: json() }, [merge]],
  ["relata_jsonb(jsonb)", { data: json() }, [list()], ["data"]],
  ["relata_epoch()", { made: created() }, [follow]],
];
for (const [signature, fields, verbs, filter] of functions) {
  test(`tells of ${signature} if it is not there and ${Object.keys(fields)} needs it`, async () => {
    const { sql } = database;
    await sql`create table code (id text primary key)`;
    await sql`create table functional (
      id bigint generated by default as identity primary key,
      code text not null unique default 'a' references code,
      name text not null default '',
      data jsonb not null default '{}',
      address inet,
      made timestamptz not null default now()
    )`;
    const routes = {
      "/functional/": verbs.filter(({ name }) => name !== "patch"),
      "/functional/{id}/": [read, ...verbs.filter(({ name }) => name === "patch")],
    };
    const needs = resource("needs", {
      table: "functional",
      fields: { id: identifier(), ...fields },
      routes,
      ...(filter && { filter }),
    });
    const plain = resource("plain", {
      table: "functional",
      fields: { id: identifier(), name: text() },
      routes: { "/plain/": [list()], "/plain/{id}/": [read] },
    });
    const sentence = `The database does not have the function "${signature}"`;
    const told = async (...declared: Resource[]) =>
      (await differences(opened.client, declared))
        .filter((found) => found.sentence === sentence);
    const [name] = signature.split("(");
    await sql.unsafe(`alter function ${signature} rename to relata_other`);
    const found = [await told(needs, codes), await told(plain)];
    await sql.unsafe(`
      alter function relata_other${signature.slice(name!.length)} rename to ${name};
      drop table functional, code`);
    assert.equal(found, [[{ sentence, fails: true }], []]);
  });
}

test("wants the index of those who follow texts in the order of code points", async () => {
  const { sql } = database;
  await sql`create table spoken (
    id text primary key,
    made timestamptz not null default now(),
    relata_epoch bigint not null default relata_epoch(),
    relata_transaction xid8 not null default pg_current_xact_id()
  )`;
  const fields = { id: identifier({ type: "text" }), made: created() };
  const spoken = resource("spoken", {
    fields,
    routes: { "/spoken/": [list(), follow], "/spoken/{id}/": [read] },
  });
  const index = 'create index on "spoken" ("relata_epoch", "relata_transaction", "id" collate "C")';
  const told = async () =>
    (await differences(opened.client, [spoken])).map(({ sentence }) => sentence).join("\n");
  assert.match(await told(), index);
  await sql.unsafe(index);
  assert.not.match(await told(), "relata_epoch");
  await sql`drop table spoken`;
});

test("tells a default in SQL that Postgres does not take, once", async () => {
  await database
    .sql`create table dated (id bigint generated by default as identity primary key, day date not null)`;
  for (
    const [day, sentence] of [
      [date({ default: (sql) => sql`next_day()` }), "function next_day() does not exist"],
      [date({ default: (sql) => sql`true` }), "cannot cast type boolean to date"],
    ] as const
  ) {
    const declared = resource("dated", {
      fields: { id: identifier(), day },
      routes: { "/dated/": [create], "/dated/{id}/": [read] },
    });
    assert.equal(await differences(opened.client, [declared]), [
      {
        sentence: `Postgres refuses the statements of dated, such as "create dated": ${sentence}`,
        fails: true,
      },
    ]);
  }
  await database.sql`drop table dated`;
});

for (
  const [what, key, bounds, isMissing] of [
    ["has no partition", "range (made)", [], true],
    ["has old ones", "range (made)", ["from ('2001-01-01') to ('2001-02-01')"], true],
    ["has old ones by the day", "range (day)", ["from ('2001-01-01') to ('2001-02-01')"], true],
    ["has one for now", "range (made)", ["from ('2001-01-01') to ('9999-01-01')"], false],
    ["has one for now by the day", "range (day)", ["from ('2001-01-01') to ('9999-01-01')"], false],
    ["has one without an end", "range (made)", ["from ('2001-01-01') to (maxvalue)"], false],
    ["has a default", "range (made)", ["from (minvalue) to ('2001-02-01')", "default"], false],
    ["is parted by a list", "list (kind)", ["in (1)"], false],
    ["is parted by a field", "range (sent)", ["from ('2001-01-01') to ('2001-02-01')"], false],
    ["is parted by a number", "range (kind)", ["from (1) to (2026)"], false],
  ] as const
) {
  test(`${isMissing ? "tells" : "does not tell"} that a partition is missing where a table ${what}`, async () => {
    const { sql } = database;
    await sql.unsafe(`
      drop table if exists line;
      create table line (
        id bigint generated by default as identity,
        made timestamptz not null default now(),
        day date not null default current_date,
        kind integer not null default 1,
        sent timestamptz not null
      ) partition by ${key};
      ${bounds.map((bound, n) => partition(n, bound)).join(";")}`);
    const line = resource("line", {
      fields: { id: identifier(), made: readonly(timestamp()), sent: timestamp() },
      routes: { "/lines/": [create], "/lines/{id}/": [read] },
    });
    const found = await differences(opened.client, [line]);
    assert.equal(
      found.filter(({ sentence }) => /partition/.test(sentence)),
      isMissing
        ? [{ sentence: 'No partition of "line" takes new rows: add one', fails: true }]
        : [],
    );
    const answer = await serviceOn(opened, { resources: [line] })
      .send("POST /lines/", { sent: "2001-01-02T00:00:00Z" });
    assert.is(answer.status, isMissing ? 503 : 201);
  });
}

const partition = (number: number, bound: string) =>
  `create table line_${number} partition of line ${
    bound === "default" ? "" : "for values "
  }${bound}`;

test("the command tells each difference in a line, then the indexes that lists want as SQL; its exit status tells whether there is a difference", async () => {
  const { url, sql, stop } = await freshPostgres();
  const environment = { DATABASE_URL: url };
  const clean = "The database is as the declarations want it\n";
  assert.equal(await relata(["check"], environment), { status: 0, stdout: clean, stderr: "" });
  await sql`drop index bar_name_id, foo_bar_id_id`;
  const wishes = "\n-- Lists would be faster with these indexes\n" +
    'create index on "bar" ("name" collate "C", "id"); -- No index serves "name" in the list of bar\n' +
    'create index on "foo" ("bar_id", "id"); -- No index serves "bar" in the list of foo\n';
  assert.equal(await relata(["check"], environment), {
    status: 0,
    stdout: clean + wishes,
    stderr: "",
  }, "Indexes are apart from differences");
  await sql`alter table foo alter name drop not null`;
  assert.equal(await relata(["check"], environment), {
    status: 1,
    stdout: 'The column "name" of "foo" may be null, but the field "name" is not nullable\n' +
      wishes,
    stderr: "",
  });
  await sql.unsafe(wishes);
  const { stdout } = await relata(["check"], environment);
  assert.not.match(stdout, /index/, "What was printed is run as it is");
  await stop();
});

test("the command tells apart what the project says was seen, unless requests fail because of it", async () => {
  const { url, sql, stop } = await freshDatabase();
  const folder = temporaryFolder();
  const environment = { DATABASE_URL: url, PROJECT_DIR: folder.path };
  await relata(["init", folder.path]);
  await relata(["migrate", "up"], environment);
  await sql.unsafe(`
    create function hold() returns trigger language plpgsql as 'begin return null; end';
    create trigger hold before update on book for each row execute function hold()`);
  const told = async () => (await relata(["check"], environment)).stdout.trimEnd().split("\n");
  const trigger = (name: string) =>
    `The trigger "${name}" runs before rows of "book" are written: see that it changes no ` +
    "identifier; a row that it leaves out is refused";
  assert.equal(await told(), [trigger("hold")]);
  const failing = 'The database does not have the table "author"';
  writeFileSync(join(folder.path, "seen.txt"), `Ann, June:\r\n${trigger("hold")}\r\n${failing}\n`);
  const { status, stdout } = await relata(["check"], environment);
  assert.is(stdout, `The database is as the declarations want it\nSeen: ${trigger("hold")}\n`);
  assert.is(status, 0);
  await sql`alter trigger hold on book rename to halt`;
  assert.equal(await told(), [trigger("halt")]);
  await sql`drop table author cascade`;
  assert.ok((await told()).includes(failing));
  folder.remove();
  await stop();
});

test("a database without its migrations is told to be migrated, and nothing else", async () => {
  const { url, stop } = await freshDatabase();
  const { status, stdout } = await relata(["check"], { DATABASE_URL: url });
  assert.is(status, 1);
  assert.match(stdout, /^The database lacks the migrations [^\n]*: run "relata migrate up"\n$/);
  await stop();
});

test("it migrates the embedded database first, and finds it as it is declared", async () => {
  const folder = embeddedFolder();
  const { status, stdout } = await relata(["check"], { DATA_DIR: folder.path });
  assert.is(stdout, "The database is as the declarations want it\n");
  assert.is(status, 0);
  folder.remove();
});

test.run();
