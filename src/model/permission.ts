// What access lets callers do by a verb, a report or an action, before any row is looked at: routes ask it, and the
// document and `relata access` tell it.
import { type Entry, isFor, type Right, rights, rightsOf } from "./access.ts";
import { type Caller, nobody } from "./caller.ts";
import { isAction } from "./action.ts";
import type { Action, Report, Resource, Verb } from "./model.ts";
import { createsByPut, relationAt } from "./resource.ts";
import { type Seen, seenBy } from "./view.ts";

/** Whom something is allowed, and whether only for some rows. Which these are stays inside. */
export interface Permission {
  who: Entry["who"];
  role?: string;
  narrowed: boolean;
}

/** The resource whose access a verb asks, and the rights of which it needs one. */
interface Need {
  asked: Resource;
  rights: Right[];
}

export function needOf(resource: Resource, verb: Verb): Need {
  const { candidatesOf } = verb.operation(resource);
  return {
    asked: candidatesOf === undefined ? resource : relationAt(resource, candidatesOf).target,
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

/** Whether what a verb needs lets callers in, by the resources as they see them. */
export function admits({ asked, rights }: Need, seen: Seen): boolean {
  const { view } = seen(asked);
  return rights.some((right) => view!.rule(right).of !== "none");
}

/** Whether a verb of a resource that has access lets in who sends no token. */
export function isOpenVerb(resource: Resource, verb: Verb): boolean {
  return admits(needOf(resource, verb), seenBy(nobody));
}

/** The right that a report or an action asks for. */
export function rightOf(declared: Report | Action): Right {
  return isAction(declared) ? "update" : "read";
}

/** The entries of a report or an action that let callers in; undefined without access. */
export function entriesOf(declared: Report | Action): readonly Entry[] | undefined {
  return declared.access?.[rightOf(declared)];
}

/** Whether a caller may ask for a report, or send an action. */
export function mayAsk(declared: Report | Action, caller: Caller): boolean {
  const entries = entriesOf(declared);
  return !entries || caller.kind === "service" || entries.some((each) => isFor(each, caller));
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
