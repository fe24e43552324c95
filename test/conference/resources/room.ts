import { identifier, integer, nullable, resource, text } from "relata";

/** Clients give the key: what is written above the door. */
export default resource("room", {
  path: "/api/rooms/",
  display: "name",
  fields: {
    code: identifier({
      type: "text",
      column: "code",
      pattern: "^[A-Z]/[0-9]{1,2}$",
      example: "A/1",
    }),
    name: nullable(text({ maximum: 40, example: "Great hall" })),
    seats: integer({ minimum: 1, maximum: 10_000, default: 50 }),
  },
  filter: ["seats"],
  sort: ["seats"],
});
