// What is code in SQL, and what is not.

/** Comments, and texts, names and bodies in quotes. */
export const QUOTED =
  /--.*|\/\*[^]*?\*\/|\be'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'|'[^']*'|"[^"]*"|(?<![\w$])(\$[^\s$]*\$)[^]*?\1/gi;

/** The code of SQL in several parts. */
export function codeIn(texts: readonly string[]): string {
  return texts.join().replaceAll(QUOTED, " ");
}
