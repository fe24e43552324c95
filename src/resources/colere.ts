// colere: what a bottage refers to; clients read the current one first.
import { create, createBatch, identifier, last, read, resource, text } from "relata";

export default resource("colere", {
  display: "name",

  fields: {
    id: identifier(),
    name: text({ maximum: 64, default: "", example: "Colere one" }),
  },

  routes: {
    "/colere/": [last, create],
    "/colere/batch/": [createBatch],
    "/colere/{id}/": [read],
  },
});
