// The APIs that the generated tests ask: the one of the specification, the music store, which has every kind of
// field and relation, and the conference, which has identifiers of every type.
import { conference as conferenceProject } from "../conference/conference.ts";
import { openapiDocument, pages, type Report, type Resource, resources } from "../house.ts";
import { type Project, type Rules, tenRowsOf } from "../projects.ts";
import { store as storeProject } from "../store/store.ts";
import type { Json } from "./arbitrary.ts";

export interface Api {
  resources: Resource[];
  reports: Report[];
  /** SQL that makes its tables, where the migrations of the server do not, with rows that requests can refer
   * to. */
  tables: string;
  /** What the tables demand beyond the declarations. */
  rules: Rules;
  /** What clients create at first, by its path, where all is to be known of what there is. */
  rows: Record<string, object[]>;
}

export const specification: Api = { resources, reports: [], tables: "", rules: {}, rows: {} };

export const store = apiOf(storeProject);
export const conference = apiOf(conferenceProject);

function apiOf(project: Project): Api {
  return { ...project, tables: project.up + tenRowsOf(project) };
}

/** The document of an API. */
export function documentOf({ resources, reports }: Api): Json {
  return openapiDocument({ baseUrl: "http://relata.test", resources, reports, pages });
}

/** The schema that a document has for each field of a resource that is sent. */
export function writtenSchemas(document: Json, { title }: Resource): Record<string, Json> {
  return document.components.schemas[`${title}Write`].properties;
}
