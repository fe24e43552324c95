import { date, decimal, integer, optional, report } from "relata";

export default report("sales", {
  path: "/api/reports/sales/",
  summary: "What was sold in each month",
  parameters: {
    from: date({ description: "The first day" }),
    to: optional(date({ description: "The last day" })),
  },
  fields: {
    month: date({ example: "2026-11-01" }),
    invoices: integer(),
    total: decimal({ digits: 14, places: 2 }),
  },
  rows: (sql, { from, to }) =>
    sql`
      select
        date_trunc('month', created)::date as month,
        count(*) as invoices,
        sum(total) as total
      from invoice
      where created >= ${from}
        and (${to} is null or created < ${to} + 1)
      group by month
      order by month`,
});
