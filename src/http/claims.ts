// What a token says of its caller: the payload of a JWT, or the claims that `relata token create --as` stored.
import type { Access } from "../config.ts";
import type { Caller } from "../model/caller.ts";
import type { Service } from "../model/model.ts";
import { memberOf } from "../model/pointer.ts";
import { isStorable } from "../model/storable.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** The most characters of a subject. */
const LONGEST_SUBJECT = 255;

/** Whether a value is a subject: a text that Postgres can store. */
export function isSubject(value: unknown): value is string {
  return typeof value === "string" && isStorable(value) && value !== "" &&
    [...value].length <= LONGEST_SUBJECT;
}

/** The claim of a name, or at a JSON pointer, if it begins with a slash; undefined if there is none. */
export function claimIn(claims: Claims, name: string): unknown {
  if (!name.startsWith("/")) return memberIn(claims, name);
  return name.slice(1).split("/").map(memberOf).reduce<unknown>(memberIn, claims);
}

function memberIn(value: unknown, name: string): unknown {
  const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isThere ? (value as Claims)[name] : undefined;
}

/** The words of a claim that is a list of texts, or a text separated by blanks. */
export function wordsOf(claim: unknown): string[] {
  if (typeof claim === "string") return claim.split(" ").filter(Boolean);
  return Array.isArray(claim) ? claim.filter((word) => typeof word === "string") : [];
}

/** Makes the function that tells whom claims stand for, as far as declarations ask. */
export function callerIn(
  { rolesClaim = "roles", claims: names }: Pick<Access, "rolesClaim"> & Pick<Service, "claims">,
): (claims: Claims & { sub: string }) => Omit<Caller, "id" | "scopes"> {
  return (claims) => ({
    kind: "somebody",
    subject: claims.sub,
    roles: wordsOf(claimIn(claims, rolesClaim)),
    claims: Object.fromEntries(
      names.map((name) => [name, claimIn(claims, name)]).filter(([, value]) => value !== undefined),
    ),
  });
}
