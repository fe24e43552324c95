// What the catalogue cannot tell: which rows a trigger or a policy leaves out.
import type { Table } from "../db/catalogue.ts";
import { named } from "../db/seen.ts";
import { differs, type Finding } from "./finding.ts";

/** Names the triggers and policies of a table that may leave rows out. */
export function compareRules({ name, triggers, policies }: Table): Finding[] {
  return [
    ...triggers.filter(({ source }) => source === null || mayMislead(source)).map((trigger) =>
      differs(
        `The trigger "${trigger.name}" runs before rows of "${name}" are written: see that it ` +
          "changes no identifier; a row that it leaves out is refused",
      )
    ),
    ...policies === null ? [] : [
      differs(
        `The table "${name}" has row security${
          policies.length === 0 ? " without a policy" : ` by ${named(policies)}`
        }: see which rows it shows to the role that serves; a row that it leaves out is refused`,
      ),
    ],
  ];
}

/** Whether a function of PL/pgSQL may return no row, or another identifier. Most return the row that they
 * got, and set a column of it. */
function mayMislead(source: string): boolean {
  return /\breturn\s+null\b|\bnew\s*\.\s*"?id"?\s*:?=|\bnew\s*:?=|\binto\s+(strict\s+)?new\b/i
    .test(source);
}
