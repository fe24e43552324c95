import { identifier, resource, text } from "relata";

export default resource("product", {
  path: "/api/products/",
  display: "name",
  fields: { id: identifier(), name: text({ maximum: 64 }) },
});
