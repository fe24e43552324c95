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
    v.nonEmpty("at least one value"),
    v.check(
      (text) => /^([^\\]|\\[\\,])*$/u.test(text),
      "a comma in a value as \\, and a backslash as \\\\",
    ),
    v.transform(split),
    v.maxLength(
      MAXIMUM_VALUES,
      ({ received }) => `up to ${MAXIMUM_VALUES} values, not ${received}`,
    ),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const values = v.safeParse(v.array(one), dataset.value);
      if (values.success) return values.output as Scalar[];
      addIssue({ message: `values separated by commas, each ${values.issues[0].message}` });
      return NEVER;
    }),
  );
}

/** A value as a query has it. */
export function queryText(value: Value): string {
  if (!Array.isArray(value)) return String(value);
  return value.map((each) => String(each).replaceAll(/[\\,]/g, "\\$&")).join();
}

function split(text: string): string[] {
  const parts = text.match(/([^\\,]|\\.)+|,/gu) ?? [];
  const values = [""];
  for (const part of parts) {
    if (part === ",") values.push("");
    else values[values.length - 1] += part.replaceAll(/\\(.)/g, "$1");
  }
  return values;
}
