// The words that a resource is declared with: fields of the model, verbs of the API.
export { created, identifier, text } from "./model/field.ts";
export { deprecated } from "./model/deprecation.ts";
export { relation } from "./model/relation.ts";
export { resource } from "./model/resource.ts";
export { merge, remove, replace } from "./api/change.ts";
export { choices } from "./api/choices.ts";
export { create } from "./api/create.ts";
export { list } from "./api/list.ts";
export { last, read } from "./api/read.ts";
