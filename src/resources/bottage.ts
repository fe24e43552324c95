// bottage: a record of what was said about a colere, and when; never changed.
import { identifier, moment, text } from "../declaration/field.ts";
import { relation } from "../declaration/relation.ts";
import { resource } from "../declaration/resource.ts";
import { choices } from "../verbs/choices.ts";
import { list } from "../verbs/list.ts";
import { last, read } from "../verbs/read.ts";
import { create } from "../verbs/write.ts";
import { colere } from "./colere.ts";

export const bottage = resource({
  name: "bottage",

  fields: {
    bottage: identifier(),
    cul: text({ example: "Hello" }),
    colere: relation(colere, { column: "colere_id", read: "identifier" }),
    date: moment({ column: "created_at" }),
  },

  statements: (sql) => ({
    read: (rows) =>
      sql`
        select
          bottage.id as bottage,
          bottage.cul,
          bottage.colere_id as colere,
          bottage.created_at as date
        from ${rows} as bottage`,

    create: sql`
      insert into bottage (id, cul, colere_id)
      select input.id, input.cul, input.colere
      from input
      returning id, cul, colere_id, created_at`,
  }),

  routes: {
    "/bottage/": [list({ sort: "-id" }), create],
    "/bottage/last": [last],
    "/bottage/{bottage}": [read],
    "/bottage/choices/colere/": [choices("colere")],
  },
});
