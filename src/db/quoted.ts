// What is no code in SQL.

/** Comments, and texts, names and bodies in quotes. */
export const QUOTED =
  /--.*|\/\*[^]*?\*\/|\be'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'|'[^']*'|"[^"]*"|(?<![\w$])(\$[^\s$]*\$)[^]*?\1/gi;
