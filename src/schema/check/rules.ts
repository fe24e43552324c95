// What else acts on the writes to a table: rules, which make them fail, and triggers and policies, which may
// leave rows out, or write where the role may not. The catalogue cannot tell which do.
import type { CheckConstraint, Table } from "../catalogue.ts";
import { quotedNames } from "../privileges.ts";
import { mayMislead } from "../trigger.ts";
import { differs, fails, type Finding } from "./finding.ts";

/** Names the rules of a table that these events meet, and the triggers and policies that may leave rows out,
 * or make writes fail. */
export function compareRules(
  { name, rules, triggers, denied, policies }: Table,
  events: CheckConstraint["event"][],
): Finding[] {
  if (events.length === 0) return [];
  return [
    ...rules.filter(({ event }) => events.includes(event)).map((rule) =>
      fails(
        `The rule "${rule.name}" on ${rule.event} of "${name}" makes writes fail: let a trigger do ` +
          "what it does",
      )
    ),
    ...triggers.filter(mayMislead).map((trigger) =>
      differs(
        `The trigger "${trigger.name}" runs before rows of "${name}" are written: see that it ` +
          "changes no identifier; a row that it leaves out is refused",
      )
    ),
    ...denied.map(([trigger, right, other]) =>
      differs(
        `The trigger "${trigger}" of "${name}" may ${right} in "${other}", where the role of DATABASE_URL ` +
          "may not: make its function security definer",
      )
    ),
    ...policies === null ? [] : [
      differs(
        `The table "${name}" has row security${
          policies.length === 0 ? " without a policy" : ` by ${quotedNames(policies)}`
        }: see which rows it shows to the role that serves; a row that it leaves out is refused`,
      ),
    ],
  ];
}
