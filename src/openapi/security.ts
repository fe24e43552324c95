// Access, as the document describes it.
import type { Access } from "../config.ts";
import type { Scope } from "../model/scope.ts";
import type { Described } from "./operation.ts";
import type { Json } from "./json.ts";

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

/** Makes the function that adds to an operation what its scope demands; nothing if it is open to everyone. An
 * operation that takes a token and needs none has no scope. */
export function securing({ authRequired, rateLimit }: Partial<Access>) {
  return (
    described: Described,
    scope: Scope | undefined,
    takesToken = scope !== undefined,
  ): Described => {
    if (!authRequired || !takesToken) return described;
    const { operation, problems, headers } = described;
    return {
      operation: { ...operation, security: scope ? [{ token: [scope] }] : [{}, { token: [] }] },
      problems: [
        ...problems,
        "unauthorized",
        ...(scope ? ["insufficient_scope" as const] : []),
        ...(rateLimit ? ["too_many_requests" as const] : []),
      ],
      headers: { ...headers, ...(rateLimit && toTokens) },
    };
  };
}
