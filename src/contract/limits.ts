// Limits of values: each keyword is a condition, and all of them must hold. To see whether a limit was
// tightened, it is enough to know which conditions imply others.
import type { Members } from "./json.ts";
import type { Type } from "./types.ts";

/** The conditions of each keyword. */
type LimitValues = ReadonlyMap<string, readonly unknown[]>;

interface Limit {
  types: Type[];
  form: "number" | "string" | "boolean";
  /** Whether every value that meets the one condition meets the other. */
  implies(one: unknown, other: unknown): boolean;
}

const numbers: Type[] = ["integer", "fraction"];

const limitRules: Record<string, Limit> = {
  maximum: atMost(numbers),
  minimum: atLeast(numbers),
  exclusiveMaximum: atMost(numbers),
  exclusiveMinimum: atLeast(numbers),
  multipleOf: { types: numbers, form: "number", implies: isMultiple },
  maxLength: atMost(["string"]),
  minLength: atLeast(["string"]),
  pattern: { types: ["string"], form: "string", implies: Object.is },
  format: { types: ["string", ...numbers], form: "string", implies: isWithin },
  maxItems: atMost(["array"]),
  minItems: atLeast(["array"]),
  uniqueItems: { types: ["array"], form: "boolean", implies: Object.is },
  maxProperties: atMost(["object"]),
  minProperties: atLeast(["object"]),
};

/** Whether a keyword, with such a value, is a limit. */
export function isLimit(keyword: string, value: unknown): boolean {
  return Object.hasOwn(limitRules, keyword) && typeof value === limitRules[keyword]!.form;
}

/** The limits of a schema's own keywords, without those that allow everything. */
export function limitsOf(schema: Members): LimitValues {
  const isVacuous = (keyword: string, value: unknown) =>
    value === false || (value === 0 && /^min[LIP]/.test(keyword));
  const own = Object.entries(schema)
    .filter(([keyword, value]) => isLimit(keyword, value) && !isVacuous(keyword, value));
  return new Map(own.map(([keyword, value]) => [keyword, [value]]));
}

/** The bounds of values: types, the literals of an enumeration, limits. */
export interface Limited {
  types: ReadonlySet<Type>;
  values: ReadonlySet<string> | undefined;
  limits: LimitValues;
}

type LimitRule = `${"format" | "limit"}-${"changed" | "loosened" | "tightened"}` | "not-judged";

/** The changes to the limits of values that both sides allow. */
export function limitChanges(was: Limited, is: Limited): [rule: LimitRule, detail: string][] {
  return Object.entries(limitRules).flatMap(([keyword, limit]): [LimitRule, string][] => {
    const isShared = limit.types.some((type) => was.types.has(type) && is.types.has(type));
    const [from = [], to = []] = [was.limits.get(keyword), is.limits.get(keyword)];
    const loosened = !from.every((one) => to.some((other) => limit.implies(other, one)));
    const tightened = !to.every((one) => from.some((other) => limit.implies(other, one)));
    if (!isShared || (!loosened && !tightened)) return [];
    const detail = `${keyword} ${conditionsText(from)}, now ${conditionsText(to)}`;
    if (was.values || is.values) return [["not-judged", `beside listed values, ${detail}`]];
    const change = loosened && tightened ? "changed" : loosened ? "loosened" : "tightened";
    return [[`${keyword === "format" ? "format" : "limit"}-${change}`, detail]];
  });
}

function conditionsText(conditions: readonly unknown[]): string {
  return conditions.map((condition) => JSON.stringify(condition)).join(" and ") || "none";
}

function atMost(types: Type[]): Limit {
  return { types, form: "number", implies: (one, other) => Number(one) <= Number(other) };
}

function atLeast(types: Type[]): Limit {
  return { types, form: "number", implies: (one, other) => Number(one) >= Number(other) };
}

/** Whether multiples of the one are multiples of the other. The quotient may be off by rounding. */
function isMultiple(one: unknown, other: unknown): boolean {
  const quotient = Number(one) / Number(other);
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 && Math.round(quotient) !== 0;
}

/** Whether every value of one format has the other too. */
function isWithin(one: unknown, other: unknown): boolean {
  return one === other || (one === "int32" && other === "int64");
}
