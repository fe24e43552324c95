// JSON values of unknown shape: documents of other systems are read without trust in their form.

export type Members = Record<string, unknown>;

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none where the value is no object. */
export function members(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** The elements of an array; none where the value is no array. */
export function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** One text for equal values, whatever the order of their members. */
export function literal(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      isObject(inner)
        ? Object.fromEntries(Object.keys(inner).sort().map((name) => [name, inner[name]]))
        : inner,
  ) ?? "none";
}

/** Every name of two objects with what each has under it. */
export function pairs<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): [name: string, before: Value | undefined, after: Value | undefined][] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => [name, before.get(name), after.get(name)]);
}
