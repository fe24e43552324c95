import { claim, created, identifier, inherit, nullable, readonly } from "relata";
import { relation, resource, role, text } from "relata";
import { dispatcher } from "../callers.ts";
import job from "./job.ts";

/** Who reads a job reads its notes; who wrote one changes it. */
export default resource("note", {
  path: "/api/notes/",
  access: {
    read: inherit("job"),
    create: [dispatcher, role("technician")],
    write: [dispatcher, role("technician", { author: claim("sub") })],
  },
  fields: {
    id: identifier({ type: "uuid" }),
    job: relation(job, { read: "identifier" }),
    text: text({ minimum: 1, maximum: 4000, example: "The key is next door." }),
    author: readonly(nullable(text({ default: claim("sub") }))),
    at: created(),
  },
});
