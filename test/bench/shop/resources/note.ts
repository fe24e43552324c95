import { authenticated, claim, identifier, readonly, resource, text } from "relata";

export default resource("note", {
  path: "/api/notes/",
  access: authenticated({ owner: claim("sub") }),
  fields: {
    id: identifier(),
    title: text({ maximum: 64 }),
    owner: readonly(text({ default: claim("sub") })),
  },
});
