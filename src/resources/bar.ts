// bar: what a foo belongs to.
import { identifier, text } from "../declaration/field.ts";
import { resource } from "../declaration/resource.ts";
import { list } from "../verbs/list.ts";
import { read } from "../verbs/read.ts";
import { create, merge, remove, replace } from "../verbs/write.ts";

export const bar = resource({
  name: "bar",
  display: "name",

  fields: {
    id: identifier(),
    name: text({ maximum: 64, example: "Bar one" }),
  },

  statements: (sql) => ({
    read: (rows) =>
      sql`
        select
          bar.id,
          bar.name
        from ${rows} as bar`,

    create: sql`
      insert into bar (id, name)
      select input.id, input.name
      from input
      returning id, name`,

    update: sql`
      update bar
      set name = coalesce(input.name, bar.name)
      from input
      where bar.id = input.id
      returning bar.id, bar.name`,

    delete: sql`
      delete from bar
      using input
      where bar.id = input.id
      returning bar.id`,
  }),

  routes: {
    "/api/bars/": [list(), create],
    "/api/bars/{bar_id}/": [read, replace, merge, remove],
  },
});
