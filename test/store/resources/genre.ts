import { boolean, identifier, nullable, relation, resource, text } from "relata";

export default resource("genre", {
  path: "/api/genres/",
  description: "A kind of music; one may be a part of another",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 60, example: "Ambient" }),
    parent: nullable(relation("self")),
    active: boolean({ default: true, description: "Whether tracks may still be given this genre" }),
  },
});
