import { authenticated, identifier, resource, text } from "relata";

export default resource("product", {
  path: "/api/products/",
  access: authenticated(),
  display: "name",
  fields: { id: identifier(), name: text({ maximum: 64 }) },
});
