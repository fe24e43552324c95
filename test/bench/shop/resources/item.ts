import { authenticated, decimal, identifier, many, resource, text } from "relata";
import tag from "./tag.ts";

export default resource("item", {
  path: "/api/items/",
  access: authenticated(),
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 64 }),
    price: decimal({ digits: 10, places: 2, example: "12.50" }),
    tags: many(tag, { through: "item_tag" }),
  },
  filter: ["price"],
  sort: ["name"],
});
