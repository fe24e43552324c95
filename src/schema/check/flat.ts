// A resource as its own table has it.
import { sql } from "../../db/sql.ts";
import type { Column, Resource } from "../../model/model.ts";
import { mapValues } from "../../model/record.ts";

/** The resource with each relation as the identifier, and without the links that it shows. */
export function flat(resource: Resource): Resource {
  const fields = mapValues(resource.fields, (column): Column => {
    const { show: _, relation, ...field } = column;
    if (!relation?.nested) return column;
    return {
      ...field,
      relation: { ...relation, nested: false },
      ...relation.isMany && { show: () => ({ value: sql`null` }) },
    };
  });
  return { ...resource, fields };
}
