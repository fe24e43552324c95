// The responses of an operation: their statuses, headers and content.
import { addContent, addParameter } from "./content.ts";
import { resolve, unfollowedReference } from "./document.ts";
import type { Sheet, Thing } from "./facts.ts";
import { members } from "./json.ts";

export function addResponses(sheet: Sheet, holder: string, responses: unknown): void {
  const statuses = new Map(
    Object.entries(members(responses)).filter(([status]) => !status.startsWith("x-"))
      .map(([status, response]) => [status.replace(/xx$/i, "XX"), response]),
  );
  const listed = [...statuses.keys()];
  // Usually `default` describes only errors; without a 2xx it describes success too
  const isWide = !listed.some((status) => status.startsWith("2"));
  const isRange = (status: string) => status.endsWith("XX") || (isWide && status === "default");
  sheet.things.get(holder)!.facts.names = { listed, isOpen: listed.some(isRange) };
  for (const [status, response] of statuses) {
    const isError = /^[45]/.test(status) || (status === "default" && !isWide);
    const kind = isError ? "error-status" : "success-status";
    const thing = { direction: "response", kind, holder, facts: {} } as const;
    addResponse(sheet, `${holder} response ${status}`, thing, resolve(sheet.document, response));
  }
}

function addResponse(sheet: Sheet, place: string, thing: Thing, response: unknown): void {
  const { headers, content, links } = members(response);
  const unjudged = { ...unfollowedReference(response), "a link": sheet.text({ links }) };
  sheet.things.set(place, { ...thing, facts: { unjudged } });
  const named = new Map(
    Object.entries(members(headers)).map(([name, header]) => [name.toLowerCase(), header]),
  );
  named.delete("content-type"); // the media type says it already
  for (const [name, header] of named) {
    const own = members(resolve(sheet.document, header));
    addParameter(sheet, `${place} header ${name}`, place, "header", own);
  }
  addContent(sheet, place, content);
}
