// Headers of any length, in forms that a careless parser reads in quadratic time. The tests send them, and
// the benchmark measures that the time grows no faster than the length.

export function longHeaders(length: number): [name: string, value: string][] {
  const quotes = '\\"'.repeat(length / 2);
  return [
    ["accept", `"${quotes}`],
    ["accept", `text/html;q="${quotes}`],
    ["accept", `text/html;q=${"1".repeat(length)}x`],
    ["accept", `text/html${" ".repeat(length)};${";".repeat(length)}`],
    ["accept-encoding", `"${quotes}`],
    ["accept-encoding", `gzip;q=${"1".repeat(length)}x`],
    ["content-type", `application/json;x="${quotes}`],
    ["content-type", `application/json;charset="${quotes}`],
    ["content-encoding", `"${quotes}`],
    ["if-match", `${'"a",'.repeat(length / 4)}x`],
    ["if-none-match", `${" ,".repeat(length / 2)}x`],
    ["if-none-match", `"a"${" ,".repeat(length / 2)}x`],
    ["if-none-match", `W/"${"a".repeat(length)}`],
    ["idempotency-key", `"${"a".repeat(length)}`],
    ["traceparent", `01-${"a".repeat(32)}-${"b".repeat(16)}-01${"-".repeat(length)}`],
    ["traceparent", "0".repeat(length)],
    ["authorization", `Bearer ${" ".repeat(length)}`],
    ["origin", "https://".repeat(length / 8)],
    ["host", `${"a".repeat(length)}?`],
  ];
}

/** The requests that read them, with their bodies. */
export const requests: [request: string, body?: object][] = [
  ["GET /docs/"],
  ["POST /api/bars/", { name: "Bar" }],
  ["DELETE /api/foos/987654/"],
];

/** The name of a header and the beginning of its value. */
export function titleOf([name, value]: [name: string, value: string]): string {
  return `${name}: ${value.slice(0, 20)}`;
}
