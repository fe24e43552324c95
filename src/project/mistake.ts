// What is wrong with a project, in one sentence with the file and the line. The runtimes tell it in ways of
// their own.
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { sentenceOf, UsageError } from "../errors/usage.ts";

/** The error about a file of the project: that in which it was thrown, else that which was loaded. What a
 * word was given is wrong at the line of the word, which its cause tells. */
export function mistake(root: string, loaded: string, error: unknown): UsageError {
  const { cause } = Object(error) as Error;
  const place = placeIn(root, cause) ?? placeIn(root, error) ?? relative(root, loaded);
  return new UsageError(`${place}: ${mistakeReason(root, error)}`, { cause: error });
}

/** The first line of the project in the stack of an error: `resources/track.ts:9`. */
function placeIn(root: string, error: unknown): string | undefined {
  const { stack = "" } = Object(error) as Error;
  const places = withoutFolder(stack, root).matchAll(/<project>[/\\]([^:\n]+\.ts:\d+)/g);
  return places.next().value?.[1];
}

/** What the runtimes say of imports, and what relata says instead. */
const known: [message: RegExp, sentence: string][] = [
  [
    /^Cannot access '(\w+)' before initialization.*/,
    '"$1" refers to this resource: refer to it by a function, as in relation(() => $1)',
  ],
  [
    /^The requested module 'relata' does not provide an export named '(\w+)'.*/,
    '"relata" has no word "$1"',
  ],
  [
    /^The requested module '(.+?)' does not provide an export named '(\w+)'.*/,
    '"$1" exports no "$2"',
  ],
  [
    /^require\(\) cannot be used on an ESM graph with top-level await.*/,
    'A file has an "await" outside of its functions',
  ],
  [/^Cannot find (?:module|package) '(?:<project>\/)?(.+?)'.*/, 'There is no "$1" to import'],
  [/^Module not found "(?:<project>\/)?(.+?)".*/, 'There is no "$1" to import'],
  [/^Loading unprepared module: <project>\/resources\/(.+?), .*/, 'There is no "$1" to import'],
];

/** What is wrong, in one line: Deno shows the source of a syntax error, too. */
function mistakeReason(root: string, error: unknown): string {
  const [message = ""] = sentenceOf(error).split(/ \| \d+ \| /, 1);
  return known.reduce(
    (sentence, [pattern, instead]) => sentence.replace(pattern, instead),
    withoutFolder(message, root).replace(/^SyntaxError: /, ""),
  );
}

/** A text in which the folder of the project is `<project>`, as a path or an address. */
function withoutFolder(text: string, root: string): string {
  return stripVTControlCharacters(text).replaceAll(pathToFileURL(root).href, "<project>")
    .replaceAll(root, "<project>");
}
