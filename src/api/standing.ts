// What callers may do before any row is looked at. Callers of one standing have statements of their own, which they
// share.
import { type Right, rolesIn, type Standing } from "../model/access.ts";
import type { Caller } from "../model/caller.ts";
import type { Action, Report, Resource } from "../model/model.ts";
import { admits, mayAsk, rightOf, rightsIn } from "../model/permission.ts";
import { type Seen, seenBy } from "../model/view.ts";
import { forms } from "../statements/forms.ts";

/** Gives the resources as a caller sees them; undefined for a service, which sees them as they are. */
export type SeenBy = (caller: Caller) => Seen | undefined;

/** Makes that function for what is served. */
export function standings(declared: readonly (Resource | Report | Action)[]): SeenBy {
  const named = rolesIn(declared);
  const seen = forms(({ kind, roles }: Standing) => JSON.stringify([kind, ...roles]), seenBy);
  const known = new WeakMap<Caller, Seen>();
  return (caller) => {
    if (caller.kind === "service") return undefined;
    const made = known.get(caller) ?? seen({
      kind: caller.kind,
      roles: named.filter((role) => caller.roles.includes(role)),
    });
    known.set(caller, made);
    return made;
  };
}

/** Makes the function that tells what a caller may do to rows of each resource, which reports it may ask for and
 * which actions it may send; what may be done by routes. */
export function permissions(
  resources: readonly Resource[],
  others: readonly (Report | Action)[],
): (caller: Caller) => Record<string, Right[]> {
  const seenBy = standings([...resources, ...others]);
  return (caller) => {
    const seen = seenBy(caller);
    return Object.fromEntries([
      ...resources.map((resource) => [resource.name, permittedIn(resource, seen)]),
      ...others.map((each) => [each.name, mayAsk(each, caller) ? [rightOf(each)] : []]),
    ]);
  };
}

function permittedIn(resource: Resource, seen: Seen | undefined): Right[] {
  return rightsIn(resource).filter((right) =>
    !seen || admits({ asked: resource, rights: [right] }, seen)
  );
}
