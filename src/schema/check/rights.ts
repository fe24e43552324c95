// What the role that serves may write.
import type { Action, Resource } from "../../model/model.ts";
import { isGivenByPostgres, keyColumnOf } from "../../model/table.ts";
import type { Catalogue } from "../catalogue.ts";
import { rightsOn } from "../grants.ts";
import { levelsOf, type RowLevel } from "../levels.ts";
import { GRANTS } from "../privileges.ts";
import { differs, fails, type Finding } from "./finding.ts";

/** Compares what the routes of a resource write with what the role may write. */
export function compareRights(resource: Resource, catalogue: Catalogue): Finding[] {
  const ofTables = rightsOn(resource).flatMap(([table, needed]) => {
    const { found, rights } = catalogue.get(table)!;
    // A right may be for one column: `update (id)`
    const missing = needed.map((right) => right.split(" ")[0]!)
      .filter((right) => !rights.includes(right));
    if (!found || missing.length === 0) return [];
    return [
      fails(`The role of DATABASE_URL may not ${missing.join(" and ")} in "${table}": ${GRANTS}`),
    ];
  });
  return [
    ...ofTables,
    ...levelsOf(resource).flatMap((level) => compareSequence(level, catalogue)),
  ];
}

/** Finds the tables that an action names and the role may not write at all: which writes it takes, only its SQL tells. */
export function compareActionRights({ tables }: Action, catalogue: Catalogue): Finding[] {
  return tables.map((table) => catalogue.get(table)!)
    .filter(({ found, rights }) => found && rights.length === 0)
    .map(({ name }) => fails(`The role of DATABASE_URL may not write "${name}": ${GRANTS}`));
}

/** Compares the right to set the sequence of the identifiers, as a create does when it is behind. */
function compareSequence({ resource, writes }: RowLevel, catalogue: Catalogue): Finding[] {
  const { name, columns } = catalogue.get(resource.table)!;
  const isGiven = isGivenByPostgres(resource) && writes.includes("insert");
  if (!isGiven || columns[keyColumnOf(resource)]?.setsSequence !== false) return [];
  return [
    differs(
      `The role of DATABASE_URL may not set the sequence of "${name}" when it is behind: ${GRANTS}`,
    ),
  ];
}
