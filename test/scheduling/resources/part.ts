import { decimal, identifier, resource, role, text } from "relata";
import { dispatcher } from "../callers.ts";

export default resource("part", {
  path: "/api/parts/",
  display: "name",
  access: { read: [dispatcher, role("technician")], write: dispatcher },
  fields: {
    code: identifier({ type: "text", column: "code", maximum: 20, example: "HP-7" }),
    name: text({ minimum: 1, maximum: 80, example: "Fan" }),
    price: decimal({ digits: 8, places: 2, example: "99.50" }),
  },
});
