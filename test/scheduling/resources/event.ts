import { choice, created, follow, identifier, list, read, relation, resource, uuid } from "relata";
import { dispatcher, ownTechnician } from "../callers.ts";
import technician from "./technician.ts";

/** What phones follow: a trigger writes it, for the technician who has a visit and for the one who had it. */
export default resource("event", {
  table: "visit_event",
  access: { read: [dispatcher, ownTechnician] },
  fields: {
    id: identifier(),
    what: choice(["created", "changed", "gone"]),
    visit: uuid({ column: "visit_id" }),
    technician: relation(technician, { read: "identifier" }),
    at: created(),
  },
  routes: {
    "/api/events/": [list(), follow],
    "/api/events/{id}/": [read],
  },
});
