// Access, as the document describes it.
import type { Access, Issuer } from "../config.ts";
import { discoveryOf } from "../http/discovery.ts";
import type { Scope } from "../model/scope.ts";
import type { Described } from "./operation.ts";
import type { Json } from "./json.ts";

/** How requests tell who sends them. */
export function securitySchemes({ issuer }: Partial<Access>): Json {
  return { token, ...(issuer && { issuer: schemeOf(issuer) }) };
}

const token: Json = {
  type: "http",
  scheme: "bearer",
  description:
    "A token with the scope `read`, or `write`, which includes `read`. The operator of " +
    "the server makes tokens",
};

function schemeOf({ url }: Issuer): Json {
  return {
    type: "openIdConnect",
    openIdConnectUrl: discoveryOf(url),
    description: "A JWT of the issuer, made for this server",
  };
}

const toTokens = { "RateLimit-Policy": "RateLimitPolicy", "RateLimit": "RateLimit" };

/** Makes the function that adds to an operation what its scope demands; nothing if it is open to everyone. An
 * operation that takes a token and needs none has no scope. */
export function securing({ authRequired, rateLimit, issuer }: Partial<Access>) {
  const scopesOfIssuer = {
    read: issuer?.readScope,
    write: issuer?.writeScope ?? issuer?.readScope,
  };

  /** The tokens of which a request needs one. */
  function tokensWith(scope?: Scope): Json[] {
    const ofIssuer = scope && scopesOfIssuer[scope];
    return [
      { token: scope ? [scope] : [] },
      ...issuer ? [{ issuer: ofIssuer === undefined ? [] : [ofIssuer] }] : [],
    ];
  }

  return (
    described: Described,
    scope: Scope | undefined,
    takesToken = scope !== undefined,
  ): Described => {
    if (!authRequired || !takesToken) return described;
    const { operation, problems, headers, isOpen = scope === undefined } = described;
    return {
      ...described,
      operation: { ...operation, security: [...(isOpen ? [{}] : []), ...tokensWith(scope)] },
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
