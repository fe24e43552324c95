// Whom an endpoint lets in before any row is looked at, and what it does for each.
import type { SeenBy } from "../api/standing.ts";
import { Problem } from "../errors/problem.ts";
import { type Caller, nobody } from "../model/caller.ts";
import { isAction } from "../model/action.ts";
import type { Action, Handler, Report, Resource, Service, Verb } from "../model/model.ts";
import { admits, isOpenVerb, mayAsk, needOf } from "../model/permission.ts";
import type { Seen } from "../model/view.ts";
import { noToken } from "./challenge.ts";

/** Whom an endpoint lets in, and what it does. */
interface Guarded {
  /** Whether it lets in who sends no token. */
  isOpen: boolean;
  /** Throws a problem about a caller whom it does not let in. */
  admit(caller: Caller): unknown;
  handle: Handler;
}

/** Whom a report or an action lets in that has rules. */
export function guardedSql(declared: Report | Action): Pick<Guarded, "isOpen" | "admit"> {
  const what = `${isAction(declared) ? "send" : "ask for"} ${declared.name}`;
  return {
    isOpen: mayAsk(declared, nobody),
    admit: (caller) => mayAsk(declared, caller) || refuse(caller, what),
  };
}

/** Makes the handler that hands a request to the one for callers of its standing, which is made once; without one, to
 * that of services. */
export function byStanding(make: (seen?: Seen) => Handler, seenBy: SeenBy): Handler {
  const handle = make();
  const handlers = new WeakMap<Seen, Handler>();
  return (call) => {
    const seen = seenBy(call.caller);
    if (!seen) return handle(call);
    const own = handlers.get(seen) ?? make(seen);
    handlers.set(seen, own);
    return own(call);
  };
}

/** Throws the problem of a caller whom nothing lets in. */
function refuse(caller: Caller, what: string): never {
  if (caller.kind === "nobody") throw noToken();
  throw new Problem("forbidden", `You may not ${what}`);
}

/** A verb of a resource that has rules. */
export function guarded(
  resource: Resource,
  verb: Verb,
  pattern: string,
  service: Service,
  seenBy: SeenBy,
): Guarded {
  const need = needOf(resource, verb);
  const [right] = need.rights;
  const what = `${right === "history" ? "read the history of" : right} any ${need.asked.name}`;
  return {
    isOpen: isOpenVerb(resource, verb),
    admit(caller) {
      const seen = seenBy(caller);
      return !seen || admits(need, seen) || refuse(caller, what);
    },
    handle: byStanding(
      (seen) => verb.prepare(seen ? seen(resource) : resource, pattern, service),
      seenBy,
    ),
  };
}
