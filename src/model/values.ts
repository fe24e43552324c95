// Several values in one query parameter: `3,4`. Within a value, `\,` is a comma and `\\` a backslash.
import * as v from "valibot";
import type { Scalar, Value } from "../db/sql.ts";
import type { Parameter } from "./model.ts";

const MAXIMUM_VALUES = 100;

/** A query parameter that takes several of the values that another one takes. */
export function several(one: Parameter, description: string): Parameter {
  return v.pipe(
    v.string(),
    v.metadata({ description: `${description}: up to ${MAXIMUM_VALUES}, separated by commas` }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const texts = split(dataset.value);
      if (!texts) {
        addIssue({ message: "a comma in a value as \\, and a backslash as \\\\" });
        return NEVER;
      }
      if (texts.length > MAXIMUM_VALUES) {
        addIssue({ message: `up to ${MAXIMUM_VALUES} values, not ${texts.length}` });
        return NEVER;
      }
      const values: Scalar[] = [];
      for (const text of texts) {
        const value = v.safeParse(one, text);
        if (!value.success) {
          addIssue({ message: `values separated by commas, each ${value.issues[0].message}` });
          return NEVER;
        }
        values.push(value.output as Scalar);
      }
      return values;
    }),
  );
}

/** A value as a query has it. */
export function queryText(value: Value): string {
  if (!Array.isArray(value)) return String(value);
  return value.map((each) => String(each).replaceAll(/[\\,]/g, "\\$&")).join();
}

/** The values of a text; undefined if it has a backslash before another character. */
function split(text: string): string[] | undefined {
  if (!/^([^\\]|\\[\\,])*$/u.test(text)) return undefined;
  const parts = text.match(/([^\\,]|\\.)+|,/gu) ?? [];
  const values = [""];
  for (const part of parts) {
    if (part === ",") values.push("");
    else values[values.length - 1] += part.replaceAll(/\\(.)/g, "$1");
  }
  return values;
}
