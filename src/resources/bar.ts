// bar: what a foo belongs to.
import {
  create,
  createBatch,
  identifier,
  list,
  merge,
  read,
  remove,
  replace,
  resource,
  text,
} from "relata";

export default resource("bar", {
  display: "name",

  fields: {
    id: identifier(),
    name: text({ maximum: 64, example: "Bar one" }),
  },

  routes: {
    "/api/bars/": [list(), create],
    "/api/bars/batch/": [createBatch],
    "/api/bars/{bar_id}/": [read, replace, merge, remove],
  },
});
