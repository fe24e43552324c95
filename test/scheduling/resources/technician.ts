import { claim, identifier, many, nullable, resource, role, text } from "relata";
import { dispatcher } from "../callers.ts";
import skill from "./skill.ts";

export default resource("technician", {
  path: "/api/technicians/",
  display: "name",
  access: {
    read: [dispatcher, role("technician", { subject: claim("sub") })],
    write: dispatcher,
  },
  fields: {
    id: identifier(),
    name: text({ minimum: 1, maximum: 80, example: "Ann Berg" }),
    subject: text({ maximum: 255, description: "Who signs in", example: "ann" }),
    phone: nullable(text({ maximum: 30 })),
    skills: many(skill, { through: "technician_skill" }),
  },
  filter: ["subject"],
});
