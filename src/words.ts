// The words that a project is declared with. `types/relata.d.ts` explains each.

// A resource: fields and routes
export { resource } from "./api/resource.ts";
export type { Resource } from "./model/model.ts";

// Fields: what they hold
export { array } from "./model/array.ts";
export { boolean } from "./model/boolean.ts";
export { bytes } from "./model/bytes.ts";
export { identifier } from "./model/identifier.ts";
export { json } from "./model/json.ts";
export { decimal, integer, number } from "./model/number.ts";
export { pgType } from "./model/pg-type.ts";
export { choice, text } from "./model/text.ts";
export { created, date, time, timestamp } from "./model/time.ts";
export { uuid } from "./model/uuid.ts";

// Fields: which rows they refer to
export { many } from "./model/many.ts";
export { owned } from "./model/owned.ts";
export { relation } from "./model/relation.ts";

// Fields: what is true of any of them
export { deprecated } from "./model/deprecation.ts";
export { nullable, readonly } from "./model/field.ts";

// A report: SQL at a path
export type { Report } from "./model/model.ts";
export { optional } from "./model/parameter.ts";
export { report } from "./model/report.ts";

// An action: SQL that writes, at a path
export type { Action } from "./model/model.ts";
export { action } from "./model/action.ts";

// Access: who may do what to which rows
export { anyone, authenticated, claim, inherit, role } from "./model/grant.ts";

// Verbs: what routes read
export { choices } from "./api/choices.ts";
export { follow } from "./api/follow.ts";
export { followChanges } from "./api/follow-changes.ts";
export { changes } from "./api/history.ts";
export { list } from "./api/list.ts";
export { last, read } from "./api/read.ts";

// Verbs: what routes write
export { createBatch } from "./api/batch.ts";
export { merge, remove, replace } from "./api/change.ts";
export { create } from "./api/create.ts";
