import {
  choice,
  claim,
  identifier,
  owned,
  relation,
  type Resource,
  resource,
  role,
  timestamp,
} from "relata";
import { dispatcher, ownTechnician } from "../callers.ts";
import job from "./job.ts";
import technician from "./technician.ts";
import usage from "./usage.ts";

/** Technicians are sent to visits; they say how far they are. */
const visit: Resource = resource("visit", {
  path: "/api/visits/",
  history: true,
  access: {
    read: [dispatcher, ownTechnician, role("customer", { job__site__customer: claim("customer") })],
    write: dispatcher,
    update: [dispatcher, ownTechnician],
    history: dispatcher,
  },
  fields: {
    id: identifier({ type: "uuid" }),
    job: relation(job),
    technician: relation(technician),
    starts: timestamp({ example: "2026-12-01T08:00:00Z" }),
    ends: timestamp({ example: "2026-12-01T10:00:00Z" }),
    state: choice(["planned", "working", "done", "cancelled"], { default: "planned" }),
    parts: owned(() => usage, { parent: "visit" }),
  },
  filter: ["starts", "state", "job__title", "technician__name", "parts__part"],
  sort: ["starts", "technician__name"],
});
export default visit;
