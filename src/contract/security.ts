// Who may call an operation: alternatives, each of schemes that must be met together.
import { elements, members } from "./json.ts";

/** The scopes that a request needs of each scheme. */
export type Requirement = ReadonlyMap<string, readonly unknown[]>;

/** The alternatives; no requirement at all is one that everybody meets. */
export function requirements(security: unknown): Requirement[] {
  const all = elements(security).map((one) =>
    new Map(Object.entries(members(one)).map(([scheme, scopes]) => [scheme, elements(scopes)]))
  );
  return all.length > 0 ? all : [new Map()];
}

/** Whether whoever meets one of the alternatives meets one of the others too. */
export function areServed(held: readonly Requirement[], needed: readonly Requirement[]): boolean {
  return held.every((one) => needed.some((other) => suffices(one, other)));
}

function suffices(held: Requirement, needed: Requirement): boolean {
  return [...needed].every(([scheme, scopes]) => {
    const own = held.get(scheme);
    return own !== undefined && scopes.every((scope) => own.includes(scope));
  });
}
