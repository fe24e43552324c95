// A load, and what is measured under it.

export interface Load {
  /** Written as `GET /api/foos/$/`; each request has another number in the place of each `$`. */
  request: string;
  /** The same holds for it. */
  body?: string | undefined;
  /** And for these. */
  headers?: Record<string, string> | undefined;
  /** The largest of those numbers; the smallest is 1. */
  upTo?: number | undefined;
  /** A file of paths, one a line, of which each request has another one instead. */
  paths?: string | undefined;
  connections: number;
}

export interface Measurement {
  requests: number;
  /** Requests a second. */
  rate: number;
  /** Latencies in milliseconds. */
  p50: number;
  p99: number;
  /** Requests without an answer, or whose status was none of success. */
  failed: number;
}
