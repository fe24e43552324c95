// The answers of an operation: their statuses, headers, content and links.
import type { Comparison } from "./comparison.ts";
import { compareContent, compareValues } from "./content.ts";
import { members, pairs } from "./json.ts";

/** The responses of an operation, by status. */
type Statuses = ReadonlyMap<string, unknown>;

export function compareResponses(
  comparison: Comparison,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const [was, is] = [statuses(before), statuses(after)];
  const matched = counterparts(was, is);
  for (const [status, other] of matched) {
    compareOne(comparison, `${place} response ${other}`, was.get(status), is.get(other));
  }
  for (const status of was.keys()) {
    if (matched.some(([one]) => one === status)) continue;
    const kind = isSuccess(status, was) ? "success" : "error";
    comparison.report("response", `${kind}-status-removed`, `${place} response ${status}`);
  }
  for (const status of is.keys()) {
    if (matched.some(([, other]) => other === status)) continue;
    const kind = isSuccess(status, is) ? "success" : "error";
    comparison.report("response", `${kind}-status-added`, `${place} response ${status}`);
  }
}

function compareOne(comparison: Comparison, place: string, before: unknown, after: unknown): void {
  const pair = comparison.resolved("response", place, before, after);
  if (!pair) return;
  const [was, is] = [members(pair[0]), members(pair[1])];
  compareHeaders(comparison, place, was["headers"], is["headers"]);
  compareContent(comparison, "response", place, was["content"], is["content"]);
  compareLinks(comparison, place, was["links"], is["links"]);
}

function compareHeaders(
  comparison: Comparison,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const { report } = comparison;
  for (const [name, one, other] of pairs(headers(before), headers(after))) {
    const here = `${place} header ${name}`;
    if (other === undefined) report("response", "header-removed", here);
    else if (one === undefined) report("response", "header-added", here);
    else {
      const pair = comparison.resolved("response", here, one, other);
      if (!pair) continue;
      const [was, is] = [members(pair[0]), members(pair[1])];
      const [wasRequired, isRequired] = [was["required"] === true, is["required"] === true];
      if (!wasRequired && isRequired) report("response", "header-became-required", here);
      if (wasRequired && !isRequired) report("response", "header-became-optional", here);
      if (!was["deprecated"] && is["deprecated"]) report("response", "deprecated", here);
      compareValues(comparison, "response", here, was, is);
    }
  }
}

function compareLinks(
  comparison: Comparison,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const [was, is] = [before, after].map((links) => new Map(Object.entries(members(links))));
  for (const [name, one, other] of pairs(was!, is!)) {
    const here = `${place} link ${name}`;
    if (other === undefined) comparison.report("response", "link-removed", here);
    else if (one === undefined) comparison.report("response", "link-added", here);
    else comparison.leaveUnjudged("response", here, "link", one, other);
  }
}

/** Headers by their name in lower case; the one that the media type says already is no other. */
function headers(value: unknown): Map<string, unknown> {
  const all = Object.entries(members(value)).map(([name, header]) =>
    [name.toLowerCase(), header] as const
  );
  return new Map(all.filter(([name]) => name !== "content-type"));
}

function statuses(responses: unknown): Statuses {
  const all = Object.entries(members(responses)).filter(([status]) => !status.startsWith("x-"));
  return new Map(all.map(([status, response]) => [status.replace(/xx$/i, "XX"), response]));
}

/** The statuses that describe the same answers: a range also those that its document does not tell
 * apart from it, and so does `default` for success. */
function counterparts(was: Statuses, is: Statuses): [status: string, other: string][] {
  // Mostly `default` describes errors alone; the earlier document that has it tells.
  const isWide = isSuccess("default", was.has("default") ? was : is);
  const standIn = (status: string, among: Statuses) => {
    const wider = isWide && status.startsWith("2") ? ["default"] : [];
    return [status, `${status[0]}XX`, ...wider].find((name) => among.has(name));
  };
  return [...was.keys()].flatMap((status) =>
    [...is.keys()]
      .filter((other) => standIn(status, is) === other || standIn(other, was) === status)
      .map((other): [string, string] => [status, other])
  );
}

/** What is neither an error of the client nor of the server; without a 2xx, `default` is it. */
function isSuccess(status: string, among: Statuses): boolean {
  if (status === "default") return ![...among.keys()].some((other) => other.startsWith("2"));
  return !/^[45]/.test(status);
}
