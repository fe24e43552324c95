// What the document says of who may ask.
import type { Access } from "../config.ts";
import type { ProblemCode } from "../errors/problem.ts";
import type { Scope } from "../model/scope.ts";
import type { Headers } from "./header.ts";
import type { Json } from "./schema.ts";

export const securitySchemes: Json = {
  token: {
    type: "http",
    scheme: "bearer",
    description: "A token with the scope `read`, or with `write`, which includes `read`; whoever " +
      "runs the server makes them",
  },
};

const toTokens = { "RateLimit-Policy": "RateLimitPolicy", "RateLimit": "RateLimit" };

/** What the document says of an operation because it needs a token, or does not. */
export interface Secured {
  operation: Json;
  problems: ProblemCode[];
  headers: Headers;
}

/** From the scope that an operation needs to what the document says of that and what the operation can
 * meet because of it: nothing where it is open to all. */
export function securedBy(
  { authRequired, rateLimit }: Partial<Access>,
): (scope: Scope | undefined) => Secured {
  return (scope) => {
    if (!authRequired || !scope) return { operation: {}, problems: [], headers: {} };
    return {
      operation: { security: [{ token: [scope] }] },
      problems: [
        "unauthorized",
        "insufficient_scope",
        ...(rateLimit ? ["too_many_requests" as const] : []),
      ],
      headers: rateLimit ? toTokens : {},
    };
  };
}
