import {
  array,
  bytes,
  identifier,
  json,
  nullable,
  pgType,
  relation,
  resource,
  text,
  time,
  timestamp,
  uuid,
} from "relata";
import customer from "./customer.ts";

/** One for each customer: its column is unique. It goes with the customer. */
export default resource("profile", {
  path: "/api/profiles/",
  fields: {
    id: identifier(),
    customer: relation(customer),
    about: nullable(text({ example: "I listen to everything." })),
    seen: nullable(timestamp({ description: "When the customer was last here" })),
    settings: json({ only: "object", maximum: 10_000, default: {}, example: { theme: "dark" } }),
    interests: array(text({ maximum: 40, example: "jazz" }), { maximum: 20, default: [] }),
    device: nullable(uuid({ description: "Where the customer was last here" })),
    wakes: nullable(time({ description: "When to write to the customer" })),
    portrait: nullable(bytes({ maximum: 1000 })),
    address: nullable(pgType("inet", { example: "10.0.0.1" })),
  },
  filter: ["seen", "settings", "interests", "wakes", "portrait", "customer__support"],
  sort: ["seen", "wakes"],
});
