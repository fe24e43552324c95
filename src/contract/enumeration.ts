// The literals that schemas list, and what they make of the alternatives that hold them.
import type { Alternative, Union } from "./alternative.ts";
import { literal, type Members } from "./json.ts";
import type { Type } from "./limits.ts";

/** The literals of one type that a schema lists; undefined where it has no list. */
export function valuesOf(schema: Members, type: Type): Set<string> | undefined {
  const lists = [
    ...(Array.isArray(schema["enum"]) ? [schema["enum"]] : []),
    ...(Object.hasOwn(schema, "const") ? [[schema["const"]]] : []),
  ];
  const [first, ...rest] = lists.map((list) =>
    list.filter((value) => typeOf(value) === type).map(literal)
  );
  return first && new Set(first.filter((one) => rest.every((list) => list.includes(one))));
}

/** The literals of two lists that both must hold. */
export function common(
  one: ReadonlySet<string> | undefined,
  other: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return one && other ? new Set([...one].filter((value) => other.has(value))) : one ?? other;
}

/** An alternative that says the same of its literals as of its type: where only integers go it lists
 * no other numbers, where it lists no others only integers go, and false and true are all. */
export function settled(alternative: Alternative): Alternative {
  const { type, whole, values } = alternative;
  if (type === "boolean" && values?.size === 2) return { ...alternative, values: undefined };
  if (type !== "number" || !values) return alternative;
  const integers = new Set([...values].filter((value) => Number.isInteger(Number(value))));
  return whole
    ? { ...alternative, values: integers }
    : { ...alternative, whole: integers.size === values.size };
}

/** A union whose enumerations of one type are one, as constants that are each described are. */
export function merged(union: Union): Union {
  const groups = Map.groupBy(new Set(union), (one) => isEnumeration(one) ? one.type : one);
  return [...groups.values()].map((group) => settled(group.reduce(joined)));
}

/** Whether an alternative is told by its literals alone. */
function isEnumeration(one: Alternative): boolean {
  return one.type !== "object" && one.type !== "array" && one.values !== undefined &&
    one.conditions.length + one.unjudged.length === 0 && one.fallback === undefined &&
    !one.readOnly && !one.writeOnly;
}

function joined(one: Alternative, other: Alternative): Alternative {
  return {
    ...one,
    whole: one.whole && other.whole,
    values: new Set([...one.values!, ...other.values!]),
    deprecated: one.deprecated || other.deprecated,
  };
}

function typeOf(value: unknown): unknown {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
