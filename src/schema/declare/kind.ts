// The kind of field that a column is, by its type and its checks.
import type { TableColumn } from "../catalogue.ts";
import type * as v from "valibot";
import { boolean } from "../../model/boolean.ts";
import type { Field } from "../../model/model.ts";
import { decimal, integer, MAXIMUM_INTEGER, number } from "../../model/number.ts";
import type { Limits } from "../../model/options.ts";
import { choice, text } from "../../model/text.ts";
import { date, timestamp } from "../../model/time.ts";
import { conditionsOf, narrower } from "./checks.ts";
import { type Code, plain } from "./code.ts";
import { momentLiteral } from "./literal.ts";

export interface Kind {
  /** The word that declares it, and what the word takes. */
  word: string;
  first?: Code;
  options: Record<string, unknown>;
  /** What it takes besides, which is about what clients send. */
  limits?: Limits;
  /** What clients send; without it, nothing. */
  sent?: Sent;
}

interface Sent {
  schema: v.GenericSchema;
  /** Turns the text of a constant of Postgres into the value that a client would send. */
  parse(text: string): unknown;
}

/** The ends of the integer types, as far as JSON numbers reach. */
const ranges: Record<string, Required<Limits>> = {
  smallint: { minimum: -(2 ** 15), maximum: 2 ** 15 - 1 },
  integer: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  bigint: { minimum: -MAXIMUM_INTEGER, maximum: MAXIMUM_INTEGER },
};

/** Why a type has no kind, where there is something to do about it. */
const lacking: Record<string, string> = {
  json: "JSON columns are planned",
  jsonb: "JSON columns are planned",
  uuid: "uuid has no kind, but uuid keys are planned",
  numeric: "numeric has no kind without its digits: numeric(12, 2) has them",
  real: "real has no kind: unlike double precision, it rounds what was sent",
};

/** The defaults that tell when a row was created, and what such columns are called. */
const CLOCK =
  /^\(?((now|(clock|statement|transaction)_timestamp)\(\)|(CURRENT_|LOCAL)TIMESTAMP(\(\d\))?)( AT TIME ZONE '(utc|UTC)'::text\))?$/;
const CREATED = /^(created|inserted|added)/;

/** The kinds that columns have by their type alone. */
const kinds = [text(), integer(), number(), boolean(), date(), timestamp()];

/** The kind of a column, or why it has none. */
export function kindOf(column: TableColumn): Kind | string {
  const { type, fullType, labels } = column;
  const [size = 0, scale = 0] = (/\((.*)\)/.exec(fullType)?.[1] ?? "0").split(",").map(Number);
  const { value, length, choices } = conditionsOf(column);
  if (labels) return choiceOf(labels);
  const kind = kinds.find(({ columnType }) => columnType!.types.includes(type))?.kind;
  switch (kind) {
    case "text":
      if (choices) return choiceOf(choices);
      return textKind(narrower(length, size > 0 ? { maximum: size } : {}));
    case "integer":
      return integerOf(narrower(value, ranges[type]!));
    case "number":
      return { word: kind, options: {}, limits: value, sent: sentAs(number(value), Number) };
    case "boolean":
      return { word: kind, options: {}, sent: sentAs(boolean(), (text) => text === "true") };
    case "date":
      return { word: kind, options: {}, sent: sentAs(date()) };
    case "timestamp":
      if (CREATED.test(column.name) && CLOCK.test(column.default ?? "")) {
        return { word: "created", options: {} };
      }
      return { word: kind, options: {}, sent: sentAs(timestamp(), momentLiteral) };
  }
  if (type === "character" && size > 0) { // a shorter text would be read with spaces after it
    return textKind({ minimum: size, maximum: size });
  }
  if (type === "numeric" && size > 0 && scale >= 0 && scale <= size) {
    const options = { digits: size, places: scale };
    return { word: "decimal", options, sent: sentAs(decimal(options)) };
  }
  return lacking[fullType] ?? `${fullType} has no kind`;
}

function choiceOf(choices: string[]): Kind {
  return { word: "choice", first: plain(choices), options: {}, sent: sentAs(choice(choices)) };
}

function textKind(limits: Limits): Kind {
  return { word: "text", options: {}, limits, sent: sentAs(text(limits)) };
}

/** Limits that every integer has are left out. */
function integerOf(limits: Limits): Kind {
  const narrower = Object.entries(limits).filter(([, limit]) => Math.abs(limit) < MAXIMUM_INTEGER);
  const sent = sentAs(integer(limits), Number);
  return { word: "integer", options: {}, limits: Object.fromEntries(narrower), sent };
}

function sentAs({ write }: Field, parse: Sent["parse"] = String): Sent {
  return { schema: write!.schema, parse };
}
