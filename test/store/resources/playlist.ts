import { identifier, many, nullable, relation, resource, text } from "relata";
import customer from "./customer.ts";
import tag from "./tag.ts";
import track from "./track.ts";

export default resource("playlist", {
  path: "/api/playlists/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ maximum: 80, default: "", example: "For the road" }),
    owner: nullable(relation(customer, { read: "identifier" })),
    tracks: many(track, { through: "playlist_track", order: "position" }),
    tags: many(tag, { through: "playlist_tag", order: "place", read: "identifier" }),
  },
});
