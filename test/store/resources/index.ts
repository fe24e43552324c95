import type { Report, Resource } from "../../house.ts";
import album from "./album.ts";
import artist from "./artist.ts";
import customer from "./customer.ts";
import employee from "./employee.ts";
import genre from "./genre.ts";
import invoice from "./invoice.ts";
import invoiceLine from "./invoice_line.ts";
import label from "./label.ts";
import playlist from "./playlist.ts";
import profile from "./profile.ts";
import review from "./review.ts";
import sales from "./sales.ts";
import shop from "./shop.ts";
import tag from "./tag.ts";
import track from "./track.ts";

/** A resource before those that refer to it. */
export const resources: Resource[] = [
  ...[artist, label, genre, album, tag, track],
  ...[shop, employee, customer, profile, playlist, review, invoice, invoiceLine],
];

export const reports: Report[] = [sales];
