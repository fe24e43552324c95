// foo: belongs to one bar, written as an identifier and read as the whole object.
import { identifier, text } from "../declaration/field.ts";
import { relation } from "../declaration/relation.ts";
import { resource } from "../declaration/resource.ts";
import { choices } from "../verbs/choices.ts";
import { list } from "../verbs/list.ts";
import { read } from "../verbs/read.ts";
import { create, merge, remove, replace } from "../verbs/write.ts";
import { bar } from "./bar.ts";

const fields = {
  id: identifier(),
  name: text({ maximum: 64, example: "Foo one" }),
  bar: relation(bar, { column: "bar_id", read: "object" }),
};

export const foo = resource({
  name: "foo",
  display: "name",
  fields,

  statements: (sql) => ({
    read: (rows) =>
      sql`
        select
          foo.id,
          foo.name,
          row_to_json(bar) as bar
        from ${rows} as foo
        join (${fields.bar.objects(sql)}) as bar
          on bar.id = foo.bar_id`,

    create: sql`
      insert into foo (id, name, bar_id)
      select input.id, input.name, input.bar
      from input
      returning id, name, bar_id`,

    update: sql`
      update foo
      set
        name = coalesce(input.name, foo.name),
        bar_id = coalesce(input.bar, foo.bar_id)
      from input
      where foo.id = input.id
      returning foo.id, foo.name, foo.bar_id`,

    delete: sql`
      delete from foo
      using input
      where foo.id = input.id
      returning foo.id`,
  }),

  routes: {
    "/api/foos/": [list(), create],
    "/api/foos/{foo_id}/": [read, replace, merge, remove],
    "/api/foos/choices/bar/": [choices("bar")],
  },
});
