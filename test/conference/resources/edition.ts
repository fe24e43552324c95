import { identifier, resource, text } from "relata";

/** Clients give the key: the year. */
export default resource("edition", {
  path: "/api/editions/",
  display: "city",
  fields: {
    year: identifier({ generated: false, column: "year", example: 2026 }),
    city: text({ maximum: 80, example: "Tromsø" }),
  },
});
