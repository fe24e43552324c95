import { created, identifier, relation, resource } from "relata";
import talk from "./talk.ts";
import ticket from "./ticket.ts";

/** Who came to which talk. */
export default resource("visit", {
  path: "/api/visits/",
  record: true,
  fields: {
    id: identifier({ type: "uuid" }),
    talk: relation(talk, { read: "identifier" }),
    ticket: relation(ticket),
    at: created({ column: "came_at" }),
  },
});
