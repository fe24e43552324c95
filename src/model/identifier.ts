// The field that identifies a row.
import { integerField } from "./integer-key.ts";
import { filterBy, type Identifier } from "./key.ts";
import type { Field } from "./model.ts";
import type { Options } from "./options.ts";
import { textField } from "./text-key.ts";
import { uuidField } from "./uuid-key.ts";
import { checkedOptions, word } from "./word.ts";

const fields = { integer: integerField, uuid: uuidField, text: textField };

/** The identifier of a row. Its column is `id` by default. */
export const identifier = word((options: Options["identifier"] = {}): Field => {
  const { type = "integer", ...rest } = checkedOptions("identifier", options);
  const { generated: _, maximum: __, pattern: ___, default: ____, ...described } = rest;
  const field = fields[type](rest);
  const example = described.example ?? field.example as Identifier ?? field.identifiers.example;
  const key = { ...field.identifiers, example };
  return {
    kind: "identifier",
    column: "id",
    columnType: key.columnType,
    read: key.read,
    filter: filterBy(key),
    ...field,
    ...described,
    identifiers: key,
    example,
  };
});
