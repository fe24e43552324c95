// What every test of the store finds there, in the order in which it is created: the first of each has the
// identifier 1. Examples of the document refer to these.
import { createAll } from "../projects.ts";
import type { Service } from "../service.ts";

const album = { title: "First", artist: 1, label: 1, released: "2001-09-03" };
const track = { name: "One", album: 1, milliseconds: 1000, tags: [1], genres: [1] };
const customer = { name: "Ann", email: "ann@example.org", newsletter: true };

export const rows: Record<string, object[]> = {
  "/api/artists/": [{ name: "Ann and the Bobs", country: "SE" }, { name: "Cid", active: false }],
  "/api/labels/": [{ name: "Loud", founded: 1999 }, {}],
  "/api/genres/": [
    { name: "Rock" },
    { name: "Hard rock", parent: 1 },
    { name: "Glam rock", parent: 2 },
    { name: "Skiffle", active: false },
  ],
  "/api/albums/": [album, { title: "Second", artist: 2, format: "EP" }],
  "/api/tags/": [{ name: "loud" }, { name: "low" }, { name: "live" }],
  "/api/tracks/": [track, { ...track, name: "Two", price: "12.5" }, { ...track, name: "Three" }],
  "/api/shops/": [{ city: "Tromsø" }, { city: "Bodø", opened: "2010-05-17" }],
  "/api/employees/": [
    { name: "Kim", hired: "2015-01-01" },
    { name: "Lea", shop: 1, hired: "2016-01-01", manager: 1, role: "buyer" },
    { name: "Max", shop: 2, hired: "2017-01-01", manager: 2, role: null },
  ],
  "/api/customers/": [customer, { ...customer, email: "bob@example.org", support: 3 }],
  "/api/profiles/": [{
    customer: 2,
    seen: "2026-11-21T10:30:00+01:00",
    settings: { theme: "dark" },
    interests: ["jazz", "old tape"],
  }],
  "/api/playlists/": [{ name: "Mix", owner: 1, tracks: [3, 1], tags: [2, 1] }],
  "/api/reviews/": [{ track: 1, customer: 1, stars: 5, opinion: "Good" }],
  "/api/invoices/": [{ customer: 1, total: "25" }],
  "/api/invoice-lines/": [{ invoice: 1, track: 2, quantity: 2, price: "12" }],
};

/** Creates all of them. */
export function fill(service: Pick<Service, "send">): Promise<void> {
  return createAll(rows, service);
}
