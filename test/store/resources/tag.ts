import {
  create,
  createBatch,
  deprecated,
  identifier,
  list,
  merge,
  read,
  remove,
  replace,
  resource,
  text,
} from "relata";

export default resource("tag", {
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 40, example: "slow" }),
  },
  routes: {
    "/api/tags/": [list(), create],
    "/api/tags/batch/": [createBatch],
    "/api/tags/{id}/": [
      read,
      replace,
      deprecated(merge, { since: "2026-11-21", sunset: "2027-05-21" }),
      remove,
    ],
  },
});
