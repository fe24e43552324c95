// The header WWW-Authenticate, which tells a client what to send (RFC 6750, section 3).
import { Problem } from "../errors/problem.ts";
import type { Scope } from "../model/scope.ts";

/** No token was sent where one is needed. */
export function noToken(): Problem {
  return unauthorized("This path needs a token", {});
}

/** The token that was sent is not valid; without a reason, nobody knows why. */
export function invalidToken(reason?: string): Problem {
  return unauthorized(reason ?? "The token is not valid", {
    error: "invalid_token",
    ...(reason !== undefined && { error_description: reason }),
  });
}

export function insufficientScope(scope: Scope): Problem {
  return new Problem("insufficient_scope", `This method needs a token with the scope "${scope}"`, {
    headers: challenge({ error: "insufficient_scope", scope }),
  });
}

function unauthorized(detail: string, parameters: Record<string, string>): Problem {
  return new Problem("unauthorized", detail, { headers: challenge(parameters) });
}

function challenge(parameters: Record<string, string>): Record<string, string> {
  const pairs = Object.entries({ realm: "relata", ...parameters })
    .map(([name, value]) => `${name}="${value}"`);
  return { "WWW-Authenticate": `Bearer ${pairs.join(", ")}` };
}
