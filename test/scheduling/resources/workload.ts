import { date, decimal, integer, report, text } from "relata";
import { dispatcher } from "../callers.ts";

export default report("workload", {
  path: "/api/reports/workload/",
  summary: "The visits and hours of each technician on a day",
  access: dispatcher,
  parameters: { day: date() },
  fields: { technician: text(), visits: integer(), hours: decimal({ digits: 6, places: 2 }) },
  rows: (sql, { day }) =>
    sql`
      select
        technician.name as technician,
        count(*) as visits,
        sum(extract(epoch from visit.ends - visit.starts)) / 3600 as hours
      from visit
      join technician on technician.id = visit.technician_id
      where visit.state <> 'cancelled'
        and visit.starts >= ${day}
        and visit.starts < ${day} + 1
      group by technician.id
      order by technician.name, technician.id`,
});
