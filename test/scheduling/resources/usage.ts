import { integer, relation, type Resource, resource } from "relata";
import part from "./part.ts";
import visit from "./visit.ts";

/** What was built in on a visit, each part once: it is part of its visit. */
const usage: Resource = resource("usage", {
  fields: {
    visit: relation(() => visit),
    part: relation(part),
    quantity: integer({ minimum: 1, maximum: 1000, default: 1 }),
  },
  key: ["visit", "part"],
});
export default usage;
