import { nullable, relation, resource, text } from "relata";
import biography from "./biography.ts";
import edition from "./edition.ts";
import person from "./person.ts";

/** Who came to which edition. */
export default resource("attendance", {
  path: "/api/attendances/",
  key: ["person", "edition"],
  fields: {
    person: relation(person, { read: "identifier" }),
    edition: relation(edition),
    guide: nullable(relation(biography)),
    role: text({ maximum: 40, default: "guest" }),
  },
  filter: ["role", "edition__city", "guide__person__name", "guide__line"],
  sort: ["role", "edition__city", "guide__line"],
});
