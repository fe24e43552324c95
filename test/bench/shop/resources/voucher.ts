import { authenticated, identifier, resource, text } from "relata";

export default resource("voucher", {
  path: "/api/vouchers/",
  access: authenticated(),
  fields: { id: identifier({ type: "uuid" }), title: text({ maximum: 64 }) },
});
