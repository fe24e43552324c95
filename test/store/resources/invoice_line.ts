import { decimal, identifier, integer, readonly, relation, resource } from "relata";
import invoice from "./invoice.ts";
import track from "./track.ts";

/** Each track is on an invoice once, and in a quantity that the database limits. */
export default resource("invoice_line", {
  path: "/api/invoice-lines/",
  fields: {
    id: identifier(),
    invoice: relation(invoice, { read: "identifier" }),
    track: relation(track, { read: "identifier" }),
    quantity: integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
    price: decimal({ digits: 6, places: 0, example: "2" }),
    amount: readonly(decimal({ digits: 20, places: 0, example: "2" })),
  },
  filter: ["amount"],
  sort: ["amount"],
});
