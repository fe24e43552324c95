import { authenticated, integer, report, text } from "relata";

export default report("used", {
  path: "/api/reports/used/",
  summary: "The parts that who asks has used",
  access: authenticated(),
  fields: { part: text(), quantity: integer() },
  rows: (sql, _, claim) =>
    sql`
      select
        part.name as part,
        sum(usage.quantity) as quantity
      from usage
      join part on part.code = usage.part_id
      join visit on visit.id = usage.visit_id
      join technician on technician.id = visit.technician_id
      where technician.subject = ${claim("sub")}
      group by part.code
      order by part.code`,
});
