// Expressions of TypeScript, in one line if that is short enough.

/** Text as it is, a call, an array, or an object. */
export type Code =
  | string
  | { word: string; values: Code[] }
  | { items: Code[] }
  | { members: Record<string, Code> };

/** The most characters of a line. */
export const WIDTH = 100;

/** A call of a word; an object without members is left out. */
export function call(word: string, ...values: Code[]): Code {
  return { word, values: values.filter((value) => flat(value) !== "{}") };
}

/** An object of plain values, without those that are undefined. */
export function object(values: Record<string, unknown>): { members: Record<string, Code> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { members: Object.fromEntries(given.map(([name, value]) => [name, plain(value)])) };
}

/** Any JSON. */
export function plain(value: unknown): Code {
  if (Array.isArray(value)) return { items: value.map(plain) };
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => [
      /^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name),
      plain(member),
    ]);
    return { members: Object.fromEntries(members) };
  }
  const text = JSON.stringify(value);
  // Quotes as a formatter would choose them
  if (text.includes('\\"') && !text.includes("'")) {
    return `'${text.slice(1, -1).replaceAll('\\"', '"')}'`;
  }
  return /^-?\d{5,}$/.test(text) ? text.replaceAll(/\B(?=(\d{3})+$)/g, "_") : text;
}

/** A function that writes SQL. */
export function sqlWriter(text: string): Code {
  return `(sql) => sql\`${text.replaceAll(/[`\\]|\$(?=\{)/g, "\\$&")}\``;
}

/** The lines of an expression whose first line already has so many characters. */
export function laidOut(code: Code, indent: string, used: number): string {
  const line = flat(code);
  if (typeof code === "string" || used + line.length < WIDTH) return line;
  const inner = `${indent}  `;
  const lines = (parts: string[]) => parts.map((part) => `\n${inner}${part},`).join("");
  if ("items" in code) {
    return `[${lines(code.items.map((item) => laidOut(item, inner, inner.length)))}\n${indent}]`;
  }
  if ("members" in code) {
    const parts = Object.entries(code.members).map(([name, value]) =>
      `${name}: ${laidOut(value, inner, inner.length + name.length + 2)}`
    );
    return `{${lines(parts)}\n${indent}}`;
  }
  const { word, values } = code;
  const [only = "", ...others] = values;
  if (others.length === 0) {
    return `${word}(${laidOut(only, indent, used + word.length + 1)})`;
  }
  return `${word}(${lines(values.map((value) => laidOut(value, inner, inner.length)))}\n${indent})`;
}

function flat(code: Code): string {
  if (typeof code === "string") return code;
  if ("items" in code) return `[${code.items.map(flat).join(", ")}]`;
  if ("word" in code) return `${code.word}(${code.values.map(flat).join(", ")})`;
  const parts = Object.entries(code.members).map(([name, value]) => `${name}: ${flat(value)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** The words that an expression calls. */
export function wordsIn(code: Code): string[] {
  if (typeof code === "string" || !("word" in code)) return [];
  return [code.word, ...code.values.flatMap(wordsIn)];
}
