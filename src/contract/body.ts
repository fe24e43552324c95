// The body of a request.
import type { Comparison } from "./comparison.ts";
import { compareContent } from "./content.ts";
import { members } from "./json.ts";

export function compareBodies(
  comparison: Comparison,
  place: string,
  before: unknown,
  after: unknown,
): void {
  const { report } = comparison;
  const here = `${place} request`;
  const pair = comparison.resolved("request", here, before, after);
  if (!pair) return;
  const [was, is] = pair.map((body) => body === undefined ? undefined : members(body));
  const isRequired = is?.["required"] === true;
  if (!was && !is) return;
  if (!is) return report("request", "body-removed", here);
  if (!was) return report("request", `${isRequired ? "required" : "optional"}-body-added`, here);
  const wasRequired = was["required"] === true;
  if (!wasRequired && isRequired) report("request", "body-became-required", here);
  if (wasRequired && !isRequired) report("request", "body-became-optional", here);
  compareContent(comparison, "request", here, was["content"], is["content"]);
}
