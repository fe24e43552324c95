// What a write to rows that others own, at a path of their own, needs of the tables of these: it touches what owns them.
import type { Resource } from "../../model/model.ts";
import { writesOf } from "../../model/resource.ts";
import { keyColumnOf } from "../../model/table.ts";
import { ownersOf } from "../../statements/owner.ts";
import type { Catalogue } from "../catalogue.ts";
import { differs, type Finding } from "./finding.ts";

/** Names the triggers that undo the touch, because it changes no value. */
export function compareTouched(resource: Resource, catalogue: Catalogue): Finding[] {
  if (writesOf(resource).length === 0) return [];
  return ownersOf(resource).flatMap(({ resource: owner }) => {
    const { name, suppressing } = catalogue.get(owner.table)!;
    const key = keyColumnOf(owner);
    return suppressing.filter(({ columns }) => columns.length === 0 || columns.includes(key))
      .map((trigger) =>
        differs(
          `The trigger "${trigger.name}" of "${name}" may keep writes of a whole ${owner.name} from ` +
            `seeing those of a single ${resource.name}: let it run before update of the columns but ` +
            `"${key}"`,
        )
      );
  });
}
