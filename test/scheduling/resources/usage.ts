import { identifier, inherit, integer, relation, resource } from "relata";
import part from "./part.ts";
import visit from "./visit.ts";

/** What was built in: a phone names it while it is offline. */
export default resource("usage", {
  path: "/api/usages/",
  access: inherit("visit"),
  fields: {
    id: identifier({ type: "uuid" }),
    visit: relation(visit, { read: "identifier" }),
    part: relation(part),
    quantity: integer({ minimum: 1, maximum: 1000, default: 1 }),
  },
});
