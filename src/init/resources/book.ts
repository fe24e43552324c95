import { date, identifier, nullable, relation, resource, text } from "relata";
import author from "./author.ts";

export default resource("book", {
  path: "/api/books/",
  display: "title",
  fields: {
    id: identifier(),
    title: text({ maximum: 200 }),
    author: relation(author), // written as an identifier, read as the whole author
    published: nullable(date()),
  },
  filter: ["published"],
  sort: ["published"],
});
