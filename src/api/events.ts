// Records as server-sent events (HTML Standard, section 9.2), each with its position: an opaque text for the
// place of the record in the order of all.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import type { ChangeVerb } from "../model/history.ts";
import type { Identifier } from "../model/key.ts";
import type { Resource } from "../model/model.ts";
import { bigintText } from "../model/number.ts";
import type { Place } from "../statements/follow.ts";
import { decoded, encoded } from "./opaque.ts";

export interface Event {
  place: Place;
  /** Empty if there is nothing to tell. */
  text: string;
  /** What the event is of, if it is no record. */
  change?: RowChange;
}

/** What became of a row, and that as it was read after it; without a body, it is gone. */
export interface RowChange {
  verb: ChangeVerb;
  id: Identifier;
  body: string | undefined;
}

/** Events that were read at once, in their order. */
export interface EventPage {
  /** Whether the place after which they were read is one of this database. */
  isKnown: boolean;
  /** Whether there are records that cannot be read yet. */
  isWaiting: boolean;
  /** Whether more may follow. */
  isFull: boolean;
  events: Event[];
  /** The same bytes for all who get the page, however slowly; undefined if it has no events. */
  piece: Piece | undefined;
}

/** Events as they are sent. */
export interface Piece {
  bytes: Uint8Array<ArrayBuffer>;
  events: Event[];
  last: Place;
}

export function pieceOf(events: Event[]): Piece {
  return { bytes: bytesOf(events), events, last: events.at(-1)!.place };
}

export function bytesOf(events: Event[]): Uint8Array<ArrayBuffer> {
  return Buffer.from(events.map(({ text }) => text).join(""));
}

/** The place before every record, which no transaction of an epoch had. */
export function beforeAll({ identifiers }: Resource): Place {
  return { epoch: 0, mark: "", transaction: "0", id: String(identifiers.example) };
}

/** A row, as JSON, as an event of this name. */
export function eventOf(resource: Resource, place: Place, event: string, json: string): Event {
  // A line break can only be between the tokens of the JSON
  const data = json.replaceAll("\n", " ");
  return { place, text: `${positionLine(resource, place)}event: ${event}\ndata: ${data}\n\n` };
}

/** The line that gives a client its position. */
export function positionLine({ name }: Resource, place: Place): string {
  const { epoch, mark, transaction, id } = place;
  return `id: ${encoded([name, epoch, mark, transaction, id])}\n`;
}

/** The place at a position; undefined if that is not one of records of this resource. */
export function placeAt({ name, identifiers }: Resource, position: string): Place | undefined {
  const schema = v.strictTuple([v.literal(name), ...parts, identifiers.stored]);
  const parsed = v.safeParse(schema, decoded(position));
  if (!parsed.success) return undefined;
  const [, epoch, mark, transaction, id] = parsed.output;
  return { epoch, mark, transaction, id };
}

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const parts = [
  natural,
  v.pipe(v.string(), v.regex(/^([\da-f-]{36})?$/)),
  v.pipe(bigintText, v.check((transaction) => !transaction.startsWith("-"))),
] as const;

/** Tells whether a place comes before another one. */
export type IsBefore = (one: Place, other: Place) => boolean;

export function orderOfPlaces({ identifiers }: Resource): IsBefore {
  return (one, other) => {
    if (one.epoch !== other.epoch) return one.epoch < other.epoch;
    if (one.transaction === other.transaction) return identifiers.isBefore(one.id, other.id);
    return BigInt(one.transaction) < BigInt(other.transaction);
  };
}
