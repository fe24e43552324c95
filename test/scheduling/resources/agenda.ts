import {
  changes,
  choice,
  followChanges,
  identifier,
  list,
  merge,
  read,
  relation,
  resource,
  timestamp,
} from "relata";
import { dispatcher, ownTechnician } from "../callers.ts";
import job from "./job.ts";
import technician from "./technician.ts";

/** The visits for a phone: their tags do not change when that of the job does. */
export default resource("agenda", {
  table: "visit",
  history: true,
  access: {
    read: [dispatcher, ownTechnician],
    update: [dispatcher, ownTechnician],
    history: dispatcher,
  },
  fields: {
    id: identifier({ type: "uuid" }),
    job: relation(job, { read: "identifier" }),
    technician: relation(technician, { read: "identifier" }),
    starts: timestamp({ example: "2026-12-01T08:00:00Z" }),
    ends: timestamp({ example: "2026-12-01T10:00:00Z" }),
    state: choice(["planned", "working", "done", "cancelled"], { default: "planned" }),
  },
  routes: {
    "/api/agenda/": [list()],
    "/api/agenda/{id}/": [read, merge],
    "/api/agenda/changes/": [followChanges],
    "/api/agenda/{id}/changes/": [changes],
  },
});
