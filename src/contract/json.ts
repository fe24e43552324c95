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
