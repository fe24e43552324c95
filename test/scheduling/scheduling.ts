// The third API of the tests, field service: callers with rows of their own, customers in a table of another team, and
// triggers that write.
import { type Project, readProject, readScript } from "../projects.ts";

const project = await readProject(new URL(".", import.meta.url), "scheduling");

/** The customers of the other team. The first has the example of every UUID. */
export const [FIRM, OTHER_FIRM] = [
  "01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7e",
  "01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7f",
];

const id = FIRM;

export const scheduling: Project = {
  ...project,
  up: readScript(project.path, "crm") + project.up,
  rows: {
    "/api/skills/": [{ name: "Pipes" }],
    "/api/technicians/": [{ name: "Ann", subject: "zoe", skills: [1] }],
    "/api/sites/": [{ id, name: "Main building", address: "Storgata 1", customer: id }],
    "/api/jobs/": [{ id, title: "The heat pump is noisy", site: id, needs: [1] }],
    "/api/parts/": [{ code: "HP-7", name: "Fan", price: "99.50" }],
    "/api/visits/": [
      {
        id,
        job: id,
        technician: 1,
        starts: "2026-12-02T08:00:00Z",
        ends: "2026-12-02T10:00:00Z",
      },
    ],
  },
  rules: {},
};
