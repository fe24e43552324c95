// What the document says of who may ask.
import type { ProblemCode } from "../problem.ts";
import type { Scope } from "../token.ts";
import type { Json } from "./schema.ts";

export const securitySchemes: Json = {
  token: {
    type: "http",
    scheme: "bearer",
    description: "A token with the scope `read`, or with `write`, which includes `read`; whoever " +
      "runs the server makes them",
  },
};

export interface Access {
  operation: Json;
  problems: ProblemCode[];
}

/** From the scope that an operation needs to what the document says of that and what the operation can
 * meet because of it: nothing where it is open to all. */
export function accessTo(
  { authRequired }: { authRequired: boolean },
): (scope: Scope | undefined) => Access {
  return (scope) => {
    if (!authRequired || !scope) return { operation: {}, problems: [] };
    return {
      operation: { security: [{ token: [scope] }] },
      problems: ["unauthorized", "insufficient_scope"],
    };
  };
}
