import { choice, identifier, json, list, nullable, read, readonly } from "relata";
import { resource, text, timestamp, uuid } from "relata";
import { dispatcher } from "../callers.ts";

/** What was done to jobs and visits: triggers write it. */
export default resource("audit", {
  access: { read: dispatcher },
  fields: {
    id: identifier(),
    at: readonly(timestamp()),
    verb: choice(["insert", "update", "delete"]),
    what: text({ example: "visit" }),
    row: uuid({ column: "row_id" }),
    before: nullable(json({ only: "object" })),
  },
  routes: {
    "/api/audits/": [list({ sort: "-id" })],
    "/api/audits/{id}/": [read],
  },
  filter: ["row"],
});
