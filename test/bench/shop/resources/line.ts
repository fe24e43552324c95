import type { Resource } from "relata";
import { decimal, identifier, integer, relation, resource } from "relata";
import invoice from "./invoice.ts";
import product from "./product.ts";

const line: Resource = resource("line", {
  fields: {
    id: identifier(),
    invoice: relation(() => invoice),
    product: relation(product),
    quantity: integer({ minimum: 1 }),
    price: decimal({ digits: 10, places: 2, example: "12.50" }),
  },
});
export default line;
