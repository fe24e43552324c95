// The types of JSON. Numbers are either integers or have a fraction, so types can be compared as sets.

export const types = [
  ...["null", "boolean", "integer", "fraction", "string", "array", "object"] as const,
];

export type Type = (typeof types)[number];

const number: Type[] = ["integer", "fraction"];

/** The types that a schema names, one or several; none if any name is unknown. */
export function typesNamed(type: unknown): Type[] {
  const named = [type].flat().map((name) =>
    name === "number" ? number : types.filter((type) => type === name && type !== "fraction")
  );
  return named.every((some) => some.length > 0) ? named.flat() : [];
}

/** The types that allow a value. Where numbers may have a fraction, integers are allowed too. */
export function typesOf(value: unknown): Type[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer"] : number;
  return [typeof value as Type];
}

/** The names of types, for people. */
export function typeNames(all: ReadonlySet<Type>): string {
  if (all.size === 0) return "nothing";
  if (all.size === types.length) return "any type";
  const names = [...all].filter((type) => type !== "integer" || !all.has("fraction"));
  return names.map((type) => type === "fraction" ? "number" : type).join(" or ");
}
