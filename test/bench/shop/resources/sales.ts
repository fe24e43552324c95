import { authenticated, decimal, integer, report } from "relata";

export default report("sales", {
  path: "/api/reports/sales/",
  access: authenticated(),
  summary: "The ten products that most was paid for, on a hundred invoices",
  parameters: {
    from: integer({ minimum: 1, description: "The first of the invoices" }),
  },
  fields: {
    product: integer(),
    quantity: integer(),
    total: decimal({ digits: 14, places: 2, example: "12.50" }),
  },
  rows: (sql, { from }) =>
    sql`
      select
        product_id as product,
        sum(quantity) as quantity,
        sum(quantity * price) as total
      from line
      where invoice_id >= ${from}
        and invoice_id < ${from} + 100
      group by product_id
      order by total desc, product_id
      limit 10`,
});
