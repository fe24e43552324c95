import { identifier, integer, relation, type Resource, resource } from "relata";
import part from "./part.ts";
import visit from "./visit.ts";

/** What was built in: a phone names it while it is offline. It is part of its visit, and at a path of its own, too. */
const usage: Resource = resource("usage", {
  path: "/api/usages/",
  fields: {
    id: identifier({ type: "uuid" }),
    visit: relation(() => visit, { read: "identifier" }),
    part: relation(part),
    quantity: integer({ minimum: 1, maximum: 1000, default: 1 }),
  },
});
export default usage;
