import { claim, identifier, relation, resource, role, text } from "relata";
import { dispatcher } from "../callers.ts";
import customer from "./customer.ts";

export default resource("site", {
  path: "/api/sites/",
  display: "name",
  access: {
    read: [
      dispatcher,
      role("customer", { customer: claim("customer") }),
      role(
        "technician",
        (sql, claim) =>
          sql`site.id in (select site_id from assignment where subject = ${claim("sub")})`,
      ),
    ],
    write: dispatcher,
  },
  fields: {
    id: identifier({ type: "uuid" }),
    name: text({ minimum: 1, maximum: 80, example: "Main building" }),
    address: text({ maximum: 200, example: "Storgata 1, Tromsø" }),
    customer: relation(customer),
  },
});
