import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  authenticated,
  compare,
  contractCheck,
  create,
  type Document,
  identifier,
  judge,
  nullable,
  openapiDocument,
  owned,
  read,
  readonly,
  relation,
  type Resource,
  resource,
  rules,
  table,
  text,
} from "./house.ts";
import { documentChanges, documentSynonyms } from "./contract/documents.ts";
import {
  bar,
  components,
  content,
  document,
  get,
  integer,
  limit,
  list,
  object,
  type Part,
  places,
  ref,
  type Schema,
  string,
} from "./contract/parts.ts";
import { schemaChanges, synonyms } from "./contract/schemas.ts";
import { refusalOf, relata } from "./program.ts";

const test = suite("contract check");

const met = new Set<string>();

/** The changes between two documents, a line each, in the order of the alphabet. */
function changes(before: Document, after: Document): string[] {
  return compare(before, after).map(({ direction, rule, verdict, place }) => {
    met.add(`${direction} ${rule}`);
    return `${verdict}: ${direction} ${rule} at ${place}`;
  }).sort();
}

for (const [rule, { cases, swapped, ...verdicts }] of Object.entries(schemaChanges)) {
  for (const [says, [before, after, pointer]] of Object.entries(cases)) {
    for (const direction of ["request", "response"] as const) {
      const place = pointer ? `${places[direction]} ${pointer}` : places[direction];
      const pair = [before, after].map((schema) => document(direction, schema, components));
      const verdict = verdicts[direction];

      test(`finds ${direction} ${rule} ${verdict} if ${says}`, () => {
        const found = changes(pair[0]!, pair[1]!);
        assert.equal(found, [`${verdict}: ${direction} ${rule} at ${place}`]);
      });

      test(`finds ${direction} ${swapped} if it is taken back that ${says}`, () => {
        const found = compare(pair[1]!, pair[0]!).map(({ rule, place }) => `${rule} at ${place}`);
        assert.equal(found, [`${swapped} at ${place}`]);
      });
    }
  }
}

for (const [says, pair] of Object.entries(synonyms)) {
  for (const direction of ["request", "response"] as const) {
    test(`finds no change of a ${direction} if ${says}`, () => {
      const [one, other] = pair.map((schema) => document(direction, schema, components));
      assert.equal(changes(one!, other!), []);
      assert.equal(changes(other!, one!), []);
    });
  }
}

for (const [says, [before, after, there, back = there]] of Object.entries(documentChanges)) {
  test(`finds what it means that ${says}`, () => {
    assert.equal(changes(before, after), there);
  });

  test(`finds what it means to take back that ${says}`, () => {
    assert.equal(changes(after, before), back);
  });

  test(`finds no change from a document to itself: ${says}`, () => {
    assert.equal(changes(before, before), []);
    assert.equal(changes(after, structuredClone(after)), []);
  });
}

for (const [says, [one, other]] of Object.entries(documentSynonyms)) {
  test(`finds no change if ${says}`, () => {
    assert.equal(changes(one, other), []);
    assert.equal(changes(other, one), []);
  });
}

/** An answer of 40 schemas that embed each other: `form` makes one of what it leads to. */
function mesh(form: (schemas: Part[], index: number) => Schema): Document {
  const refs = Array.from({ length: 40 }, (_, index) => ref(`Schema${index}`));
  const schemas = refs.map((_, index) => [
    `Schema${index}`,
    form([1, 2, 3, 5, 7, 11].map((step) => refs[(index * step + step) % 40]!), index),
  ]);
  return document("response", refs[0]!, Object.fromEntries(schemas));
}

const meshes: Record<string, [form: (name: Schema) => Document, found: string]> = {
  "embed each other in many ways": [
    (name) => mesh((refs) => object({ name: copy(name), ...refs })),
    `breaking: response type-changed at ${places.response} /0/name`,
  ],
  "admit each other in many ways": [
    (name) => mesh((refs, index) => object({ name: copy(name), [`a${index}`]: { oneOf: refs } })),
    `breaking: response not-judged at ${places.response} /a0`,
  ],
  "combine each other in many ways": [
    (name) => mesh((refs, index) => object({ name: copy(name), [`a${index}`]: { allOf: refs } })),
    `breaking: response type-changed at ${places.response} /name`,
  ],
  "follow each other down to the last": [
    (name) => mesh((_, index) => index === 39 ? name : object({ a: ref(`Schema${index + 1}`) })),
    `breaking: response type-changed at ${places.response} ${"/a".repeat(39)}`,
  ],
};

/** A schema of its own, as every place of a document has one. */
function copy(schema: Schema): Schema {
  return structuredClone(schema);
}

for (const [says, [form, expected]] of Object.entries(meshes)) {
  test(`ends on schemas that ${says}, and reports a change`, () => {
    assert.ok(changes(form(string), form(integer)).includes(expected));
    assert.equal(changes(form(string), form({ ...string })), []);
  });
}

test("names a change at every place of an answer, but follows a recursion once", () => {
  const order = (name: Schema) =>
    document("response", object({ first: ref("Order"), last: ref("Order") }), {
      Order: object({ buyer: ref("Person"), seller: ref("Person") }),
      Person: object({ name, orders: list(ref("Order")), home: ref("Home") }),
      Home: object({ owner: name }),
    });
  const found = compare(order(string), order(copy(integer))).map(({ place }) => place);
  const people = ["first", "last"].flatMap((one) => [`/${one}/buyer`, `/${one}/seller`]);
  assert.equal(
    found.toSorted(),
    people.flatMap((one) => [`${one}/home/owner`, `${one}/name`])
      .map((pointer) => `${places.response} ${pointer}`).sort(),
  );
});

test("finds that access of what others embed breaks who reads it there", () => {
  const documentWith = (access: object) => {
    const bar = resource("bar", {
      path: "/bars/",
      fields: { id: identifier(), name: text() },
      ...access,
    });
    const foo = resource("foo", {
      path: "/foos/",
      fields: { id: identifier(), bar: relation(bar) },
    });
    const made = openapiDocument({ baseUrl: undefined, resources: [bar, foo], pages: {} });
    return JSON.parse(JSON.stringify(made)) as Document;
  };
  const found = changes(documentWith({}), documentWith({ access: authenticated() }));
  const place = "GET /foos/{}/ response 200 application/json /bar/name";
  assert.ok(
    found.includes(`breaking: response member-became-optional at ${place}`),
    found.join("\n"),
  );
});

type Fields = Parameters<typeof resource>[1]["fields"];

/** The fields of a line before and after, and what is found of requests and of answers that have lines. */
const lineChanges: [
  what: string,
  before: Fields,
  after: Fields,
  request: string[],
  response: string[],
][] = [
  ["gets a field that may be left out", {}, { note: nullable(text()) }, [
    "compatible: request optional-member-added",
  ], ["compatible: response required-member-added"]],
  ["gets a field that is required", {}, { note: text() }, [
    "breaking: request required-member-added",
  ], [
    "compatible: response required-member-added",
  ]],
  ["gets a field that is only read", {}, { note: readonly(text()) }, [], [
    "compatible: response required-member-added",
  ]],
  ["loses a field that was only read", { note: readonly(text()) }, {}, [], [
    "breaking: response member-removed",
  ]],
];
for (const [what, before, after, request, response] of lineChanges) {
  test(`finds what becomes of an owned row that ${what}, in the row that owns it`, () => {
    const documentWith = (more: Fields) => {
      const line: Resource = resource("line", {
        fields: { id: identifier(), invoice: relation(() => invoice), ...more },
      });
      const invoice: Resource = resource("invoice", {
        fields: { id: identifier(), lines: owned(line, { parent: "invoice" }), title: text() },
        routes: { "/invoices/": [create], "/invoices/{id}/": [read] },
      });
      const made = openapiDocument({ baseUrl: undefined, resources: [line, invoice], pages: {} });
      return JSON.parse(JSON.stringify(made)) as Document;
    };
    const inRow = (body: string) => `${body} application/json /lines/[]/note`;
    const unmet = "GET /invoices/{}/ response 412 application/problem+json /current/lines/[]/note";
    const expected = [
      ...request.map((change) => `${change} at ${inRow("POST /invoices/ request")}`),
      ...response.flatMap((change) => [
        `${change} at ${inRow("GET /invoices/{}/ response 200")}`,
        `${change} at ${inRow("POST /invoices/ response 201")}`,
        `${change} at ${unmet}`,
      ]),
    ];
    assert.equal(changes(documentWith(before), documentWith(after)), expected.sort());
  });
}

test("says what was and what is", () => {
  const [change] = compare(
    document("request", { ...string, maxLength: 64 }),
    document("request", { ...string, maxLength: 32 }),
  );
  assert.equal(change, {
    rule: "limit-tightened",
    direction: "request",
    verdict: "breaking",
    bump: "major",
    place: places.request,
    detail: "Values within the old limit are refused: maxLength 64, now 32",
  });
});

test("asks for a major version of what breaks, a minor one of additions, else a patch", () => {
  const [none, added] = [get({}), get({ parameters: [limit] })];
  assert.is(judge(compare(added, none)).bump, "major");
  assert.is(judge(compare(none, added)).bump, "minor");
  assert.is(judge(compare(none, get({ operationId: "foos" }))).bump, "patch");
  assert.is(judge(compare(none, none)).bump, "patch");
});

test("judges by a table in which what breaks asks for a major version, and nothing else does", () => {
  for (const table of Object.values(rules)) {
    for (const [name, { verdict, bump, sentence }] of Object.entries(table)) {
      assert.is(verdict === "breaking", bump === "major", name);
      assert.match(sentence, /^[A-Z].*[^.]$/, name);
    }
  }
});

const folder = mkdtempSync(join(tmpdir(), "relata-contract-"));
const files = {
  old: file("old.json", get({ parameters: [limit], responses: { 200: content(bar) } })),
  compatible: file(
    "new.json",
    get({
      responses: { 200: content(bar) },
      parameters: [limit, {
        ...limit,
        name: "size",
      }],
    }),
  ),
  breaking: file("next.json", get({ responses: { 200: content({ ...bar, not: {} }) } })),
};

test.after(() => rmSync(folder, { recursive: true }));

function file(name: string, contents: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof contents === "string" ? contents : JSON.stringify(contents));
  return path;
}

/** The exit status of the command and what it prints. */
async function check(...args: string[]) {
  const { status, stdout } = await relata(["contract", "check", ...args]);
  return { status, output: stdout.trimEnd() };
}

test("prints a table, the gravest first, and what version it asks for", async () => {
  const { status, output } = await check(files.old, files.breaking);
  assert.is(status, 1);
  const cells = output.split("\n").map((line) => line.split(/ {2,}/));
  assert.equal(cells, [
    ["VERDICT", "DIRECTION", "RULE", "PLACE", "DETAIL"],
    [
      "breaking",
      "request",
      "parameter-removed",
      "GET /foos query parameter limit",
      "The server no longer knows a parameter that clients send",
    ],
    [
      "not judged",
      "response",
      "not-judged",
      places.response,
      'No rule judges what differs here, so it counts as breaking: a schema with "not"',
    ],
    [""],
    ["Breaking: asks for a major version (2 breaking, 1 of them not judged, 0 compatible)"],
  ]);
});

test("is broken by one change that breaks, whatever joins it", () => {
  const other = { ...limit, name: "size" };
  const found = compare(get({ parameters: [limit] }), get({ parameters: [other] }));
  for (const changes of [found, found.toReversed()]) {
    const { verdict, bump, changes: told } = judge(changes);
    assert.equal([verdict, bump], ["breaking", "major"]);
    assert.equal(told.map(({ verdict }) => verdict), ["breaking", "compatible"]);
  }
});

test("ends the program with its status, which is all that a pipeline looks at", async () => {
  for (
    const [old, now, status] of [
      [files.old, files.compatible, 0],
      [files.old, files.breaking, 1],
      [files.old, folder, 2],
    ] as const
  ) {
    assert.is((await relata(["contract", "check", old, now])).status, status);
  }
});

test("prints tables of any length", () => {
  const [change] = compare(get({}), get({ deprecated: true }));
  const lines = table(judge(Array.from({ length: 200_000 }, () => change!))).split("\n");
  assert.is(lines.length, 200_003);
});

test("ends with 0 if the change is compatible", async () => {
  const { status, output } = await check(files.old, files.compatible);
  assert.is(status, 0);
  assert.match(output, /\nCompatible: asks for a minor version \(0 breaking, 1 compatible\)$/);
});

test("prints one line if nothing changed", async () => {
  const { status, output } = await check(files.old, files.old);
  assert.is(status, 0);
  assert.is(output, "Compatible: asks for a patch version (0 breaking, 0 compatible)");
});

test("prints JSON if it is asked for", async () => {
  const { status, output } = await check(files.old, files.compatible, "--json");
  assert.is(status, 0);
  assert.equal(JSON.parse(output), {
    verdict: "compatible",
    bump: "minor",
    changes: [{
      rule: "optional-parameter-added",
      direction: "request",
      verdict: "compatible",
      bump: "minor",
      place: "GET /foos query parameter size",
      detail: "Clients may send a new parameter",
    }],
  });
});

test("reads URLs, and says which one answers no document", async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/openapi.json" ? 200 : 404;
    response.end(JSON.stringify(get({ parameters: [limit] })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    assert.is((await check(`${url}/openapi.json`, `${url}/openapi.json`)).status, 0);
    const message = await refusal(`${url}/openapi.jso`);
    assert.is(message, `Cannot read "${url}/openapi.jso": the server answers 404`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  assert.match(await refusal(url), new RegExp(`^Cannot read "${url}": `));
});

const unreadable: [says: string, contents: unknown, message: string][] = [
  ["no JSON text", "openapi: 3.1.0", 'Cannot read "…": it is not JSON'],
  ["an array", [], 'Cannot judge "…": it is not an OpenAPI 3.0 or 3.1 document'],
  ["null", null, 'Cannot judge "…": it is not an OpenAPI 3.0 or 3.1 document'],
  ["Swagger 2.0", { swagger: "2.0" }, 'Cannot judge "…": it is not an OpenAPI 3.0 or 3.1 document'],
  [
    "OpenAPI 3.2",
    { openapi: "3.2.0" },
    'Cannot judge "…": it is not an OpenAPI 3.0 or 3.1 document',
  ],
  ["no paths", { openapi: "3.0.3" }, 'Cannot judge "…": its "paths" is not an object'],
];

for (const [says, contents, message] of unreadable) {
  test(`refuses ${says}`, async () => {
    const path = file("unreadable.json", contents);
    assert.is(await refusal(path), message.replace("…", path));
  });
}

test("refuses a file that does not exist and a folder", async () => {
  const path = join(folder, "nothing.json");
  assert.is(await refusal(path), `Cannot read "${path}": no such file`);
  assert.is(await refusal(folder), `Cannot read "${folder}": it is a folder`);
});

/** The sentence with which the command refuses a source. */
function refusal(source: string): Promise<string> {
  return refusalOf(contractCheck(files.old, source));
}

test("has met every rule of the table", () => {
  const all = Object.entries(rules).flatMap(([direction, table]) =>
    Object.keys(table).map((rule) => `${direction} ${rule}`)
  );
  assert.equal([...met].sort(), all.sort());
});

test.run();
