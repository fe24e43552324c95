// What access lets callers do by a verb or a report, before any row is looked at: routes ask it, and the document and
// `relata access` tell it.
import { type Entry, isFor, type Right, rights, rightsOf } from "./access.ts";
import { nobody } from "./caller.ts";
import type { Report, Resource, Verb } from "./model.ts";
import { createsByPut, relationOf } from "./resource.ts";
import { type Seen, seenBy } from "./view.ts";

/** Whom something is allowed, and whether only for some rows. Which these are stays inside. */
export interface Permission {
  who: Entry["who"];
  role?: string;
  narrowed: boolean;
}

/** The resource whose access a verb asks, and the rights of which it needs one. */
export function needOf(resource: Resource, verb: Verb): { asked: Resource; rights: Right[] } {
  const { candidatesOf } = verb.operation(resource);
  return {
    asked: candidatesOf === undefined
      ? resource
      : relationOf(resource, candidatesOf).target(resource),
    rights: rightsOf(verb, createsByPut(resource)),
  };
}

/** The rights that the routes of a resource use. */
export function rightsIn(resource: Resource): Right[] {
  const verbs = Object.values(resource.routes).flat();
  return rights.filter((right) =>
    verbs.some((verb) => rightsOf(verb, createsByPut(resource)).includes(right))
  );
}

/** The entries of which a verb needs one. */
export function entriesFor(resource: Resource, verb: Verb): Entry[] {
  const { asked, rights } = needOf(resource, verb);
  return rights.flatMap((right) => asked.access?.[right] ?? []);
}

/** Whether a verb of a resource that has access lets callers in, by the resources as they see them. */
export function admits(resource: Resource, verb: Verb, seen: Seen): boolean {
  const { asked, rights } = needOf(resource, verb);
  const { view } = seen(asked);
  return rights.some((right) => view!.rule(right).of !== "none");
}

/** Whether it lets in who sends no token. */
export function isOpenVerb(resource: Resource, verb: Verb): boolean {
  return admits(resource, verb, seenBy(nobody));
}

/** Whether a report that has access lets in who sends no token. */
export function isOpenReport({ access }: Report): boolean {
  return access!.read.some((each) => isFor(each, nobody));
}

/** What entries tell others, each once. */
export function permissionsOf(entries: readonly Entry[]): Permission[] {
  const told = entries.map(({ who, role, field, rows }): Permission => ({
    who,
    ...(role !== undefined && { role }),
    narrowed: rows !== undefined || field !== undefined,
  }));
  return [...new Map(told.map((each) => [JSON.stringify(each), each])).values()];
}
