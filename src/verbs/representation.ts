// From the JSON text that Postgres builds of a row to the representation that the API gives.
import type { Resource } from "../declaration/declaration.ts";

type Row = Record<string, unknown>;

/** Makes, once, what turns the text of each row into its representation: the text passes through
 * as it is, unless a moment is to be shown in it. */
export function representation(resource: Resource): (text: string) => string {
  const show = moments(resource);
  if (!show) return (text) => text;
  return (text) => {
    const row = JSON.parse(text);
    show(row);
    return JSON.stringify(row);
  };
}

/** Shows every moment of a row and of the objects nested in it; undefined where there is none. */
function moments({ fields }: Resource): ((row: Row) => void) | undefined {
  const steps = Object.entries(fields).flatMap(([name, field]) => {
    if (field.kind === "moment") {
      return [(row: Row) => void (row[name] = field.show(row[name] as string))];
    }
    const nested = field.kind === "relation" && field.nested ? moments(field.target) : undefined;
    return nested ? [(row: Row) => nested(row[name] as Row)] : [];
  });
  return steps.length > 0 ? (row) => steps.forEach((step) => step(row)) : undefined;
}
