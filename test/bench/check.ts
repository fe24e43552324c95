// Whether a contender does the work at all: the same questions to each, and what has to come back.
import * as assert from "uvu/assert";
import type { Contender } from "./contenders.ts";
import { voucherOf } from "./database.ts";

interface Case {
  request: string;
  body?: object;
  headers?: Record<string, string>;
  status: number;
  isList?: boolean;
  /** What the text of the answer is. */
  text?: RegExp;
  location?: RegExp;
}

const bottage =
  /^\{"bottage":\d+,"cul":"Hello","colere":1,"date":"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"\}$/;

const samples: Case[] = [
  {
    request: "GET /api/foos/7/",
    status: 200,
    text: /^\{"id":7,"name":"Foo 7","bar":\{"id":8,"name":"Bar 8"\}\}$/,
  },
  { request: "GET /api/foos/900000000000/", status: 404 },
  {
    request: "GET /api/foos/",
    isList: true,
    status: 200,
    text:
      /^(?=.*"next":")(?=.*\{"id":1,"name":"Foo 1","bar":\{"id":2,"name":"Bar 2"\}\})(?=.*"Foo 50")(?!.*"Foo 51")/,
  },
  {
    request: "GET /api/foos/?bar=8",
    isList: true,
    status: 200,
    text:
      /^(?=.*\{"id":7,"name":"Foo 7","bar":\{"id":8,"name":"Bar 8"\}\})(?!.*"id":8,"name":"Foo)/,
  },
  {
    request: "GET /api/foos/choices/bar/?q=aR%208",
    isList: true,
    status: 200,
    text: /^\{"choices":\{"8":"Bar 8"[,}](?!.*Bar 7)/,
  },
  {
    request: "POST /api/foos/",
    body: { name: "Foo one", bar: 8 },
    status: 201,
    text: /^\{"id":\d+,"name":"Foo one","bar":\{"id":8,"name":"Bar 8"\}\}$/,
    location: /^\/api\/foos\/\d+\/$/,
  },
  { request: "POST /api/foos/", body: { name: "Foo one", bar: 900000000000 }, status: 422 },
  { request: "POST /api/foos/", body: { name: "Foo one", bar: "8" }, status: 422 },
  { request: "POST /api/foos/", body: { name: "😀".repeat(65), bar: 8 }, status: 422 },
  { request: "POST /api/foos/", body: { name: "😀".repeat(64), bar: 8 }, status: 201 },
  { request: "POST /api/foos/", body: { name: "Foo one", bar: 8, more: 1 }, status: 422 },
  {
    request: "POST /bottage/",
    body: { cul: "Hello", colere: 1 },
    status: 201,
    text: bottage,
    location: /^\/bottage\/\d+$/,
  },
  { request: "GET /bottage/last", status: 200, text: bottage },
  { request: "POST /bottage/", body: { cul: "Hello", colere: 900000000000 }, status: 422 },
  { request: "POST /bottage/", body: { cul: 1, colere: 1 }, status: 422 },
];

const line = { product: 8, quantity: 2, price: "4.50" };
const bill = { title: "Bill", lines: Array.from({ length: 10 }, () => line) };
const ofLine =
  `\\{"id":\\d+,"product":\\{"id":8,"name":"Product 8"\\},"quantity":2,"price":"4.50"\\}`;
const invoice = (id: string, title: string) =>
  RegExp(`^\\{"id":${id},"title":"${title}","lines":\\[(${ofLine},){9}${ofLine}\\]\\}$`);

const [tagOne, tagSix] = ['{"id":1,"name":"Tag 1"}', '{"id":6,"name":"Tag 6"}'];

/** What is asked in a shop whose seventh invoice has ten lines, all of the eighth product. */
export const shop: Case[] = [
  {
    request: "GET /api/items/",
    status: 200,
    text:
      /^\{"items":\[\{"id":1,"name":"Item 1","price":"1.00","tags":\[\{"id":2,"name":"Tag 2"\},\{"id":7,"name":"Tag 7"\},/,
  },
  {
    request: "GET /api/items/?price__gte=4&sort=name",
    status: 200,
    text: /^\{"items":\[\{"id":10,"name":"Item 10","price":"10.00",(?!.*"Item [123]",)/,
  },
  {
    request: "POST /api/items/",
    body: { name: "New item", price: "4.50", tags: [6, 1] },
    status: 201,
    text: RegExp(
      `^\\{"id":\\d+,"name":"New item","price":"4.50","tags":\\[${tagOne},${tagSix}\\]\\}$`,
    ),
    location: /^\/api\/items\/\d+\/$/,
  },
  ...[{ tags: [900000000000] }, { tags: [1, 1] }, { price: "4.555" }, { more: 1 }].map((wrong) => ({
    request: "POST /api/items/",
    body: { name: "New item", price: "4.50", tags: [1], ...wrong },
    status: 422,
  })),
  {
    request: "GET /api/notes/",
    status: 200,
    text: /^\{"items":\[\{"id":\d+,"title":"Note \d+","owner":"caller 7"\}(?!.*caller [^7])/,
  },
  {
    request: `GET /api/vouchers/${voucherOf(8)}/`,
    status: 200,
    text: RegExp(`^\\{"id":"${voucherOf(8)}","title":"Voucher 8"\\}$`),
  },
  { request: `GET /api/vouchers/${voucherOf(900000000000)}/`, status: 404 },
  {
    request: "GET /api/reports/sales/?from=7",
    status: 200,
    text: /^\{"items":\[\{"product":8,"quantity":\d+,"total":"\d+\.\d\d"\},/,
  },
  {
    request: "POST /api/products/",
    headers: { "idempotency-key": '"one"' },
    body: { name: "Product" },
    status: 201,
    text: /^\{"id":\d+,"name":"Product"\}$/,
    location: /^\/api\/products\/\d+\/$/,
  },
  {
    request: "POST /api/products/",
    headers: { "idempotency-key": '"one"' },
    body: { name: "Other" },
    status: 422,
  },
  { request: "GET /api/invoices/7/", status: 200, text: invoice("7", "Invoice 7") },
  { request: "GET /api/invoices/900000000000/", status: 404 },
  {
    request: "POST /api/invoices/",
    body: bill,
    status: 201,
    text: invoice("\\d+", "Bill"),
    location: /^\/api\/invoices\/\d+\/$/,
  },
  ...[{ product: 900000000000 }, { product: "8" }, { quantity: 0 }, { price: "4.555" }, { more: 1 }]
    .map((wrong) => ({
      request: "POST /api/invoices/",
      body: { ...bill, lines: [line, { ...line, ...wrong }] },
      status: 422,
    })),
];

/** Asks everything of the server at an address; throws where it answers wrongly. What users come from may
 * refuse in another way, and less. */
export async function check(
  { name, role }: Pick<Contender, "name" | "role">,
  url: string,
  cases = samples,
  headers: Record<string, string> = {},
): Promise<void> {
  for (const { request, body, headers: own, status, isList, text, location } of cases) {
    if (role === "bare" && isList) continue;
    if (role === "origin" && status === 422) continue;
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...own, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    const asked = `${name}: ${request} ${body ? JSON.stringify(body) : ""}: ${answer}`;
    assert.is(response.status, status, asked);
    if (text) {
      assert.match(answer, text, asked);
      assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/, asked);
    }
    if (location) assert.match(response.headers.get("location") ?? "", location, asked);
  }
}
