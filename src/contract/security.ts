// Who may call an operation: alternatives, each of schemes that must be met together.
import type { Comparison } from "./comparison.ts";
import { type Document, resolve } from "./document.ts";
import { elements, type Members, members } from "./json.ts";

/** The scopes that a request holds, or needs, by the name of the scheme. */
type Requirement = [scheme: string, scopes: unknown[]][];

export function compareSecurity(
  comparison: Comparison,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const [was, is] = [requirements(before), requirements(after)];
  const isSame = (old: string, now: string) =>
    comparison.same(schemeOf(comparison.before, old), schemeOf(comparison.after, now));
  const isLost = was.some((held) => !is.some((needed) => suffices(held, needed, isSame)));
  const isAdded = is.some((held) =>
    !was.some((needed) => suffices(held, needed, (now, old) => isSame(old, now)))
  );
  if (isLost) comparison.report("request", "security-tightened", place);
  if (isAdded) comparison.report("request", "security-loosened", place);
}

/** Whether a caller who holds the one is let in where the other is needed. */
function suffices(
  held: Requirement,
  needed: Requirement,
  isSame: (held: string, needed: string) => boolean,
): boolean {
  return needed.every(([scheme, scopes]) =>
    held.some(([name, granted]) =>
      isSame(name, scheme) && scopes.every((scope) => granted.includes(scope))
    )
  );
}

/** The alternatives; no requirement at all is one that everybody meets. */
function requirements(value: unknown): Requirement[] {
  const all = elements(value).map((one) =>
    Object.entries(members(one)).map(([name, scopes]): Requirement[number] => [
      name,
      elements(scopes),
    ])
  );
  return all.length > 0 ? all : [[]];
}

/** What a scheme is whatever its name; the scopes that it lists only describe. */
function schemeOf(document: Document, name: string): unknown {
  const schemes = members(members(document["components"])["securitySchemes"]);
  const scheme = Object.hasOwn(schemes, name) ? resolve(document, schemes[name]) : undefined;
  if (scheme === undefined) return { name };
  const { flows, ...rest } = members(scheme);
  const bare = Object.entries(members(flows)).map(([flow, value]) => {
    const { scopes: _, ...addresses } = members(value) as Members;
    return [flow, addresses];
  });
  return { ...rest, flows: Object.fromEntries(bare) };
}
