// Requests generated from the document that the server serves. Every one is answered as the document says,
// never with a defect; one with a single mistake is refused for it; an accepted value is read as it was
// sent.
// Needs: Deno, time
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { prefixOf, type ProblemCode, problems, scopes } from "../house.ts";
import { type Answer, type Options, type Service, serviceOn } from "../service.ts";
import { bearer, grant } from "../tokens.ts";
import { type Api, conference, specification, store } from "./apis.ts";
import type { Json } from "./arbitrary.ts";
import { databases } from "./databases.ts";
import { explore, PATIENCE } from "./explore.ts";
import { type Fuzzed, requests } from "./requests.ts";
import { identified, merged, shownAs } from "./shown.ts";

const test = suite("fuzzing");

interface Subject {
  api: Api;
  options: Options;
  /** Cases of the property; most are one request, a write that is accepted is some more. */
  cases: number;
}

const subjects: Record<string, Subject> = {
  "open to all": { api: specification, options: {}, cases: 1500 },
  "under a prefix, for tokens alone": {
    api: specification,
    options: { baseUrl: "http://relata.test/relata", authRequired: true },
    cases: 1500,
  },
  "a music store": { api: store, options: {}, cases: 1500 },
  "a conference": { api: conference, options: {}, cases: 1500 },
};

/** Who asks. */
interface Bearer {
  headers: Record<string, string>;
  /** What its token lets it do; undefined where it has no valid one. */
  scopes?: readonly string[];
}

for (const [where, fresh] of Object.entries(databases)) {
  for (const [how, { api, options, cases }] of Object.entries(subjects)) {
    test(`${where}, ${how}: every request is answered as the document says`, async () => {
      const { client, sql, stop } = await fresh(api);
      const failures: unknown[] = [];
      const relata = serviceOn({ client }, {
        ...options,
        resources: api.resources,
        reports: api.reports,
        timeLimit: PATIENCE,
        log: (level, ...line) => void (level === "info" || failures.push(line)),
      });
      const { baseUrl = "", authRequired } = options;
      const prefix = baseUrl && prefixOf(baseUrl);
      const writer = { headers: bearer(await grant(sql, { scope: "write" })), scopes };
      const bearers: Bearer[] = authRequired
        ? [
          ...[writer, writer, writer],
          { headers: bearer(await grant(sql)), scopes: ["read"] },
          { headers: bearer(await grant(sql, { revoked: true })) },
          { headers: bearer("relata_nonsense") },
          { headers: {} },
        ]
        : [{ headers: {}, scopes }];
      const document = (await relata.send(`GET ${prefix}/openapi.json`)).body;
      const reader = authRequired ? writer : bearers[0]!;
      const judge = judging(relata, { prefix, reader, failures });
      try {
        await explore(
          fc.asyncProperty(requests(document), fc.constantFrom(...bearers), judge),
          { cases },
        );
      } finally {
        await stop();
      }
    });
  }
}

test.run();

/** Makes what sends a request and throws where the answer is not one that it may get. */
function judging(
  relata: Pick<Service, "send">,
  { prefix, reader, failures }: { prefix: string; reader: Bearer; failures: unknown[] },
) {
  const read = (path: string) => relata.send(`GET ${path}`, undefined, reader.headers);

  return async (fuzzed: Fuzzed, { headers, scopes }: Bearer): Promise<boolean | void> => {
    const { kind, operation, method, problem } = fuzzed;
    const target = prefix + fuzzed.target;
    const before = method === "PATCH" && kind === "right" ? await read(target) : undefined;
    const answer = await relata.send(`${method} ${target}`, fuzzed.body, {
      ...fuzzed.headers,
      ...headers,
    });
    const { status } = answer;
    assert.equal(failures.splice(0), [], "The log tells of a failure");
    assert.ok(status < 500, `It failed with ${status}`);
    if (kind === "wild") return;
    const routed = problem !== "not_found" && problem !== "method_not_allowed";
    if (operation.scope && routed && method !== "OPTIONS" && !scopes?.includes(operation.scope)) {
      return assert.is(status, scopes ? 403 : 401);
    }
    if (
      operation.takesToken && routed && method !== "OPTIONS" && headers["authorization"] && !scopes
    ) {
      return assert.is(status, 401);
    }
    if (problem) {
      assert.is(status, problems[problem as ProblemCode].status);
      return method === "HEAD" || assert.is(answer.body.type, `${prefix}/problems/${problem}`);
    }
    if (status >= 400) return assert.ok(isStanding(answer), `It was refused with ${status}`);
    if (status === 204 && method === "DELETE") return assert.is((await read(target)).status, 404);
    if (fuzzed.body === undefined || method === "OPTIONS") return;
    asWritten(fuzzed, answer, before);
    if (Object.hasOwn(fuzzed.headers, "Idempotency-Key")) return; // it may be the answer of long ago
    if (Array.isArray(answer.body)) return;
    const again = await read(answer.headers.get("location") ?? target);
    assert.equal(again.body, answer.body);
    assert.is(again.headers.get("etag"), answer.headers.get("etag"));
  };
}

/** Whether a refusal is one of the rows that there are, not of what was sent. */
function isStanding({ status, body }: Answer): boolean {
  const codes = status === 422 ? body.errors.map(({ code }: Json) => code) : [];
  return [404, 409, 412].includes(status) ||
    codes.length > 0 &&
      codes.every((code: string) =>
        ["does_not_exist", "reused_key", "taken", "rejected"].includes(code)
      );
}

/** What was sent is what is read, character by character, a relation by the identifier that its
 * object begins with; what was not sent is as it was before, or as the document says. */
function asWritten({ operation, body }: Fuzzed, answer: Answer, before?: Answer): void {
  const [, schema] = operation.bodies[0]!;
  const sent = JSON.parse(body as string);
  const inPath = operation.parameters.flatMap((each) => each.in === "path" ? [each.name] : []);
  const all = schema.type === "array"
    ? { sent, read: answer.body }
    : { sent: [sent], read: [answer.body] };
  const { properties } = schema.items ?? schema;
  assert.is(all.read.length, all.sent.length);
  for (const [place, row] of all.sent.entries()) {
    for (const [name, property] of Object.entries<Json>(properties)) {
      const value = all.read[place][name];
      const { kind } = property["x-relata"];
      const isSent = Object.hasOwn(row, name);
      if (!isSent && (kind === "identifier" || inPath.includes(name))) continue; // given by another
      if (!isSent && before) {
        assert.equal(value, before.body[name]);
        continue;
      }
      const given = shownAs(property, isSent ? row[name] : property.default);
      const expected = before && kind === "json" ? merged(before.body[name], given) : given;
      if (kind === "many") assert.equal(value.map(identified).toSorted(), expected.toSorted());
      else assert.equal(kind === "relation" ? identified(value) : value, expected);
    }
  }
}
