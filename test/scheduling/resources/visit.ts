import { choice, claim, identifier, relation, resource, role, timestamp } from "relata";
import { dispatcher, ownTechnician } from "../callers.ts";
import job from "./job.ts";
import technician from "./technician.ts";

/** Technicians are sent to visits; they say how far they are. */
export default resource("visit", {
  path: "/api/visits/",
  access: {
    read: [dispatcher, ownTechnician, role("customer", { job__site__customer: claim("customer") })],
    write: dispatcher,
    update: [dispatcher, ownTechnician],
  },
  fields: {
    id: identifier({ type: "uuid" }),
    job: relation(job),
    technician: relation(technician),
    starts: timestamp({ example: "2026-12-01T08:00:00Z" }),
    ends: timestamp({ example: "2026-12-01T10:00:00Z" }),
    state: choice(["planned", "working", "done", "cancelled"], { default: "planned" }),
  },
  filter: ["starts", "state", "job__title", "technician__name"],
  sort: ["starts", "technician__name"],
});
