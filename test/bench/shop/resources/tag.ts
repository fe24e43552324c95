import { authenticated, identifier, resource, text } from "relata";

export default resource("tag", {
  path: "/api/tags/",
  access: authenticated(),
  display: "name",
  fields: { id: identifier(), name: text({ maximum: 64 }) },
});
