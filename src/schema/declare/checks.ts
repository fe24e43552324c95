// What the check constraints of a column say, if it is something that a field can say too.
import { textTypes } from "../../model/field.ts";
import { integerTypes, MAXIMUM_INTEGER } from "../../model/number.ts";
import type { Limits } from "../../model/options.ts";
import type { TableColumn } from "../catalogue.ts";

export interface Conditions {
  /** The limits of a number. */
  value: Limits;
  /** The limits of the number of characters. */
  length: Limits;
  /** The texts that it may be. */
  choices?: string[];
}

const NUMBER = String.raw`'?(-?\d+(?:\.\d+)?)'?`;
const LENGTH = "(?:char_length|character_length|length)";
const TEXT = "'(?:[^']|'')*'";
const TYPE = String.raw`(?:character varying|double precision|[\w".]+)(?:\([\d,]+\))?(?:\[\])?`;

/** A text, or what Postgres puts around everything: casts, parentheses and spaces. */
const NOISE = new RegExp(String.raw`(${TEXT})|(?:::${TYPE}|[()\s])+`, "g");

/** What all checks of a column say together. A check that has any other condition is left out whole, because
 * its "or" may take back what a part of it seems to say. */
export function conditionsOf(column: TableColumn): Conditions {
  const said: Conditions = { value: {}, length: {} };
  for (const check of column.checks) {
    if (isCastToText(check, column)) continue;
    const parts = check
      .replaceAll(NOISE, (_, text = " ") => text)
      .trim()
      .split(" AND ")
      .map((part) => conditionIn(part, column));
    if (!parts.every((part) => part !== undefined)) continue;
    for (const { value = {}, length = {}, choices } of parts) {
      said.value = narrower(said.value, value);
      said.length = narrower(said.length, length);
      if (choices) said.choices = choices;
    }
  }
  return said;
}

/** Whether a check compares a number as text, by its digits. */
function isCastToText(check: string, { type }: TableColumn): boolean {
  return !textTypes.includes(type) && /::(?:text|character|name)/.test(check);
}

/** What holds where both limits do. */
export function narrower(one: Limits, other: Limits): Limits {
  const minimum = Math.max(one.minimum ?? -Infinity, other.minimum ?? -Infinity);
  const maximum = Math.min(one.maximum ?? Infinity, other.maximum ?? Infinity);
  if (minimum > maximum) return {}; // no value meets both
  return {
    ...(minimum !== -Infinity && { minimum }),
    ...(maximum !== Infinity && { maximum }),
  };
}

function conditionIn(
  part: string,
  { spelled, type }: TableColumn,
): Partial<Conditions> | undefined {
  const value = `(?:VALUE|${spelled.replaceAll(/\W/g, String.raw`\$&`)})`;
  const [, counted, sign, number] =
    new RegExp(`^(${LENGTH} )?${value} ([<>]=?) ${NUMBER}$`).exec(part) ?? [];
  if (sign) {
    return counted
      ? { length: counts(limitFrom(sign, Number(number), true)) }
      : { value: limitFrom(sign, Number(number), integerTypes.includes(type)) };
  }
  if (new RegExp(`^${value} <> ''$`).test(part)) return { length: { minimum: 1 } };
  const among = new RegExp(`^${value} = ANY ARRAY\\[(${TEXT}(?: ?, ${TEXT})*) ?\\]$`);
  const [, texts] = among.exec(part) ?? [];
  return texts === undefined ? undefined : { choices: [...new Set(quotedTexts(texts))] };
}

/** The limits that a number of characters can have. */
function counts({ minimum = 0, maximum = Infinity }: Limits): Limits {
  return {
    ...(minimum > 0 && minimum <= MAXIMUM_INTEGER && { minimum }),
    ...(maximum >= 0 && maximum <= MAXIMUM_INTEGER && { maximum }),
  };
}

/** The limit of a comparison. Of a number that may have a fraction, it takes the end in. */
function limitFrom(sign: string, number: number, isInteger: boolean): Limits {
  const isStrict = sign.length === 1;
  if (sign.startsWith("<")) {
    return { maximum: !isInteger ? number : isStrict ? Math.ceil(number) - 1 : Math.floor(number) };
  }
  return { minimum: !isInteger ? number : isStrict ? Math.floor(number) + 1 : Math.ceil(number) };
}

function quotedTexts(list: string): string[] {
  return list.match(new RegExp(TEXT, "g"))!.map((text) => text.slice(1, -1).replaceAll("''", "'"));
}
