import {
  boolean,
  decimal,
  identifier,
  integer,
  many,
  nullable,
  number,
  relation,
  resource,
  text,
} from "relata";
import album from "./album.ts";
import genre from "./genre.ts";
import tag from "./tag.ts";

export default resource("track", {
  path: "/api/tracks/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ minimum: 1, maximum: 200, example: "Eple" }),
    album: relation(album),
    composer: nullable(text({ maximum: 200, example: "Svein Berge" })),
    isrc: nullable(text({
      pattern: "^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$",
      description: "The International Standard Recording Code",
      example: "NOBLA0100010",
    })),
    milliseconds: integer({ minimum: 1, maximum: 86_400_000, example: 215_000 }),
    price: decimal({ digits: 10, places: 2, default: "0.99" }),
    rating: number({ minimum: 0, maximum: 5, default: 0, description: "The mean of its reviews" }),
    gain: nullable(number({ description: "Decibels to be played louder", example: -6.5 })),
    explicit: boolean({ default: false }),
    tags: many(tag, { through: "track_tag" }),
    genres: many(genre, {
      through: "track_genre",
      where: (sql) => sql`genre.active`,
      description: "Its genres, of those that are active",
    }),
  },
  filter: [
    ...["price", "milliseconds", "rating", "gain", "explicit", "composer"],
    ...["album__artist", "album__label", "album__released"],
  ],
  sort: ["milliseconds", "price", "gain", "composer", "album__title", "album__released"],
});
