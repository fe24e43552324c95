// Which trace a request is part of (W3C Trace Context, level 2), so that its line in the log is found
// from those of other services.

/** A traceparent: of version 00 to the letter, of a later one as far as this one knows it. */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(?:-.*)?$/;

/** The flags that are known, and so passed on: that the trace is recorded, that its identifier is
 * random. */
const KNOWN = 0b11;

/** The flags of a trace that begins here. */
const RANDOM = "02";

/** The traceparent of a request, by its own identifier, a random UUID: it goes on with the trace that
 * it was sent with, or begins one. The identifier names both a trace that begins and the part that
 * this request is of any; its last 56 bits are random, as the flag demands. */
export function traceOf(sent: string | null, id: string): string {
  const part = id.slice(19, 23) + id.slice(24);
  const [, trace, flags = ""] = sent && TRACEPARENT.exec(sent) || [];
  return trace
    ? `00-${trace}-${part}-0${parseInt(flags, 16) & KNOWN}`
    : `00-${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${part}-${part}-${RANDOM}`;
}
