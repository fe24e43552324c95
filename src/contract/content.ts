// The common parts of requests and responses: parameters, headers, and bodies by media type.
import { unfollowedReference } from "./document.ts";
import type { Sheet } from "./facts.ts";
import { type Members, members } from "./json.ts";
import { addSchema } from "./schema.ts";

/** Adds a parameter, or a header, which is described like one, with its schema. */
export function addParameter(
  sheet: Sheet,
  place: string,
  holder: string,
  kind: "parameter" | "header",
  own: Members,
): void {
  const { schema, content } = own;
  const isForm = own["in"] === "query" || own["in"] === "cookie";
  const { style = isForm ? "form" : "simple" } = own;
  const { explode = style === "form", allowReserved = false, allowEmptyValue = false } = own;
  const notation = sheet.text({ content, style, explode, allowReserved, allowEmptyValue });
  addSchema(sheet, place, {
    direction: kind === "parameter" ? "request" : "response",
    kind,
    holder,
    facts: {
      demand: { kind, isRequired: own["required"] === true },
      isDeprecated: own["deprecated"] === true,
      unjudged: { ...unfollowedReference(own), "the notation": notation },
    },
  }, schema);
}

/** Adds the media types of a body. */
export function addContent(sheet: Sheet, place: string, content: unknown): void {
  const { direction, facts } = sheet.things.get(place)!;
  const entries = Object.entries(members(content));
  // Two spellings of one media type keep their names
  const all = new Map(
    [...Map.groupBy(entries, ([name]) => mediaTypeOf(name))].flatMap(([usual, spellings]) =>
      spellings.map(([name, media]) => [spellings.length === 1 ? usual : name, members(media)])
    ),
  );
  const listed = [...all.keys()];
  facts.names = { listed, isOpen: listed.some((name) => name.includes("*")) };
  for (const [name, { schema, encoding }] of all) {
    const unjudged = { "an encoding": sheet.text({ encoding }) };
    const thing = { direction, kind: "media-type", holder: place, facts: { unjudged } } as const;
    addSchema(sheet, `${place} ${name}`, thing, schema);
  }
}

/** One spelling for each media type: JSON is always in UTF-8. */
function mediaTypeOf(name: string): string {
  return name.toLowerCase().replaceAll(/\s/g, "").replace(/;charset="?utf-8"?/, "");
}
