// colere: what a bottage refers to; clients read the current one first.
import { identifier, text } from "../declaration/field.ts";
import { resource } from "../declaration/resource.ts";
import { last, read } from "../verbs/read.ts";
import { create } from "../verbs/write.ts";

export const colere = resource({
  name: "colere",
  display: "name",

  fields: {
    id: identifier(),
    name: text({ maximum: 64, fallback: "", example: "Colere one" }),
  },

  statements: (sql) => ({
    read: (rows) =>
      sql`
        select
          colere.id,
          colere.name
        from ${rows} as colere`,

    create: sql`
      insert into colere (id, name)
      select input.id, input.name
      from input
      returning id, name`,
  }),

  routes: {
    "/colere/": [last, create],
    "/colere/{id}/": [read],
  },
});
