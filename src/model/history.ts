// What became of rows whose resource has `history: true`. Their changes are rows of a table of the server, and so a
// resource like any other, which is listed and followed.
import { sql } from "../db/sql.ts";
import { nullable } from "./field.ts";
import { identifier } from "./identifier.ts";
import { json } from "./json.ts";
import type { Resource } from "./model.ts";
import { declaredOf, makeResource, ownerOf } from "./resource.ts";
import { choice, text } from "./text.ts";
import { timestamp } from "./time.ts";
import { allRows } from "./view.ts";

/** What becomes of a row. */
const changeVerbs = ["created", "changed", "deleted"] as const;

export type ChangeVerb = (typeof changeVerbs)[number];

const change = makeResource("change", {
  table: "relata_change",
  fields: {
    id: identifier(),
    at: timestamp({ description: "When the transaction of the change began" }),
    caller: nullable(text({ description: "Who made it: a subject, or a token such as `token 3`" })),
    resource: text(),
    row: text({ description: "The identifier of the row" }),
    verb: choice([...changeVerbs]),
    before: nullable(json({ only: "object", description: "The fields as they were written" })),
    after: nullable(json({ only: "object", description: "The fields as they are written" })),
  },
  filter: ["row"],
  routes: {},
});

/** The changes of rows of a resource: those rows of the table that are about it. */
export function changesOf(resource: Resource): Resource {
  const declared = declaredOf(resource);
  const made = known.get(declared) ?? {
    ...change,
    name: `${declared.name}_change`,
    title: `${declared.title}Change`,
    changesOf: declared,
    view: {
      declared: change,
      of: (other) => other,
      rule: (right) =>
        right === "read"
          ? { ...allRows, of: "some", holds: (row) => sql`${row}.resource = ${declared.name}` }
          : allRows,
    },
  } satisfies Resource;
  known.set(declared, made);
  return made;
}

const known = new WeakMap<Resource, Resource>();

/** The resource in whose history a write to rows is: their own, or that of what owns them at last; undefined if neither
 * has any. */
export function keeperOf(resource: Resource): Resource | undefined {
  const declared = declaredOf(resource);
  if (declared.history) return declared;
  const owner = ownerOf(declared);
  return owner && keeperOf(owner.resource);
}

/** Whether only another statement knows what a write has left: that of rows that others own does not show these whole. */
export function isKeptLater(resource: Resource): boolean {
  const keeper = keeperOf(resource);
  return keeper !== undefined && keeper !== declaredOf(resource);
}
