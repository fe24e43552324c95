import { identifier, integer, nullable, resource, text } from "relata";

export default resource("label", {
  path: "/api/labels/",
  table: "record_label",
  display: "name",
  fields: {
    id: identifier(),
    name: nullable(text({ maximum: 120, example: "Wall of Sound" })),
    founded: nullable(integer({
      minimum: 1850,
      maximum: 2100,
      description: "The year in which it was founded",
      example: 1993,
    })),
  },
});
