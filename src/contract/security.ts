// Who may call an operation: alternatives, each a set of schemes that must all be met.
import type { Requirement, Source } from "./facts.ts";
import { elements, members } from "./json.ts";

/** The alternatives; without any, everybody may call. */
export function requirements(security: unknown): Requirement[] {
  const all = elements(security).map((one) =>
    new Map(Object.entries(members(one)).map(([scheme, scopes]) => [scheme, elements(scopes)]))
  );
  return all.length > 0 ? all : [new Map()];
}

/** The schemes of these alternatives, as text, by name. */
export function schemesOf({ document, text }: Source, security: Requirement[]) {
  const schemes = members(members(document["components"])["securitySchemes"]);
  const names = security.flatMap((one) => [...one.keys()]);
  return new Map(names.map((name) => [name, text(schemes[name])]));
}

/** Whether every caller who meets one of these alternatives also meets one of the others. */
export function areServed(held: readonly Requirement[], needed: readonly Requirement[]): boolean {
  return held.every((own) =>
    needed.some((one) =>
      [...one].every(([scheme, scopes]) =>
        own.has(scheme) && scopes.every((scope) => own.get(scheme)!.includes(scope))
      )
    )
  );
}
