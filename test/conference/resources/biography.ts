import { relation, resource, text } from "relata";
import person from "./person.ts";

/** One for each person at most, who is its key. */
export default resource("biography", {
  path: "/api/biographies/",
  key: ["person"],
  display: "line",
  fields: {
    person: relation(person),
    line: text({ maximum: 200, default: "", example: "Made Eple" }),
  },
  filter: ["person__name"],
  sort: ["person__name"],
});
