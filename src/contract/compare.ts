// From two documents to every change between them, in the order of a request: path, method, what is
// sent, what comes back.
import { compareBodies } from "./body.ts";
import { type Change, type Comparison, comparison as compareInto } from "./comparison.ts";
import type { Document } from "./document.ts";
import { pairs } from "./json.ts";
import { type Operation, type Path, paths } from "./operation.ts";
import { compareParameters } from "./parameter.ts";
import { compareResponses } from "./response.ts";
import { compareSecurity } from "./security.ts";

export function compare(before: Document, after: Document): Change[] {
  const { comparison, changes } = compareInto(before, after);
  if (!comparison.same(before["servers"], after["servers"])) {
    comparison.report("request", "servers-changed", "servers");
  }
  for (const [shape, was, is] of pairs(paths(before), paths(after))) {
    if (was && is) comparePaths(comparison, shape, was, is);
    else comparison.report("request", was ? "path-removed" : "path-added", shape);
  }
  comparison.leaveUnjudged(
    "request",
    "webhooks",
    "webhooks",
    before["webhooks"],
    after["webhooks"],
  );
  return changes();
}

function comparePaths(comparison: Comparison, shape: string, was: Path, is: Path): void {
  comparison.leaveUnjudged("request", shape, "$ref", was.lost, is.lost);
  for (const [method, before, after] of pairs(was.operations, is.operations)) {
    const place = `${method} ${shape}`;
    if (before && after) compareOperations(comparison, place, before, after);
    else comparison.report("request", before ? "method-removed" : "method-added", place);
  }
}

function compareOperations(
  comparison: Comparison,
  place: string,
  was: Operation,
  is: Operation,
): void {
  const [before, after] = [was.own, is.own];
  if (!before["deprecated"] && after["deprecated"]) {
    comparison.report("request", "deprecated", place);
  }
  const [from, to] = [before["operationId"] ?? "none", after["operationId"] ?? "none"];
  if (from !== to) {
    comparison.report("request", "operation-renamed", place, `${from}, now ${to}`);
  }
  if (!comparison.same(was.servers, is.servers)) {
    comparison.report("request", "servers-changed", place);
  }
  compareSecurity(comparison, place, was.security, is.security);
  compareParameters(comparison, place, was, is);
  compareBodies(comparison, place, before["requestBody"], after["requestBody"]);
  compareResponses(comparison, place, before["responses"], after["responses"]);
  comparison.leaveUnjudged("request", place, "callbacks", before["callbacks"], after["callbacks"]);
}
