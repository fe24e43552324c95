import { boolean, identifier, nullable, resource, text } from "relata";

export default resource("artist", {
  path: "/api/artists/",
  description: "A person or a band that makes music",
  display: "name",
  fields: {
    id: identifier({ description: "What albums refer to" }),
    name: text({ minimum: 1, maximum: 120, example: "Röyksopp" }),
    country: nullable(text({
      pattern: "^[A-Z]{2}$",
      column: "country_code",
      description: "The country by ISO 3166-1, in two letters",
      example: "NO",
    })),
    active: boolean({ default: true, description: "Whether it still makes music" }),
  },
});
