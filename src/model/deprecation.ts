// Deprecations of routes and fields: declared in one place, announced in headers and in the document.
import { changed, isField } from "./field.ts";
import { isVerb } from "./mistakes.ts";
import type { Deprecation, Field, Resource, Verb } from "./model.ts";
import type { Options } from "./options.ts";
import { nestedIn } from "./resource.ts";
import { checkedOptions, describeValue, word } from "./word.ts";

/** Deprecates a route's verb or a field; it works as before. */
export const deprecated = word(
  <What extends Verb | Field>(what: What, deprecation: Options["deprecated"]): What => {
    const checked = { deprecation: checkedOptions("deprecated", deprecation) };
    if (isField(what)) return changed(what, (field) => ({ ...field, ...checked }));
    if (isVerb(what)) return { ...what, ...checked };
    throw new Error(`deprecated takes a field or a verb, not ${describeValue(what)}`);
  },
);

/** The deprecations of a route: its own, and those of the fields in its bodies. */
export function deprecationsOf(resource: Resource, verb: Verb): Deprecation[] {
  const own = verb.deprecation ? [verb.deprecation] : [];
  const { holds } = verb.operation(resource).answer;
  return holds === "choices" || holds === "nothing" ? own : [...own, ...ofFields(resource)];
}

/** The headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, if anything is deprecated. */
export function deprecationHeaders(deprecations: Deprecation[]): Record<string, string> {
  const first = (days: (string | undefined)[]) => days.filter((day) => day !== undefined).sort()[0];
  const since = first(deprecations.map(({ since }) => since));
  const sunset = first(deprecations.map(({ sunset }) => sunset));
  const links = deprecations.flatMap(({ link }) => link ? [`<${link}>; rel="deprecation"`] : []);
  return {
    ...(since && { Deprecation: `@${new Date(since).getTime() / 1000}` }),
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(links.length > 0 && { Link: links.join(", ") }),
  };
}

/** The deprecations of some fields, without those of the objects in them. */
export function deprecationsIn(fields: Record<string, Field>): Deprecation[] {
  return Object.values(fields).flatMap(({ deprecation }) => deprecation ? [deprecation] : []);
}

function ofFields(resource: Resource): Deprecation[] {
  const nested = Object.values(resource.fields).flatMap(({ relation }) =>
    relation?.nested ? ofFields(nestedIn(resource, relation)) : []
  );
  return [...deprecationsIn(resource.fields), ...nested];
}
