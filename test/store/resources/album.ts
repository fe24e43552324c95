import {
  choice,
  created,
  date,
  identifier,
  nullable,
  readonly,
  relation,
  resource,
  text,
} from "relata";
import artist from "./artist.ts";
import label from "./label.ts";

export default resource("album", {
  path: "/api/albums/",
  display: "title",
  fields: {
    id: identifier(),
    title: text({ minimum: 1, maximum: 160, example: "Melody A.M." }),
    artist: relation(artist),
    label: nullable(relation(label)),
    format: choice(["LP", "EP", "single"], { default: "LP" }),
    released: nullable(date({ example: "2001-09-03" })),
    heading: readonly(text({ description: "The title in capitals", example: "MELODY A.M." })),
    added: created({ column: "created_at" }),
  },
  filter: ["released", "format", "heading", "artist__country", "artist__active"],
  sort: ["released", "artist__name", "label__name"],
});
