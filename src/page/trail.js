// The way back and on: of each resource, the page of its list that this tab saw last, so that rows and forms lead back
// to it as it was narrowed and sorted, and on to the rows beside them. It is kept until the tab is closed: addresses
// and identifiers, no rows.
import { pageAddress } from "./address.js";
import { readJson, root } from "./client.js";
import { inTab } from "./keep.js";

/** Pages of a list whose place in it is known, at most. */
const KNOWN = 100;

/**
 * @typedef {object} Seen
 * @property {string} address of the page
 * @property {number} y how far it was scrolled when it was left
 * @property {import("./identifiers.js").Identifier[]} rows those on it, in order
 * @property {string | undefined} next the address of the page after it
 * @property {Record<string, PlaceOfPage>} pages by their addresses
 */

/** @typedef {{ from: number, before?: string }} PlaceOfPage how many rows come before a page, and the page before it */

/** @param {import("./contract.js").Resource} resource */
const keyOf = ({ name }) => `${root} list of ${name}`;

/**
 * @param {import("./contract.js").Resource} resource
 * @returns {Seen | undefined}
 */
export const lastSeen = (resource) => JSON.parse(inTab.get(keyOf(resource)) ?? "null") ?? undefined;

/** @param {import("./contract.js").Resource} resource @param {Seen} seen */
const keep = (resource, seen) => inTab.set(keyOf(resource), JSON.stringify(seen));

/**
 * Where one goes back to the list of a resource.
 * @param {import("./contract.js").Resource} resource
 */
export const listAddress = (resource) => lastSeen(resource)?.address ?? pageAddress(resource.path);

/**
 * Keeps a page of a list. Gives where it is, if this tab has come to it from the first, and the address of the next.
 * @param {import("./contract.js").Resource} resource
 * @param {URLSearchParams} query that of its address
 * @param {{ items: any[], next: string | null }} page
 * @returns {{ place: PlaceOfPage | undefined, next: string | undefined }}
 */
export function remember(resource, query, { items, next }) {
  const address = pageAddress(resource.path, query);
  const { address: last, y = 0, pages = {} } = lastSeen(resource) ?? {};
  const place = query.has("cursor") ? pages[address] : { from: 0 };
  // In the page's own spelling
  const after = next === null ? undefined : pageAddress(resource.path, queryOf(next));
  if (place && after) pages[after] = { from: place.from + items.length, before: address };
  keep(resource, {
    address,
    y: address === last ? y : 0,
    rows: items.map(resource.identifierOf),
    next: after,
    pages: Object.fromEntries(Object.entries(pages).slice(-KNOWN)),
  });
  return { place, next: after };
}

/**
 * What an address asks for, without what the page asks for by itself.
 * @param {string} address
 */
function queryOf(address) {
  const query = new URLSearchParams(address.split("?")[1]);
  query.delete("etags");
  return query;
}

/**
 * @param {import("./contract.js").Resource} resource
 * @param {number} y how far its list is scrolled where it is left
 */
export function leaveList(resource, y) {
  const seen = lastSeen(resource);
  if (seen) keep(resource, { ...seen, y });
}

/**
 * The row before or after a row in the list; where that begins or ends a page, the address of the page beside it.
 * Undefined at the ends, and where the row was not on the page.
 * @param {import("./docs.js").Context} context
 * @param {1 | -1} by
 */
export function rowBeside({ resource, identifier }, by) {
  const seen = lastSeen(resource);
  const at = seen?.rows.findIndex((one) => String(one) === identifier) ?? -1;
  if (!seen || at < 0) return undefined;
  const row = seen.rows[at + by];
  const page = by > 0 ? seen.next : seen.pages[seen.address]?.before;
  return row === undefined ? page && { page } : { row };
}

/**
 * Turns to the page beside the one that was seen last.
 * @param {import("./docs.js").Context} context
 * @param {string} page its address
 * @param {1 | -1} by
 * @returns {Promise<import("./identifiers.js").Identifier | undefined>} the row there that comes next; undefined if
 *   there is none any more
 */
export async function turnPage({ resource, signal }, page, by) {
  const query = queryOf(page);
  const { body } = await readJson(requestOfList(resource, query), signal);
  remember(resource, query, body);
  return lastSeen(resource)?.rows.at(by > 0 ? 0 : -1);
}

/**
 * What a list asks for: newest first, unless its address or the resource itself says otherwise.
 * @param {import("./contract.js").Resource} resource
 * @param {URLSearchParams} query that of its address
 */
export function asked({ sort, newest }, query) {
  const all = new URLSearchParams(query);
  if (!all.has("sort") && sort !== newest) all.set("sort", newest);
  return all;
}

/**
 * Whether a list is asked for the tags under which its rows are changed: rows that appear by themselves come without.
 * @param {import("./contract.js").Resource} resource
 * @param {URLSearchParams} query
 */
export const isTagged = ({ follows, operations: { patch, delete: remove } }, query) =>
  !(follows && query.size === 0) && (patch ?? remove) !== undefined;

/** @param {import("./contract.js").Resource} resource @param {URLSearchParams} query */
export function requestOfList(resource, query) {
  const all = asked(resource, query);
  if (isTagged(resource, query)) all.set("etags", "true");
  return `${resource.path}${all.size > 0 ? `?${all}` : ""}`;
}
