// The facts of a document, each at its place, so that two documents can be compared place by place.
import type { Grant } from "./access.ts";
import type { Document } from "./document.ts";
import type { Direction } from "./rules.ts";
import { type Schema, type Shape, shapes } from "./shape.ts";
import { texts } from "./text.ts";

/** Things that may be required. */
type Demanded = "parameter" | "body" | "header" | "member";

/** Things that may be added and removed. */
type PresenceKind = Demanded | "path" | "method" | "media-type" | `${"success" | "error"}-status`;

/** Things that exist as long as their holder: the document, elements of arrays, other members. */
type Given = "root" | "element" | "others";

/** Statuses, media types or members, and whether a range stands for others. */
interface Names {
  listed: readonly string[];
  isOpen: boolean;
}

/** The scopes that a request needs of each scheme. */
export type Requirement = ReadonlyMap<string, readonly unknown[]>;

export interface Facts {
  demand: { kind: Demanded; isRequired: boolean };
  servers: string;
  operationId: string;
  pathNames: string;
  security: Requirement[];
  access: Grant[];
  /** The schemes of the requirements, as text, by name. */
  schemes: ReadonlyMap<string, string>;
  names: Names;
  shape: Shape;
  isDeprecated: boolean;
  /** Parts that no rule judges, as text, by their description. */
  unjudged: Readonly<Record<string, string>>;
}

/** The thing at a place, and its facts. */
export interface Thing {
  direction: Direction;
  kind: PresenceKind | Given;
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

/** A source, and the things found so far in one operation. */
export interface Sheet extends Source {
  things: Things;
}
