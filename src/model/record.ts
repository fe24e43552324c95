// Plain objects that serve as tables.

/** The same names with other values. */
export function mapValues<From, To>(
  record: Record<string, From>,
  each: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, each(value, name)]),
  );
}
