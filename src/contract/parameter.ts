// Parameters of the path, the query, headers and cookies: what clients send beside the body.
import { schemaOf } from "./alternative.ts";
import type { Comparison } from "./comparison.ts";
import { compareValues } from "./content.ts";
import { type Members, pairs } from "./json.ts";
import type { Operation } from "./operation.ts";
import type { Reader } from "./reader.ts";

/** What a server may allow in the text of a parameter, by the member that says so. */
const allowances = { allowReserved: "reserved characters", allowEmptyValue: "an empty value" };

export function compareParameters(
  comparison: Comparison,
  place: string,
  was: Operation,
  is: Operation,
): void {
  const { report } = comparison;
  if (was.pathNames.join() !== is.pathNames.join()) {
    const [from, to] = [was.pathNames.join(", "), is.pathNames.join(", ")];
    report("request", "path-parameter-renamed", place, `${from}, now ${to}`);
  }
  const moves = movesBetween(was, is);
  for (const [key, before, after] of pairs(was.parameters, is.parameters)) {
    const here = `${place} ${key}`;
    if (before && after) {
      compareOne(comparison, here, before, after);
    } else if (before) {
      const target = moves.get(before);
      if (target) report("request", "parameter-moved", here, `now in ${target["in"]}`);
      else report("request", "parameter-removed", here);
    } else if (after && ![...moves.values()].includes(after)) {
      const isRequired = after["required"] === true;
      report("request", `${isRequired ? "required" : "optional"}-parameter-added`, here);
    }
  }
  const [lost, found] = [[...was.lostParameters].sort(), [...is.lostParameters].sort()];
  comparison.leaveUnjudged("request", place, "parameters", lost, found);
}

function compareOne(comparison: Comparison, place: string, was: Members, is: Members): void {
  const { report } = comparison;
  const [wasRequired, isRequired] = [was["required"] === true, is["required"] === true];
  if (!wasRequired && isRequired) report("request", "parameter-became-required", place);
  if (wasRequired && !isRequired) report("request", "parameter-became-optional", place);
  if (!was["deprecated"] && is["deprecated"]) report("request", "deprecated", place);
  const { before, after } = comparison.readers;
  const canExplode = hasParts(before, was) && hasParts(after, is);
  const [from, to] = [styleOf(was, canExplode), styleOf(is, canExplode)];
  if (from !== to) report("request", "parameter-style-changed", place, `${from}, now ${to}`);
  for (const [name, allowed] of Object.entries(allowances)) {
    const isLost = was[name] === true && is[name] !== true;
    if (isLost) report("request", "parameter-style-changed", place, `${allowed} no longer allowed`);
  }
  compareValues(comparison, "request", place, was, is);
}

/** Parameters that are gone, and the one of the same name that is new in another location. */
function movesBetween(was: Operation, is: Operation): Map<Members, Members> {
  const gone = [...was.parameters].filter(([key]) => !is.parameters.has(key));
  const added = [...is.parameters].filter(([key]) => !was.parameters.has(key));
  return new Map(gone.flatMap(([, before]) => {
    const after = added.find(([, { name }]) => name === before["name"])?.[1];
    return after ? [[before, after]] : [];
  }));
}

/** Whether a parameter may hold an array or an object, each part of which may be sent by itself. */
function hasParts(read: Reader, { schema }: Members): boolean {
  return read(schemaOf(schema)).some(({ type }) => type === "array" || type === "object");
}

/** The notation of a parameter, with what holds where it does not say (OpenAPI 3.1, 4.8.12.2). */
function styleOf(parameter: Members, canExplode: boolean): string {
  if (parameter["content"]) return "by media type";
  const location = parameter["in"];
  const style = parameter["style"] ??
    (location === "query" || location === "cookie" ? "form" : "simple");
  const explode = parameter["explode"] ?? style === "form";
  return canExplode && explode === true ? `${style}, exploded` : `${style}`;
}
