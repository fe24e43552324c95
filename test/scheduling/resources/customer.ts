import { claim, identifier, json, list, nullable, read, resource, role, text } from "relata";
import { dispatcher } from "../callers.ts";

/** The table of another team: it is only read. */
export default resource("customer", {
  table: "crm.customers",
  display: "name",
  access: {
    read: [
      dispatcher,
      role("customer", { id: claim("customer") }),
      role(
        "technician",
        (sql, claim) =>
          sql`customer.id in (select customer_id from assignment where subject = ${claim("sub")})`,
      ),
    ],
  },
  fields: {
    id: identifier({ type: "uuid" }),
    name: text({ example: "Fjord Hotel" }),
    email: nullable(text()),
    attributes: json({ only: "object", example: { plan: "gold" } }),
  },
  routes: {
    "/api/customers/": [list()],
    "/api/customers/{id}/": [read],
  },
});
