import type { Resource } from "relata";
import { authenticated, identifier, owned, resource, text } from "relata";
import line from "./line.ts";

const invoice: Resource = resource("invoice", {
  path: "/api/invoices/",
  access: authenticated(),
  display: "title",
  fields: {
    id: identifier(),
    title: text({ maximum: 64 }),
    lines: owned(() => line, { parent: "invoice", order: "place" }),
  },
});
export default invoice;
