// The conditions of requests (RFC 9110, section 13), and the entity tags in them.
import { hash } from "node:crypto";
import * as v from "valibot";
import { Problem, type Representation } from "../errors/problem.ts";
import type { Header, HeaderValues } from "../model/model.ts";
import { TAG_LENGTH } from "../statements/tag.ts";

/** A quoted tag, a weak one marked by `W/`. It is a string, because the `source` of a regular expression would
 * escape the slash in the document. */
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;

/** `*`, or a list of tags, in the form that clients should send. */
const SENT = `^(?:\\*|${TAG}(?:\\s*,\\s*${TAG})*)$`;

/** The form that is accepted: elements of the list may be empty (RFC 9110, section 5.6.1.2). */
const TAKEN = new RegExp(`^(?:\\*|[\\s,]*${TAG}(?:\\s*,[\\s,]*${TAG})*[\\s,]*)$`);

/** Entity tags without their quotes, or `*`. If-None-Match compares weakly, so weak tags count as strong.
 * If-Match compares strongly (RFC 9110, section 8.8.3.2): a weak tag keeps its mark and its quotes, so it
 * equals none of ours. */
function entityTags(description: string, comparison: "weak" | "strong"): Header {
  return v.pipe(
    v.string(),
    v.metadata({ description, pattern: SENT }),
    v.check((list) => TAKEN.test(list), 'entity tags in double quotes, or "*"'),
    v.transform((list) =>
      list === "*" ? ["*"] : [...list.matchAll(/(W\/)?"([^"]*)"/g)]
        .filter(([, , tag]) => tag !== "*") // a "*" in quotes is a tag that nothing has
        .map(([whole, mark, tag]) => mark && comparison === "strong" ? whole : tag!)
    ),
  );
}

export const readConditions = {
  "If-Match": entityTags("The answer must have one of these tags", "strong"),
  "If-None-Match": entityTags(
    "The tags of what the client has: it gets 304 if the answer has one of them",
    "weak",
  ),
};

export const writeConditions = {
  "If-Match": entityTags("The row must have one of these tags, or nothing is written", "strong"),
  "If-None-Match": entityTags(
    "The row must have none of these tags, or nothing is written",
    "weak",
  ),
};

/** The problem of a thing that does not meet the conditions. `current` is the row as it is now, null if it is
 * gone; undefined for what is no row. */
export function unmet(
  name: string,
  headers: HeaderValues,
  current?: Representation | null,
): Problem {
  const sent = Object.keys(writeConditions).filter((header) => headers[header]);
  const hasWeak = headers["If-Match"]?.some((tag) => tag.startsWith('W/"'));
  const help = hasWeak ? ': weak tags (W/"…") never match, send strong ones' : "";
  const detail = `The ${name} does not meet ${sent.join(" and ")}${help}`;
  return new Problem("precondition_failed", detail, { current });
}

export function tagOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, TAG_LENGTH);
}

/** Whether a condition lists a tag, or is `*` (RFC 9110, section 13.1). */
export function matches(tags: string[] | undefined, tag: string): boolean {
  return tags !== undefined && (tags[0] === "*" || tags.includes(tag));
}
