// bottage: a record of what was said about a colere, and when; never changed.
import {
  choices,
  create,
  createBatch,
  created,
  follow,
  identifier,
  last,
  list,
  read,
  relation,
  resource,
  text,
} from "relata";
import colere from "./colere.ts";

export default resource("bottage", {
  fields: {
    bottage: identifier(),
    cul: text({ example: "Hello" }),
    colere: relation(colere, { column: "colere_id", read: "identifier" }),
    date: created({ column: "created_at" }),
  },

  routes: {
    "/bottage/": [list({ sort: "-id" }), create, follow],
    "/bottage/batch/": [createBatch],
    "/bottage/last": [last],
    "/bottage/{bottage}": [read],
    "/bottage/choices/colere/": [choices("colere")],
  },
});
