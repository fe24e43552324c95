import { identifier, integer, nullable, resource, text } from "../../house.ts";

export const label = resource("label", {
  path: "/api/labels/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 120, example: "Wall of Sound" }),
    founded: nullable(integer({
      minimum: 1850,
      maximum: 2100,
      description: "The year in which it was founded",
      example: 1993,
    })),
  },
});
