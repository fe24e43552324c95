// Names of resources, fields, paths and variables, made from those of tables and columns.
import pluralize from "pluralize";
import * as words from "../../words.ts";

// Nobody calls a row of such a table a datum or a medium, and a basis is one already
pluralize.addUncountableRule(/(data|media)$/i);
pluralize.addSingularRule(/(sis|\b(a|pra)xis)$/i, "$0");

/** What no variable of a module can be called. */
const KEYWORDS =
  ("arguments await break case catch class const continue debugger default delete do " +
    "else enum eval export extends false finally for function if implements import in instanceof " +
    "interface let new null package private protected public return static super switch this throw " +
    "true try typeof var void while with yield").split(" ");

/** The names in a row that are not taken yet; a name that is gets a number. A name also takes those that are
 * made of it. */
export function uniqueNames(
  taken = new Set<string>(),
  joinIdentifier: (name: string) => Iterable<string> = (name) => [name],
): (name: string) => string {
  return (name) => {
    let [free, made] = [name, [...joinIdentifier(name)]];
    for (let number = 2; made.some((each) => taken.has(each)); number++) {
      free = `${name}_${number}`;
      made = [...joinIdentifier(free)];
    }
    for (const each of made) taken.add(each);
    return free;
  };
}

/** The most characters that are taken from a name, because others are made of it, which Postgres would cut. */
const LONGEST_PART = 50;

/** Whether a field can have the name of a column. */
export function isPlain(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name) && name.length <= LONGEST_PART;
}

/** `InvoiceLine` or `invoice-line` as `invoice_line`, and `3d_box` as `table_3d_box`. */
export function snake(name: string, what: "table" | "column" = "table"): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z\d]+/g, "_")
    .slice(0, LONGEST_PART)
    .replaceAll(/^_|_$/g, "")
    .toLowerCase();
  if (words === "") return what;
  return /^[a-z]/.test(words) ? words : `${what}_${words}`;
}

/** The name of one row of a table, `track` of `tracks`: that by which foreign keys refer to it, else the singular
 * of its last word. */
export function singular(table: string, referring: string[]): string {
  const name = ofLastWord(table, pluralize.singular);
  const candidates = [table, name, table.replace(/s$/, ""), table.replace(/es$/, "")];
  return candidates.find((candidate) => referring.includes(candidate)) ?? name;
}

/** The plural of its last word: `order_lines` of `order_line`. */
export function plural(name: string): string {
  return ofLastWord(name, pluralize.plural);
}

function ofLastWord(name: string, change: (word: string) => string): string {
  return name.replace(/[^_]+$/, (word) => change(word) || word);
}

/** The variable of a resource, `invoiceLine` of `invoice_line`. */
export function variable(name: string): string {
  const camel = name.replaceAll(/_+(\w)/g, (_, first: string) => first.toUpperCase());
  return KEYWORDS.includes(camel) || Object.hasOwn(words, camel) ? `${camel}Resource` : camel;
}

/** What a column that refers to a row calls it: `album` of `album_id`, `albumId` and `albumID`; and of `albumid`
 * where such identifiers are called so. */
export function stem(column: string, identifiers: string[] = []): string {
  const isJoined = identifiers.some((name) => name.length > 4 && column.endsWith(name)); // no "bid"
  return column.replace(isJoined ? /_?id$/ : /(?<=.)(_id|_ID|Id)$|(?<=[a-z\d])ID$/, "");
}
