import { action, boolean, created, decimal, integer, nullable, relation, text } from "relata";
import invoice from "./invoice.ts";

export default action("pay_invoice", {
  path: "/api/invoices/{invoice}/pay/",
  summary: "Note that an invoice was paid",
  input: { invoice: relation(invoice), note: nullable(text({ maximum: 200 })) },
  fields: {
    id: integer(),
    total: decimal({ digits: 12, places: 2, example: "12.50" }),
    paid: boolean(),
    note: nullable(text()),
    created: created(),
  },
  single: true,
  tables: ["invoice"],
  statement: (sql, { invoice, note }) =>
    sql`
      update invoice
      set
        paid = true,
        note = coalesce(${note}, note)
      where id = ${invoice}
        and not paid
      returning id, total, paid, note, created`,
});
