import { array, identifier, many, nullable, relation, resource, text } from "relata";
import edition from "./edition.ts";
import person from "./person.ts";
import room from "./room.ts";

/** Clients may give the key, else the server does. */
export default resource("talk", {
  path: "/api/talks/",
  display: "title",
  fields: {
    id: identifier({ type: "uuid" }),
    title: text({ minimum: 1, maximum: 120, example: "Eple" }),
    topics: array(text({ maximum: 40, example: "folk" }), { maximum: 5, default: [] }),
    edition: relation(edition),
    room: nullable(relation(room, { read: "identifier" })),
    after: nullable(relation("self")),
    speakers: many(person, {
      through: "talk_speaker",
      from: "spoken",
      to: "speaker",
      order: "place",
    }),
    related: many("self", { through: "related_talk", from: "talk", to: "related" }),
  },
  filter: ["edition__city", "room__seats", "after__room"],
  sort: ["edition__city", "room__seats"],
});
