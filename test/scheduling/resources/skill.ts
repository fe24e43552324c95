import { anyone, identifier, resource, text } from "relata";
import { dispatcher } from "../callers.ts";

/** What the firm can do, also for its website. */
export default resource("skill", {
  path: "/api/skills/",
  display: "name",
  access: { read: anyone(), write: dispatcher },
  fields: {
    id: identifier(),
    name: text({ minimum: 1, maximum: 40, example: "Heat pumps" }),
  },
});
