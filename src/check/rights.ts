// What the role that serves may write.
import type { Catalogue } from "../db/catalogue.ts";
import { GRANTS } from "../db/visibility.ts";
import type { Resource } from "../model/model.ts";
import { rightsOn } from "../statements/grants.ts";
import { fails, type Finding } from "./finding.ts";

/** Compares what the routes of a resource write with what the role may write. */
export function compareRights(resource: Resource, catalogue: Catalogue): Finding[] {
  return rightsOn(resource).flatMap(([table, needed]) => {
    const { found, rights } = catalogue.get(table)!;
    // A right may be for one column: `update (id)`
    const missing = needed.map((right) => right.split(" ")[0]!)
      .filter((right) => !rights.includes(right));
    if (!found || missing.length === 0) return [];
    return [
      fails(`The role of DATABASE_URL may not ${missing.join(" and ")} in "${table}": ${GRANTS}`),
    ];
  });
}
