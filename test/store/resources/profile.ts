import { identifier, nullable, relation, resource, text, timestamp } from "relata";
import customer from "./customer.ts";

/** One for each customer: its column is unique. It goes with the customer. */
export default resource("profile", {
  path: "/api/profiles/",
  fields: {
    id: identifier(),
    customer: relation(customer),
    about: nullable(text({ example: "I listen to everything." })),
    seen: nullable(timestamp({ description: "When the customer was last here" })),
  },
  filter: ["seen", "customer__support"],
  sort: ["seen"],
});
