// Parameters that are declared as fields: in the query of a report, in the path of an action.
import * as v from "valibot";
import type { Value } from "../db/sql.ts";
import type { FieldCode } from "../errors/problem.ts";
import type { Field, Filter, Optional, Parameter, Write } from "./model.ts";
import { word } from "./word.ts";

/** A parameter of a report that may be left out. Its placeholder is null then. */
export const optional = word((field: Field): Optional => ({ optional: field }));

/** Takes from a query what lists filter the field by, if it is within the limits of the field. */
export function parameterOf(
  { filter, write, description, deprecation, example }: Field & { filter: Filter },
): Parameter {
  return v.pipe(
    v.string(),
    v.metadata({
      ...v.getMetadata(filter.value),
      ...(write && v.getMetadata(write.schema)),
      ...(write?.default !== undefined && { default: write.default }),
      ...(description !== undefined && { description }),
      ...(deprecation && { deprecated: true }),
      ...(example !== undefined && { examples: [example] }),
    }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const value = v.safeParse(filter.value, dataset.value);
      const message = value.success
        ? write && beyondLimits(write, dataset.value)
        : value.issues[0].message;
      if (message === undefined) return value.output as Value;
      addIssue({ message });
      return NEVER;
    }),
  );
}

/** What to send instead of a value that is beyond the limits of a field; undefined if it is within. */
function beyondLimits({ schema, explain }: Write, text: string): string | undefined {
  // A query has numbers and booleans as JSON has them
  const value = schema.type === "string" ? text : JSON.parse(text);
  const result = v.safeParse(schema, value);
  if (result.success) return undefined;
  return explain(result.issues[0].message as FieldCode, value).replace(/^Send /, "");
}
