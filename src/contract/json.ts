// JSON values of unknown shape, because documents of other systems may have any.

export type Members = Record<string, unknown>;

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none if the value is not an object. */
export function members(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** The elements of an array; none if the value is not an array. */
export function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The same text for equal values, in whatever order their members are. */
export function literal(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      isObject(inner)
        ? Object.fromEntries(Object.keys(inner).sort().map((name) => [name, inner[name]]))
        : inner,
  ) ?? "none";
}
