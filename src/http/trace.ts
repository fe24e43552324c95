// The trace of a request (W3C Trace Context, level 2), which connects its line in the log with those of
// other services.

/** A traceparent: of version 00 exactly, of a later version the parts that version 00 has. */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(?:-.*)?$/;

/** The flags that are passed on: the trace is recorded, its identifier is random. */
const KNOWN = 0b11;

/** The flags of a trace that begins here. */
const RANDOM = "02";

/** The traceparent of a request, which continues the trace that was sent, or begins one. The identifiers of
 * a new trace and of this request's span in it come from the identifier of the request, a random UUID;
 * its last 56 bits are random, as the flag demands. */
export function traceOf(sent: string | null, id: string): string {
  const span = id.slice(19, 23) + id.slice(24);
  const [, trace, flags = ""] = sent && TRACEPARENT.exec(sent) || [];
  return trace
    ? `00-${trace}-${span}-0${parseInt(flags, 16) & KNOWN}`
    : `00-${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${span}-${span}-${RANDOM}`;
}
