// The resource files for existing tables, as one text.
import type { Table } from "../catalogue.ts";
import { circlesOf } from "./graph.ts";
import { commentOf, sourceCode } from "./source.ts";
import { divided, shortName } from "./tables.ts";

/** The files for tables, and for those that link two of them: each after a comment with its path, and before
 * them a comment for each table that is in none. */
export function filesOf(tables: Table[], linking: Table[]): string {
  const { resources, left } = divided(tables, linking);
  const circles = circlesOf(resources);
  const comments = left.map(({ table, reason }) =>
    commentOf(`The table "${shortName(table)}" is in no resource: ${reason}`)
  );
  const files = resources.map((resource) => sourceCode(resource, circles));
  return [...comments.length > 0 ? [comments.join("\n")] : [], ...files].join("\n\n");
}
