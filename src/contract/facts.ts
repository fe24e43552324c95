// Facts: what a document says, each at its place, so that two documents are compared place by place.
import type { Document } from "./document.ts";
import type { Direction } from "./rules.ts";
import { type Schema, type Shape, shapes } from "./shape.ts";
import { texts } from "./text.ts";

/** What may be required. */
export type Demanded = "parameter" | "body" | "header" | "member";

/** What may come and go. */
export type Kind = Demanded | "path" | "method" | "media-type" | `${"success" | "error"}-status`;

/** What comes and goes only with its holder: the document, elements of arrays, other members. */
export type Given = "root" | "element" | "others";

/** Statuses, media types or members, and whether a range beside them stands for others. */
export interface Names {
  listed: readonly string[];
  isOpen: boolean;
}

/** The scopes that a request needs of each scheme. */
export type Requirement = ReadonlyMap<string, readonly unknown[]>;

/** All that may be said at a place. */
export interface Facts {
  demand: { kind: Demanded; isRequired: boolean };
  servers: string;
  operationId: string;
  pathNames: string;
  security: Requirement[];
  /** What the schemes of the requirements are, as text by name. */
  schemes: ReadonlyMap<string, string>;
  names: Names;
  shape: Shape;
  isDeprecated: boolean;
  /** What no rule judges, as text, by what it is called. */
  unjudged: Readonly<Record<string, string>>;
}

/** What stands at a place, and what is said of it there. */
export interface Thing {
  direction: Direction;
  kind: Kind | Given;
  /** The place that holds it. */
  holder: string;
  facts: Partial<Facts>;
}

/** Things by place, each after its holder. */
export type Things = Map<string, Thing>;

/** How one document is read. */
export interface Source {
  document: Document;
  shape(schema: Schema): Shape;
  text(value: unknown): string;
}

export function sourceOf(document: Document): Source {
  return { document, shape: shapes(document), text: texts(document) };
}

/** Where the things of one operation are put down. */
export interface Sheet extends Source {
  things: Things;
}
