// JWTs of the issuer (RFC 7519, RFC 9068): signed by one of its keys, made for this server, and in time.
import { decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyResult } from "jose";
import type { Issuer } from "../config.ts";
import { Problem } from "../errors/problem.ts";
import type { Caller } from "../model/caller.ts";
import type { Service } from "../model/model.ts";
import { type Scope, withIncluded } from "../model/scope.ts";
import { invalidToken } from "./challenge.ts";
import { callerIn, claimIn, isSubject, wordsOf } from "./claims.ts";
import type { Keys } from "./keys.ts";

/** Signatures that only the issuer can make: whoever verifies one with a shared secret could make it, too. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA"],
];

/** The most bytes of a token. */
export const LONGEST = 8192;

/** Seconds by which clocks may differ. */
const SKEW = 30;

/** The most milliseconds for which a token that was verified is remembered. */
const REMEMBERED = 60_000;

/** Why a token is not valid, as its client is told. */
const refusals = {
  expired: "The token has expired",
  early: "The token is not valid yet",
  audience: "The token is for another audience",
  issuer: "The token is of another issuer",
  key: "The token is signed by no key of the issuer",
  algorithm: "The token has an algorithm that is not taken",
  malformed: "The token is malformed",
  long: "The token is too long",
};

export interface Verified {
  caller: Caller;
  /** When to look the token up again, on the clock of `performance.now()`. */
  until: number;
}

/** Makes the function that verifies a JWT and tells whom it stands for. It throws the problem of a token that is not
 * valid, or of keys that cannot be read now. */
export function jwtVerifier(
  issuer: Issuer,
  service: Pick<Service, "rolesClaim" | "claims">,
  { find }: Pick<Keys, "find">,
): (token: string) => Promise<Verified> {
  const { url, audiences, audienceClaim } = issuer;
  const callerOf = callerIn(service);

  return async (token) => {
    if (token.length > LONGEST) throw invalidToken(refusals.long);
    const { payload, protectedHeader } = await signed(token);
    const { sub, exp } = payload;
    const { typ = "JWT" } = protectedHeader;
    if (!/^(application\/)?(at\+)?jwt$/i.test(typ) || !isSubject(sub)) throw malformed();
    if (payload["cnf"] !== undefined) throw malformed(); // bound to a key that nobody checks here
    const audience = [claimIn(payload, audienceClaim)].flat();
    if (!audiences.some((one) => audience.includes(one))) throw invalidToken(refusals.audience);
    return {
      caller: {
        ...callerOf({ ...payload, sub }),
        id: `${url} ${sub}`,
        scopes: scopesOf(payload, issuer),
      },
      until: performance.now() + Math.min(REMEMBERED, (exp! + SKEW) * 1000 - Date.now()),
    };
  };

  async function signed(token: string): Promise<JWTVerifyResult> {
    try {
      refuseByClaims(decodeJwt(token));
      return await jwtVerify(token, find, {
        algorithms: ALGORITHMS,
        issuer: url,
        clockTolerance: SKEW,
        requiredClaims: ["exp"],
      });
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw invalidToken(refusals[refusalOf(error)]);
    }
  }

  /** What no key can mend is refused before one is looked for, even while the issuer is away. */
  function refuseByClaims({ iss, exp }: JWTPayload): void {
    if (iss !== url) throw invalidToken(refusals.issuer);
    if (Number(exp) + SKEW <= Date.now() / 1000) throw invalidToken(refusals.expired);
  }
}

function malformed(): Problem {
  return invalidToken(refusals.malformed);
}

/** Why jose refuses a token. */
function refusalOf(error: unknown): keyof typeof refusals {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === "nbf" && error.reason === "check_failed" ? "early" : "malformed";
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm";
  if (
    error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSENotSupported
  ) return "malformed";
  return "key"; // none fits, several do, the signature is another one, or the key cannot be used
}

/** What a JWT allows: whoever may write may read, because a write answers with the row. */
function scopesOf(payload: JWTPayload, { readScope, writeScope }: Issuer): readonly Scope[] {
  const granted = [...wordsOf(payload["scope"]), ...wordsOf(payload["scp"])];
  const mayRead = readScope === undefined || granted.includes(readScope);
  const mayWrite = writeScope === undefined ? mayRead : granted.includes(writeScope);
  return mayWrite ? withIncluded("write") : mayRead ? withIncluded("read") : [];
}
