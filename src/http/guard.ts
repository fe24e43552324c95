// Whom an endpoint lets in before any row is looked at, and what it does for each.
import type { SeenBy } from "../api/standing.ts";
import { Problem } from "../errors/problem.ts";
import { type Caller, nobody } from "../model/caller.ts";
import type { Handler, Report, Resource, Service, Verb } from "../model/model.ts";
import { admits, isOpenVerb, mayAsk, needOf } from "../model/permission.ts";
import type { Seen } from "../model/view.ts";
import { noToken } from "./challenge.ts";

/** Whom an endpoint lets in, and what it does. */
export interface Guarded {
  /** Whether it lets in who sends no token. */
  isOpen: boolean;
  /** Throws a problem about a caller whom it does not let in. */
  admit(caller: Caller): unknown;
  handle: Handler;
}

/** Whom a report lets in that has rules. */
export function guardedReport(report: Report): Pick<Guarded, "isOpen" | "admit"> {
  return {
    isOpen: mayAsk(report, nobody),
    admit: (caller) => mayAsk(report, caller) || refuse(caller, `ask for ${report.name}`),
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
  const handle = verb.prepare(resource, pattern, service);
  const handlers = new WeakMap<Seen, Handler>();
  const need = needOf(resource, verb);
  const what = `${need.rights[0]} any ${need.asked.name}`;
  return {
    isOpen: isOpenVerb(resource, verb),
    admit(caller) {
      const seen = seenBy(caller);
      return !seen || admits(need, seen) || refuse(caller, what);
    },
    handle(call) {
      const seen = seenBy(call.caller);
      if (!seen) return handle(call);
      const own = handlers.get(seen) ?? verb.prepare(seen(resource), pattern, service);
      handlers.set(seen, own);
      return own(call);
    },
  };
}
