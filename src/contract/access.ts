// Whom an operation lets in beyond its security, as documents of this server tell it in `x-relata`.
import { elements, type Members, members } from "./json.ts";

/** Some callers, for all rows or only for some. */
export interface Grant {
  who: string;
  role: string | undefined;
  isNarrowed: boolean;
}

/** The grants of an operation. Without any that are told, whoever meets its security is let in. */
export function grantsOf(operation: Members): Grant[] {
  const { access } = members(operation["x-relata"]);
  if (access === undefined) return [{ who: "anyone", role: undefined, isNarrowed: false }];
  return elements(access).map(members).map(({ who, role, narrowed }) => ({
    who: String(who),
    role: role === undefined ? undefined : String(role),
    isNarrowed: narrowed === true,
  }));
}

/** Whether each of these grants is part of one of the others. */
export function areGranted(held: readonly Grant[], granted: readonly Grant[]): boolean {
  return held.every((own) => granted.some((one) => includes(one, own)));
}

/** Which rows are some cannot be told, so that those of other callers may be others. */
function includes(one: Grant, other: Grant): boolean {
  if (one.who === other.who && one.role === other.role) return !one.isNarrowed || other.isNarrowed;
  if (one.isNarrowed) return false;
  return one.who === "anyone" || (one.who === "authenticated" && other.who === "role");
}
