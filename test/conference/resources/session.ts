import { choice, date, nullable, relation, resource, text } from "relata";
import biography from "./biography.ts";
import talk from "./talk.ts";

/** What is on in a hall, by its name, on each half of a day. */
export default resource("session", {
  path: "/api/sessions/",
  key: ["hall", "on", "half"],
  fields: {
    hall: text({ maximum: 20, example: "North, upstairs" }),
    on: date({ column: "day", example: "2026-11-21" }),
    half: choice(["morning", "afternoon"]),
    talk: nullable(relation(talk, { read: "identifier" })),
    host: nullable(relation(biography, { read: "identifier" })),
  },
  filter: ["hall", "on", "half"],
  sort: ["on"],
});
