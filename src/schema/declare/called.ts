// What the fields of a resource are called.
import { isReserved } from "../../model/mistakes.ts";
import type { TableColumn } from "../catalogue.ts";
import { isPlain, plural, singular, snake, stem } from "./names.ts";
import { keyOf } from "./key.ts";
import {
  type Declared,
  type DeclaredRelation,
  isIdentifier,
  isWholeKey,
  keyColumnsIn,
} from "./tables.ts";

/** Words in the name of a table of links that tell no more than that it is one. */
const LINK = /^(link|map|mapping|join|relation|xref|has|to|and|of|in)$/;

/** The name of the column, if a field can have it. The identifier is the `id`, and a relation is called by what it
 * refers to, unless another column is called so. */
export function nameOf(
  column: TableColumn,
  declared: Declared,
  relation: DeclaredRelation | undefined,
): string {
  const { name: resource, table } = declared;
  const short = isIdentifier(column, declared)
    ? "id"
    : relation
    ? ofRow(column, relation)
    : column.name;
  const hasKey = keyColumnsIn(declared).length > 0; // lists sort by it as "key"
  const isTaken = Object.values(table.columns).some((other) =>
    other !== column && other.name === short
  );
  const own = isTaken || (hasKey && short === "key") ? column.name : short;
  const name = isPlain(own) ? own : snake(own, "column");
  return isReserved(name) || (hasKey && name === "key") ? snake(`${resource}_${name}`) : name;
}

/** What a column calls the row that it refers to. Where its key is only called a key, that is what the row is. */
function ofRow(column: TableColumn, { from, to }: DeclaredRelation): string {
  const name = stem(column.name, [`${to.name}id`, ...keyOf(to.table)]);
  return isWholeKey(column, from.table) && /^id$/i.test(name) ? to.name : name;
}

/** What a row calls the rows that it is linked to: by what they are, unless the table of links tells more than that
 * it links the two. The crates that a user `follows` are not all its crates. */
export function linksName({ from, to, links }: DeclaredRelation): string {
  const table = snake(links!.table.title);
  const told = [from, to].flatMap(({ name, table }) => nameWords(`${name}_${snake(table.title)}`));
  const tellsMore = nameWords(table).some((word) => !told.includes(word) && !LINK.test(word));
  return plural(tellsMore ? table : to.name);
}

function nameWords(name: string): string[] {
  return name.split("_").map((word) => singular(word, []));
}
