import { identifier, json, many, resource, text } from "relata";

/** Clients give the key: the name to sign in with. */
export default resource("person", {
  path: "/api/people/",
  display: "name",
  fields: {
    login: identifier({ type: "text", column: "login", maximum: 20, example: "svein b" }),
    name: text({ maximum: 80, default: "", example: "Svein Berge" }),
    contact: json({ only: "object", default: {}, example: { phone: "+47 77 60 00 00" } }),
    follows: many("self", { through: "follow", from: "fan", to: "idol", read: "identifier" }),
  },
});
