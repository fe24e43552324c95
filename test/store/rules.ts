// What the tables of the store demand, and no declaration tells.
import type { Rules } from "../projects.ts";

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
