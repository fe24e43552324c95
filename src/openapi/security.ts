// Access, as the document describes it.
import type { Access } from "../config.ts";
import type { ProblemCode } from "../errors/problem.ts";
import type { Scope } from "../model/scope.ts";
import type { Headers } from "./header.ts";
import type { Json } from "./schema.ts";

export const securitySchemes: Json = {
  token: {
    type: "http",
    scheme: "bearer",
    description:
      "A token with the scope `read`, or `write`, which includes `read`. The operator of " +
      "the server makes tokens",
  },
};

const toTokens = { "RateLimit-Policy": "RateLimitPolicy", "RateLimit": "RateLimit" };

/** What an operation gets in the document if it needs a token. */
export interface Secured {
  operation: Json;
  problems: ProblemCode[];
  headers: Headers;
}

/** Turns the scope of an operation into what the document says about it; nothing if it is open to
 * everyone. An operation that takes a token and needs none has no scope. */
export function securedBy(
  { authRequired, rateLimit }: Partial<Access>,
): (scope: Scope | undefined, takesToken?: boolean) => Secured {
  return (scope, takesToken = scope !== undefined) => {
    if (!authRequired || !takesToken) return { operation: {}, problems: [], headers: {} };
    return {
      operation: { security: scope ? [{ token: [scope] }] : [{}, { token: [] }] },
      problems: [
        "unauthorized",
        ...(scope ? ["insufficient_scope" as const] : []),
        ...(rateLimit ? ["too_many_requests" as const] : []),
      ],
      headers: rateLimit ? toTokens : {},
    };
  };
}
