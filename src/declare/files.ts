// The resource files for tables that are there, as one text.
import type { Described } from "../db/described.ts";
import { circlesOf } from "./graph.ts";
import { commentOf, sourceOf } from "./source.ts";
import { shortName, sorted } from "./tables.ts";

/** The files, each after a comment with its path, and before them a comment for each table that is in none. */
export function filesOf(tables: Described[]): string {
  const { resources, left } = sorted(tables);
  const circles = circlesOf(resources);
  const comments = left.map(({ table, reason }) =>
    commentOf(`The table "${shortName(table)}" is in no resource: ${reason}`)
  );
  const files = resources.map((resource) => sourceOf(resource, circles));
  return [...comments.length > 0 ? [comments.join("\n")] : [], ...files].join("\n\n");
}
