import { action, integer, json, relation, text, uuid } from "relata";
import { dispatcher } from "../callers.ts";
import site from "./site.ts";

/** A job with its visits and what they need, in one request. Visits have access of their own, so no job owns them. */
export default action("plan_job", {
  path: "/api/jobs/plan/",
  summary: "Plan a job with its visits, and what is built in on each",
  access: dispatcher,
  input: {
    job: uuid(),
    title: text({ minimum: 1, maximum: 120, example: "The heat pump is noisy" }),
    site: relation(site),
    visits: json({
      only: "array",
      example: [{
        id: "01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d80",
        technician: 1,
        starts: "2026-12-03T08:00:00Z",
        ends: "2026-12-03T10:00:00Z",
        parts: [{ part: "HP-7", quantity: 1 }],
      }],
    }),
  },
  fields: { visits: integer() },
  single: true,
  tables: ["job", "visit", "usage"],
  statement: (sql, { job, title, site, visits }) =>
    sql`
      with made as (
        insert into job (id, title, site_id, state)
        values (${job}, ${title}, ${site}, 'open')
        returning id
      ),
      sent as (
        select *
        from jsonb_to_recordset(${visits})
          as sent (id uuid, technician bigint, starts timestamptz, ends timestamptz, parts jsonb)
      ),
      planned as (
        insert into visit (id, job_id, technician_id, starts, ends, state)
        select
          sent.id,
          made.id,
          technician,
          starts,
          ends,
          'planned'
        from sent
        cross join made
        returning id
      ),
      needed as (
        insert into usage (visit_id, part_id, quantity)
        select
          sent.id,
          part,
          coalesce(quantity, 1)
        from sent
        cross join jsonb_to_recordset(coalesce(parts, '[]')) as needed (part text, quantity integer)
      )
      select count(*) as visits
      from planned`,
});
