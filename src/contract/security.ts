// Who may call an operation: alternatives, each of schemes that must be met together.
import type { Comparison } from "./comparison.ts";
import { type Document, resolve } from "./document.ts";
import { elements, literal, type Members, members } from "./json.ts";
import { isAnnotation } from "./same.ts";

/** What a request holds, or needs, of one scheme. */
interface Credential {
  /** What the scheme is, whatever its name. */
  scheme: string;
  /** The addresses of each OAuth 2 flow. */
  flows: ReadonlyMap<string, string>;
  scopes: readonly unknown[];
}

export function compareSecurity(
  comparison: Comparison,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const was = requirements(comparison.before, before);
  const is = requirements(comparison.after, after);
  const isLost = was.some((held) => !is.some((needed) => suffices(held, needed)));
  const isAdded = is.some((held) => !was.some((needed) => suffices(held, needed)));
  if (isLost) comparison.report("request", "security-tightened", place);
  if (isAdded) comparison.report("request", "security-loosened", place);
}

/** Whether a caller who holds the one is let in where the other is needed. */
function suffices(held: readonly Credential[], needed: readonly Credential[]): boolean {
  return needed.every(({ scheme, flows, scopes }) =>
    held.some((one) =>
      one.scheme === scheme &&
      [...one.flows].every(([name, addresses]) => flows.get(name) === addresses) &&
      scopes.every((scope) => one.scopes.includes(scope))
    )
  );
}

/** The alternatives; no requirement at all is one that everybody meets. */
function requirements(document: Document, value: unknown): Credential[][] {
  const all = elements(value).map((one) =>
    Object.entries(members(one)).map(([name, scopes]) => credential(document, name, scopes))
  );
  return all.length > 0 ? all : [[]];
}

function credential(document: Document, name: string, scopes: unknown): Credential {
  const schemes = members(members(document["components"])["securitySchemes"]);
  const known = Object.hasOwn(schemes, name) ? members(resolve(document, schemes[name])) : { name };
  const { flows, scheme, ...rest } = known as Members;
  return {
    // The name of an HTTP scheme has no case (RFC 9110, section 11.1).
    scheme: said({ ...rest, scheme: typeof scheme === "string" ? scheme.toLowerCase() : scheme }),
    flows: new Map(
      Object.entries(members(flows)).map(([flow, value]) => [flow, said(members(value))]),
    ),
    scopes: elements(scopes),
  };
}

/** What says nothing of who is let in: the scopes that a flow lists only describe. */
const hints = new Set(["scopes", "bearerFormat", "refreshUrl"]);

function said(value: Members): string {
  const all = Object.entries(value).filter(([name]) => !hints.has(name) && !isAnnotation(name));
  return literal(Object.fromEntries(all));
}
