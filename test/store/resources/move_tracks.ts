import { action, array, integer, relation, text } from "relata";
import album from "./album.ts";

export default action("move_tracks", {
  path: "/api/albums/{album}/move-tracks/",
  summary: "Move tracks to an album",
  input: { album: relation(album), tracks: array(integer(), { minimum: 1, maximum: 100 }) },
  fields: { id: integer(), name: text() },
  tables: ["track"],
  statement: (sql, { album, tracks }) =>
    sql`
      update track
      set album_id = ${album}
      where id = any(${tracks})
      returning id, name`,
});
