// foo: belongs to one bar, written as an identifier and read as the whole object.
import {
  choices,
  create,
  createBatch,
  identifier,
  list,
  merge,
  read,
  relation,
  remove,
  replace,
  resource,
  text,
} from "relata";
import bar from "./bar.ts";

export default resource("foo", {
  display: "name",

  fields: {
    id: identifier(),
    name: text({ maximum: 64, example: "Foo one" }),
    bar: relation(bar, { column: "bar_id", read: "object" }),
  },

  routes: {
    "/api/foos/": [list(), create],
    "/api/foos/batch/": [createBatch],
    "/api/foos/{foo_id}/": [read, replace, merge, remove],
    "/api/foos/choices/bar/": [choices("bar")],
  },
});
