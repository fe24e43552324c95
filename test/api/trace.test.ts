// Trace Context (W3C): the trace of a request, in its answer and in its line of the log.
// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Service, startService } from "../service.ts";

const test = suite("trace");
let relata: Service;

/** What the log has of requests, in their order. */
const logged: Record<string, unknown>[] = [];

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test.before(async () => {
  relata = await startService({
    log(_level, message, members) {
      if (message === "request") logged.push({ ...members });
    },
  });
});
test.after(() => relata.stop());

/** Sends a request and gives the parts of what it was answered. */
async function traced(traceparent?: string, request = "GET /colere/") {
  const headers = traceparent === undefined ? undefined : { traceparent };
  const answer = await relata.send(request, undefined, headers);
  const told = answer.headers.get("traceparent") ?? "";
  assert.is(logged.at(-1)?.["traceparent"], told, "The log has what the answer has");
  const [version, trace, part, flags] = told.split("-");
  return { version, trace, part, flags, id: answer.headers.get("x-request-id") ?? "" };
}

for (
  const [what, sent, flags] of [
    ["that is recorded", `00-${TRACE}-${PARENT}-01`, "01"],
    ["that is not", `00-${TRACE}-${PARENT}-00`, "00"],
    ["whose identifier is random", `00-${TRACE}-${PARENT}-03`, "03"],
    ["with flags that nobody knows yet", `00-${TRACE}-${PARENT}-fd`, "01"],
    ["of a later version", `01-${TRACE}-${PARENT}-01`, "01"],
    ["of a later version that says more", `cc-${TRACE}-${PARENT}-01-what-comes-then`, "01"],
    ["with blanks around it", ` 00-${TRACE}-${PARENT}-01\t`, "01"],
  ] as const
) {
  test(`continues a trace ${what}`, async () => {
    const told = await traced(sent);
    assert.equal([told.version, told.trace, told.flags], ["00", TRACE, flags]);
    assert.is.not(told.part, PARENT, "The request is a part of its own");
  });
}

for (
  const [what, sent] of [
    ["there is none", undefined],
    ["it is empty", ""],
    ["it is no traceparent", "traceparent"],
    ["its version is ff", `ff-${TRACE}-${PARENT}-01`],
    ["its version is no number", `0x-${TRACE}-${PARENT}-01`],
    ["its trace is all zero", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["its part is all zero", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["its trace is in upper case", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["its trace is short", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["its trace is long", `00-${TRACE}0-${PARENT}-01`],
    ["its part is no number", `00-${TRACE}-${PARENT.slice(1)}g-01`],
    ["its flags are short", `00-${TRACE}-${PARENT}-1`],
    ["its flags are missing", `00-${TRACE}-${PARENT}`],
    ["it says more than version 00 has", `00-${TRACE}-${PARENT}-01-more`],
    ["a later version goes on without a dash", `01-${TRACE}-${PARENT}-01more`],
    ["it was sent twice", `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ] as const
) {
  test(`begins a trace when ${what}, named after the request's identifier`, async () => {
    const told = await traced(sent);
    assert.is(told.trace, told.id.replaceAll("-", ""));
    assert.is(told.flags, "02", "Its identifier is random, and nobody has said to record it");
  });
}

for (
  const request of ["HEAD /livez", "OPTIONS /colere/", "GET /nothing", "PUT /colere/", "GET /docs/"]
) {
  test(`${request} is part of its trace as well`, async () => {
    assert.is((await traced(`00-${TRACE}-${PARENT}-01`, request)).trace, TRACE);
  });
}

test("every request is a span of its own in one trace", async () => {
  const parts = new Set<string | undefined>();
  for (let time = 0; time < 10; time++) {
    parts.add((await traced(`00-${TRACE}-${PARENT}-01`)).part);
  }
  assert.is(parts.size, 10);
});

test.run();
