// What the document tells in `x-relata` members, beyond OpenAPI: what a client has to know to show an API
// that it has never seen, and would otherwise guess from names and schemas.
import { isAction } from "../model/action.ts";
import type { Action, Field, Payload, Report, Resource, Verb } from "../model/model.ts";
import { entriesFor, entriesOf, type Permission, permissionsOf } from "../model/permission.ts";
import { changesRows } from "../model/resource.ts";
import { isKeyedByFields } from "../model/table.ts";
import type { ListFilter } from "../statements/filter.ts";
import type { Json } from "./json.ts";

/** The members by where they are, in the order in which they are written. The guide has the same table. */
export const vocabulary = {
  "property of a schema": ["kind", "target", "read", "ordered", "label", "unit"],
  "filter of a list": ["field", "operator", "kind", "target"],
  "parameter of a report": ["kind", "label", "unit"],
  "operation of a resource": ["verb", "field", "follows", "access"],
  "operation of a report": ["access"],
  "parameter of an action": ["kind", "target", "label"],
  "operation of an action": ["access"],
  "tag": ["kind", "title", "display", "key", "label"],
} as const;

type Holder = keyof typeof vocabulary;

/** A field, within the resource that has it; a field of a report is in none, and is no relation. */
export function propertyExtension(field: Field, resource?: Payload): Json {
  const { relation } = field;
  return extension<"property of a schema">({
    ...kindMember(field, resource),
    read: relation && (relation.nested ? "object" : "identifier"),
    ordered: relation?.isOrdered || undefined,
    ...wordsMembers(field),
  });
}

/** A query parameter of a list; nothing of one that is no filter by a field. */
export function filterExtension(filter: ListFilter | undefined): Json {
  if (!filter?.compares) return {};
  const { how, path: { text, owner, field } } = filter.compares;
  return extension<"filter of a list">({ field: text, operator: how, ...kindMember(field, owner) });
}

export function inputExtension(field: Field): Json {
  return extension<"parameter of a report">({ kind: field.kind, ...wordsMembers(field) });
}

export function pathExtension(field: Field, input: Payload): Json {
  return extension<"parameter of an action">({
    ...kindMember(field, input),
    label: field.label,
  });
}

export function operationExtension(resource: Resource, verbs: Verb[]): Json {
  const [verb] = verbs as [Verb];
  return extension<"operation of a resource">({
    verb: verb.name,
    field: verb.operation(resource).candidatesOf,
    follows: verbs.some(({ name }) => name === "follow") || undefined,
    access: resource.access &&
      permissionsOf(verbs.flatMap((each) => entriesFor(resource, each))),
  });
}

/** Whom a report or an action lets in; nothing without access. */
export function sqlExtension(declared: Report | Action): Json {
  const entries = entriesOf(declared);
  return entries
    ? extension<"operation of a report" | "operation of an action">({
      access: permissionsOf(entries),
    })
    : {};
}

/** A tag. A record is what no operation changes. */
export function resourceTagExtension(resource: Resource): Json {
  const { title, display, keys, label } = resource;
  const kind = changesRows(resource) ? "resource" : "record";
  const key = isKeyedByFields(resource) ? keys : undefined;
  return extension<"tag">({ kind, title, display, key, label });
}

export function sqlTagExtension(declared: Report | Action): Json {
  return extension<"tag">({ kind: isAction(declared) ? "action" : "report" });
}

function kindMember({ kind, relation }: Field, resource: Payload | undefined) {
  return { kind, target: resource && relation?.target(resource).name };
}

/** What a field is called, and measured in, for people. */
function wordsMembers({ label, unit }: Field) {
  return { label, unit };
}

/** The members that have a value. */
function extension<In extends Holder>(
  members: {
    [Member in (typeof vocabulary)[In][number]]?:
      | string
      | true
      | string[]
      | Permission[]
      | undefined;
  },
): Json {
  return {
    "x-relata": Object.fromEntries(
      Object.entries(members).filter(([, value]) => value !== undefined),
    ),
  };
}
