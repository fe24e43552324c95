import { identifier, resource, text } from "relata";

export default resource("author", {
  path: "/api/authors/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 100 }),
  },
});
