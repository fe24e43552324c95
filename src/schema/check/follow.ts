// What a table needs so that its records can be followed. Without it, the stream of the resource is refused, and
// all other requests work.
import { keysOfParts } from "../../model/key.ts";
import type { Resource } from "../../model/model.ts";
import { has } from "../../model/resource.ts";
import { keyColumnsOf } from "../../model/table.ts";
import { placeColumns } from "../../statements/follow.ts";
import type { Table } from "../catalogue.ts";
import { differs, type Finding } from "./finding.ts";
import { lacksIndex, serves } from "./indexes.ts";

export function compareFollowed(resource: Resource, table: Table): Finding[] {
  if (!has(resource, "follow") || !table.keepsRows) return [];
  const missing = Object.entries(placeColumns).flatMap(([column, { type, expression }]) => {
    const found = table.columns[column];
    if (found?.type === type && found.isNotNull && found.isFilled) return [];
    return [`${column} ${type} not null default ${expression}`];
  });
  if (missing.length > 0) {
    return [
      differs(
        `Nobody can follow ${resource.name}: its table "${table.name}" needs the ` +
          `${missing.length > 1 ? "columns" : "column"} ${missing.join(", and ")}`,
      ),
    ];
  }
  const parts = keysOfParts(resource.identifiers);
  const byKey = keyColumnsOf(resource).map((column, index) => ({
    column,
    byCodePoint: parts[index]!.ordered !== undefined,
  }));
  const keys = [
    ...Object.keys(placeColumns).map((column) => ({ column, byCodePoint: false })),
    // Those who follow have identifiers in an order that is the same in every database: integers as texts
    ...byKey.filter(({ column, byCodePoint }) =>
      !byCodePoint || table.columns[column]?.collation !== null
    ),
  ];
  if (table.indexes.some((index) => serves(index, keys, table))) return [];
  return [lacksIndex(`those who follow ${resource.name}`, table.name, keys)];
}
