// The words that resources and reports are declared with: fields of the model, verbs of the API.
export { boolean, nullable, readonly } from "./model/field.ts";
export { decimal, identifier, integer, number } from "./model/number.ts";
export { choice, text } from "./model/text.ts";
export { created, date, timestamp } from "./model/time.ts";
export { deprecated } from "./model/deprecation.ts";
export { many } from "./model/many.ts";
export { optional } from "./model/parameter.ts";
export { relation } from "./model/relation.ts";
export { report } from "./model/report.ts";
export { merge, remove, replace } from "./api/change.ts";
export { createBatch } from "./api/batch.ts";
export { choices } from "./api/choices.ts";
export { create } from "./api/create.ts";
export { list } from "./api/list.ts";
export { last, read } from "./api/read.ts";
export { resource } from "./api/resource.ts";
export type { Report, Resource } from "./model/model.ts";
