// What the tables of the store demand, and no declaration tells: for the tests that have the store in memory.
import type { Resource } from "../house.ts";

type Row = Record<string, unknown>;

export interface Rules {
  /** The sets of fields whose values are unique, by resource. */
  unique?: Record<string, string[][]>;
  /** The field that a check refuses a row for. */
  rejects?: Record<string, (row: Row) => string | undefined>;
  /** What happens to a row, by its relation, when the row that it refers to is deleted. Others prevent it. */
  onDelete?: Record<string, "cascade" | "set null">;
  /** Which rows a relation may refer to, where these are not all. */
  candidates?: Record<string, (target: Row) => boolean>;
}

/** The relation of a resource, as rules name it. */
export function ruleOf({ name }: Resource, field: string): string {
  return `${name}.${field}`;
}

export const rules: Rules = {
  unique: {
    genre: [["name"]],
    tag: [["name"]],
    track: [["isrc"]],
    customer: [["email"]],
    profile: [["customer"]],
    invoice_line: [["invoice", "track"]],
  },
  rejects: {
    invoice_line: ({ quantity }) => Number(quantity) > 100 ? "quantity" : undefined,
  },
  onDelete: {
    "customer.support": "set null",
    "profile.customer": "cascade",
    "playlist.owner": "set null",
    "playlist.tags": "cascade",
    "review.track": "cascade",
    "review.customer": "set null",
  },
  candidates: {
    "track.genres": ({ active }) => active === true,
  },
};
