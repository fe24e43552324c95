// The modules of the page as one file, in the order in which a browser would evaluate them: it has six connections, so
// that sixty files would be ten round trips. Comments stay behind.

/** An import that stands for itself, and one within an expression. */
const IMPORT = /^import (?:[^;"]*? from )?"\.\/([\w-]+\.js)";\n/gm;
const LATER = /\bimport\("\.\/([\w-]+\.js)"\)/g;

const EXPORT = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;

/** Lines of comments alone; no text of the page that goes over several lines has one of these. */
const COMMENT = /^ *(?:\/\*\*(?:(?!\*\/)[^])*\*\/|\/\/.*)\n/gm;

/** Another name for what is imported, and other forms. */
const OTHER =
  /^import\b[^;"]* as .*|^import (?![{"]).*|^export (?!(?:async )?(?:function|const|class) \w).*/m;

/**
 * Joins a module with all that it imports, also later. `texts` has them by their file names. Each keeps its names to
 * itself, in a function. What it exports all can see: an exported name is declared once in the house, so that the
 * imports themselves can go.
 */
export function joinModules(texts: ReadonlyMap<string, string>, first: string): string {
  const codes = new Map<string, string>();
  const ordered: string[] = [];

  function visit(name: string): void {
    if (codes.has(name)) return;
    const code = texts.get(name)!.replace(COMMENT, "");
    const other = OTHER.exec(code);
    if (other) throw new Error(`The module "${name}" cannot be joined with others: ${other[0]}`);
    codes.set(name, code);
    namesIn(code, IMPORT).forEach(visit);
    ordered.push(name);
  }
  visit(first);
  // The list grows meanwhile: what is imported later is evaluated after the rest
  for (const name of ordered) namesIn(codes.get(name)!, LATER).forEach(visit);

  return ordered.map((name) => {
    const code = codes.get(name)!;
    const names = `{ ${namesIn(code, EXPORT).join(", ")} }`;
    const text = code.replace(IMPORT, "").replace(EXPORT, "")
      .replace(LATER, (_, later) => `Promise.resolve().then(() => ${variableOf(later)})`);
    const variable = variableOf(name);
    return `// ${name}
const ${variable} = (() => {
${text}return ${names};
})();
const ${names} = ${variable};
`;
  }).join("");
}

/** What a module exports is in this variable. */
const variableOf = (name: string) => `$${name.replace(".js", "").replaceAll("-", "_")}`;

function namesIn(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].map(([, name]) => name!);
}
