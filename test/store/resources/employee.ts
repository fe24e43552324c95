import {
  choice,
  date,
  identifier,
  nullable,
  relation,
  type Resource,
  resource,
  text,
} from "relata";
import shop from "./shop.ts";

const employee: Resource = resource("employee", {
  path: "/api/employees/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ minimum: 1, maximum: 80, example: "Kari Berge" }),
    role: nullable(choice(["buyer", "clerk", "driver"], { default: "clerk" })),
    hired: date(),
    shop: relation(() => shop, { default: 1, description: "The first shop, if none is sent" }),
    manager: nullable(relation("self", { column: "boss_id" })),
  },
  filter: ["hired", "role", "manager__name"],
  sort: ["hired", "manager"],
});

export default employee;
