import {
  choices,
  create,
  follow,
  identifier,
  integer,
  last,
  list,
  merge,
  nullable,
  read,
  relation,
  remove,
  resource,
  text,
  timestamp,
} from "relata";
import customer from "./customer.ts";
import track from "./track.ts";

/** It goes with its track, and stays when its customer goes. */
export default resource("review", {
  fields: {
    id: identifier(),
    track: relation(track, { read: "identifier" }),
    customer: nullable(relation(customer)),
    stars: integer({ minimum: 1, maximum: 5, example: 4 }),
    opinion: text({ example: "Grows with every listen." }),
    written: timestamp({ default: "2026-01-01T00:00:00Z" }),
  },
  routes: {
    "/api/reviews/": [list({ sort: "-id" }), create, follow],
    "/api/reviews/last/": [last],
    "/api/reviews/{id}/": [read, merge, remove],
    "/api/reviews/choices/track/": [choices("track")],
    "/api/reviews/choices/customer/": [choices("customer")],
  },
  filter: ["stars", "written", "track__album__artist"],
  sort: ["stars", "written"],
});
