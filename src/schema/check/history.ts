// What the history of rows does not have: what foreign keys do to them.
import type { Resource } from "../../model/model.ts";
import { writtenTables } from "../../model/resource.ts";
import type { Catalogue } from "../catalogue.ts";
import { differs, type Finding } from "./finding.ts";

/** Names the foreign keys that delete or change rows whose changes are kept, or rows that belong to these. */
export function compareHistory(resource: Resource, catalogue: Catalogue): Finding[] {
  if (!resource.history) return [];
  const tables = [...new Set(writtenTables(resource))].map((name) => catalogue.get(name)!);
  return tables.flatMap((table) =>
    table.references.filter(({ oid, onDelete }) =>
      // What belongs to a row goes with it, and that is kept
      ["cascade", "set"].includes(onDelete) &&
      !tables.some((other) => other.oid === oid && other !== table)
    ).map(({ columns, title, onDelete }) =>
      differs(
        `The foreign key of ${columns.map((column) => `"${column}"`).join(" and ")} ` +
          `${onDelete === "set" ? "changes" : "deletes"} rows of "${table.name}" when one of ` +
          `"${title}" is deleted: the history of ${resource.name} does not have that`,
      )
    )
  );
}
