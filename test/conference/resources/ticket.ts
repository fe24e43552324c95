import { decimal, identifier, nullable, relation, resource } from "relata";
import edition from "./edition.ts";
import person from "./person.ts";
import voucher from "./voucher.ts";

/** Clients may give the key, else the database does. A voucher is for one ticket. */
export default resource("ticket", {
  path: "/api/tickets/",
  fields: {
    id: identifier({ type: "uuid", default: "database" }),
    price: decimal({ default: "0", example: "99.50" }),
    edition: relation(edition, { read: "identifier" }),
    holder: nullable(relation(person, { column: "holder" })),
    voucher: nullable(relation(voucher)),
  },
});
