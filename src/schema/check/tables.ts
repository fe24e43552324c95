// The tables of a resource and those of an action, as their declarations want them.
import { keeperOf } from "../../model/history.ts";
import { linksOf } from "../../model/links.ts";
import type { Action, Resource } from "../../model/model.ts";
import { storedIn } from "../../model/resource.ts";
import { epochTable } from "../../statements/follow.ts";
import { changesTable, forgottenTable } from "../../statements/history.ts";
import { isFollowed } from "../functions.ts";
import { levelsOf, ownerColumns } from "../levels.ts";
import type { Wanted } from "../privileges.ts";

/** The table of a resource, those of the rows that it owns, those of links, and those of a history, with the columns that
 * requests read. */
export function tablesOf(resource: Resource): Wanted[] {
  const ofLevels = levelsOf(resource).flatMap((level) => {
    const { table, fields } = level.resource;
    const columns = [...storedIn(fields).map(({ column }) => column), ...ownerColumns(level)];
    return [
      { name: table, columns },
      ...isFollowed(level.resource) ? [epochTable] : [],
      ...linksOf(level.resource).map(({ table, from, to, order }) => ({
        name: table,
        columns: [from, to, ...order === undefined ? [] : [order]],
      })),
    ];
  });
  return [...ofLevels, ...keeperOf(resource) ? [changesTable, forgottenTable] : []];
}

/** The tables that an action names. */
export function tablesWritten({ tables }: Action): Wanted[] {
  return tables.map((name) => ({ name, columns: [], isOnlyWritten: true }));
}
