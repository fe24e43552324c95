// Limits of values: conditions that hold together, each of a keyword. What one condition implies of
// another is all it takes to tell whether a limit was tightened.
import type { Members } from "./json.ts";

export const types = ["null", "boolean", "number", "string", "array", "object"] as const;

/** The types of JSON; an integer is a number. */
export type Type = (typeof types)[number];

export interface Condition {
  keyword: string;
  /** A bound is `{ at, open }`, where an open bound is not itself a value. */
  value: unknown;
}

interface Bound {
  at: number;
  open: boolean;
}

interface Limit {
  types: Type[];
  /** Whether every value that meets the one condition meets the other. */
  implies(one: unknown, other: unknown): boolean;
  /** Whether a value of the keyword has the form that the condition needs. */
  isValid(value: unknown): boolean;
  /** Whether the condition says nothing. */
  isVacuous?(value: unknown): boolean;
  /** The tightest condition that a literal meets, where there is one. */
  tightest?(literal: unknown): unknown;
}

/** Formats whose every value another format has too. */
const wider: Record<string, string> = { int32: "int64", float: "double" };

const isNumber = (value: unknown) => typeof value === "number";
const isText = (value: unknown) => typeof value === "string";

const limits: Record<string, Limit> = {
  maximum: { types: ["number"], implies: isBelow, isValid: isNumber, tightest: closed },
  minimum: { types: ["number"], implies: isAbove, isValid: isNumber, tightest: closed },
  multipleOf: { types: ["number"], implies: isMultiple, isValid: isNumber, tightest: Number },
  maxLength: atMost("string"),
  minLength: atLeast("string"),
  pattern: { types: ["string"], implies: Object.is, isValid: isText },
  format: {
    types: ["string", "number"],
    implies: (one, other) => one === other || wider[String(one)] === other,
    isValid: isText,
    isVacuous: (value) => value === "password", // a hint to those who show it
  },
  maxItems: atMost("array"),
  minItems: atLeast("array"),
  uniqueItems: {
    types: ["array"],
    implies: Object.is,
    isValid: (value) => typeof value === "boolean",
    isVacuous: (value) => value === false,
  },
  maxProperties: atMost("object"),
  minProperties: atLeast("object"),
};

/** The keyword of the bound that 3.0 opens with a boolean and 3.1 writes as a number of its own. */
const openBounds: Record<string, string> = {
  exclusiveMaximum: "maximum",
  exclusiveMinimum: "minimum",
};

/** Whether a keyword, with such a value, is a limit. */
export function isLimit(keyword: string, value: unknown): boolean {
  if (Object.hasOwn(openBounds, keyword)) return isNumber(value) || typeof value === "boolean";
  return Object.hasOwn(limits, keyword) && limits[keyword]!.isValid(value);
}

/** The conditions that a schema's own keywords put on values of a type. */
export function conditions(schema: Members, type: Type): Condition[] {
  return Object.entries(schema).flatMap(([keyword, value]): Condition[] => {
    if (!isLimit(keyword, value)) return [];
    const bound = openBounds[keyword];
    if (bound !== undefined) {
      const isOwn = type === "number" && isNumber(value);
      return isOwn ? [{ keyword: bound, value: { at: value, open: true } }] : [];
    }
    const { types, isVacuous } = limits[keyword]!;
    if (!types.includes(type) || isVacuous?.(value)) return [];
    if (keyword !== "maximum" && keyword !== "minimum") return [{ keyword, value }];
    const open = schema[keyword === "maximum" ? "exclusiveMaximum" : "exclusiveMinimum"] === true;
    return [{ keyword, value: { at: value, open } }];
  });
}

/** How conditions of one keyword changed, and what they were and are. */
export interface ConditionChange {
  keyword: string;
  change: "loosened" | "tightened" | "changed";
  from: string;
  to: string;
}

/** What bounds values: conditions, and the literals of an enumeration where there is one. */
export interface Limited {
  conditions: readonly Condition[];
  values: ReadonlySet<string> | undefined;
}

export function conditionChanges(before: Limited, after: Limited): ConditionChange[] {
  if (before.conditions.length + after.conditions.length === 0) return [];
  return Object.entries(limits).flatMap(([keyword, { implies, tightest }]): ConditionChange[] => {
    const [was, is] = [before, after].map(({ conditions }) =>
      conditions.filter((one) => one.keyword === keyword)
    );
    const isMet = (by: Condition[], { values }: Limited) => ({ value }: Condition) =>
      by.some((one) => implies(one.value, value)) ||
      (tightest && values &&
        [...values].every((literal) => implies(tightest(JSON.parse(literal)), value)));
    const loosened = !was!.every(isMet(is!, after));
    const tightened = !is!.every(isMet(was!, before));
    if (!loosened && !tightened) return [];
    const change = loosened && tightened ? "changed" : loosened ? "loosened" : "tightened";
    return [{ keyword, change, from: written(was!), to: written(is!) }];
  });
}

/** Integers have no open bounds, below 10 is at most 9, and all are multiples of 1. */
export function ofIntegers(all: readonly Condition[]): Condition[] {
  return all.flatMap(({ keyword, value }): Condition[] => {
    if (keyword === "multipleOf" && isMultiple(1, value)) return [];
    if (keyword !== "maximum" && keyword !== "minimum") return [{ keyword, value }];
    const { at, open } = value as Bound;
    const upper = open ? Math.ceil(at) - 1 : Math.floor(at);
    const lower = open ? Math.floor(at) + 1 : Math.ceil(at);
    return [{ keyword, value: { at: keyword === "maximum" ? upper : lower, open: false } }];
  });
}

function written(all: Condition[]): string {
  const texts = all.map(({ value }) => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const { at, open } = value as Bound;
    return open ? `${at} itself excluded` : `${at}`;
  });
  return texts.join(" and ") || "none";
}

function atMost(type: Type): Limit {
  return {
    types: [type],
    implies: (one, other) => Number(one) <= Number(other),
    isValid: isNumber,
    tightest: size,
  };
}

function atLeast(type: Type): Limit {
  return {
    types: [type],
    implies: (one, other) => Number(one) >= Number(other),
    isValid: isNumber,
    isVacuous: (value) => value === 0,
    tightest: size,
  };
}

/** How many characters a text has, elements an array, or members an object. */
function size(literal: unknown): number {
  return typeof literal === "string" ? [...literal].length : Object.keys(literal as object).length;
}

function closed(literal: unknown): Bound {
  return { at: Number(literal), open: false };
}

function isBelow(one: unknown, other: unknown): boolean {
  const [a, b] = [one as Bound, other as Bound];
  return a.at < b.at || (a.at === b.at && (a.open || !b.open));
}

function isAbove(one: unknown, other: unknown): boolean {
  const [a, b] = [one as Bound, other as Bound];
  return a.at > b.at || (a.at === b.at && (a.open || !b.open));
}

/** Whether multiples of the one are multiples of the other; their quotient bears binary rounding. */
function isMultiple(one: unknown, other: unknown): boolean {
  const quotient = Number(one) / Number(other);
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 && Math.round(quotient) !== 0;
}
