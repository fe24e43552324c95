import { date, identifier, nullable, relation, type Resource, resource, text } from "relata";
import employee from "./employee.ts";

/** A shop has a manager, who works in a shop: one of the two is read as the identifier. */
const shop: Resource = resource("shop", {
  path: "/api/shops/",
  display: "city",
  fields: {
    id: identifier(),
    city: text({ minimum: 1, maximum: 80, example: "Tromsø" }),
    opened: date({ default: "2001-01-01" }),
    manager: nullable(relation(() => employee, { read: "identifier" })),
  },
});

export default shop;
