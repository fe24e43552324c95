import { array, authenticated, boolean, claim, identifier, resource, text } from "relata";

const mine = authenticated({ owner: claim("sub") });
const shared = authenticated({ shared: true });

export default resource("task", {
  path: "/api/tasks/",
  display: "title",
  history: true,
  access: [mine, shared],
  fields: {
    id: identifier({ type: "uuid" }),
    title: text({ maximum: 100 }),
    marks: array(text(), { default: [] }),
    shared: boolean({ default: false }),
    owner: text({ default: claim("sub") }),
  },
});
