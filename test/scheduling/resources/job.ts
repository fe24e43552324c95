import { choice, claim, identifier, many, relation, resource, role, text } from "relata";
import { dispatcher } from "../callers.ts";
import site from "./site.ts";
import skill from "./skill.ts";

export default resource("job", {
  path: "/api/jobs/",
  display: "title",
  history: true,
  access: {
    read: [
      dispatcher,
      role("customer", { site__customer: claim("customer") }),
      role(
        "technician",
        (sql, claim) =>
          sql`job.id in (select job_id from assignment where subject = ${claim("sub")})`,
      ),
    ],
    write: dispatcher,
    history: dispatcher,
  },
  fields: {
    id: identifier({ type: "uuid" }),
    title: text({ minimum: 1, maximum: 120, example: "The heat pump is noisy" }),
    site: relation(site),
    state: choice(["open", "done"], { default: "open" }),
    needs: many(skill, { through: "job_skill" }),
  },
  filter: ["state", "site__customer"],
});
