// Days as part of a key.
import * as v from "valibot";
import type { Key } from "./key.ts";
import { date } from "./time.ts";

const { columnType, example, read, write, filter } = date();

export const dateKey: Key = {
  sqlType: "date",
  columnType: columnType!,
  referenceType: columnType!,
  example: example as string,
  schema: { type: "string", format: "date" },
  read: read!,
  write: write!.schema as Key["write"],
  text: filter!.value as Key["text"],
  stored: filter!.value as Key["stored"],
  isBefore: (one, other) => one < other,
  isChronological: false,
  noun: "a day as a string",
  range: "days of the calendar",
  is: (value) => v.is(write!.schema, value),
};
