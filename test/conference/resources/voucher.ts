import { identifier, integer, resource } from "relata";

/** Clients may give the key, else the database does. */
export default resource("voucher", {
  path: "/api/vouchers/",
  fields: {
    code: identifier({ type: "text", default: "database", column: "code", example: "XMAS-7" }),
    percent: integer({ minimum: 1, maximum: 100, default: 100, unit: "%" }),
  },
});
