import {
  boolean,
  created,
  decimal,
  deprecated,
  identifier,
  nullable,
  relation,
  resource,
  text,
} from "relata";
import customer from "./customer.ts";

export default resource("invoice", {
  path: "/api/invoices/",
  record: true,
  description: "What a customer was asked to pay; it never changes, but for being paid",
  fields: {
    id: identifier(),
    customer: relation(customer),
    total: decimal({ digits: 12, places: 2, example: "12.50" }),
    rate: decimal({ digits: 4, places: 4, default: "0.2500" }),
    paid: boolean({ default: false }),
    note: deprecated(nullable(text({ maximum: 200 })), {
      since: "2026-11-21",
      link: "https://store.example/notes",
    }),
    created: created(),
  },
  filter: ["total", "paid", "created"],
  sort: ["total"],
});
