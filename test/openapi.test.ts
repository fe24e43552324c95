// The document itself. Every test that speaks HTTP checks the answers against it.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  action,
  anyone,
  array,
  authenticated,
  claim,
  created,
  decimal,
  deprecated,
  fieldProblems,
  identifier,
  inherit,
  integer,
  many,
  nullable,
  openapiDocument,
  optional,
  pages,
  problems,
  readonly,
  relation,
  report,
  type Resource,
  resource,
  resources,
  role,
  text,
  vocabulary,
} from "./house.ts";
import { relata } from "./program.ts";
import { temporaryFolder } from "./service.ts";
import { conference } from "./conference/conference.ts";
import { store } from "./store/store.ts";

const test = suite("the document");
const baseUrl = "https://api.example.org/relata";
// The document is read here as any client reads it: as JSON of a shape that is not known beforehand.
// deno-lint-ignore no-explicit-any
type Json = any;
const document: Json = documentOf();
const operations = operationsIn(document);
/** This one, and those that have every kind of field and of identifier. */
const documents = [document, documentOf(store), documentOf(conference)];

// What has access

const own = authenticated({ owner: claim("sub") });
const article = resource("article", {
  path: "/articles/",
  access: {
    read: [anyone({ state: "published" }), own],
    write: own,
    delete: [own, authenticated({ state: "draft" }), role("editor")],
  },
  fields: {
    id: identifier(),
    state: text(),
    owner: readonly(text({ default: claim("sub") })),
  },
});
const comment = resource("comment", {
  path: "/comments/",
  access: { read: inherit("article"), create: anyone(), update: [], delete: role("editor") },
  fields: { code: identifier({ type: "text", column: "code" }), article: relation(article) },
});
const count = report("count", {
  path: "/count/",
  summary: "How many there are",
  access: role("editor"),
  fields: { count: integer() },
  rows: (sql) => sql`select count(*) as count from article`,
});
const close = action("close", {
  path: "/articles/{article}/close/",
  summary: "Close an article",
  access: role("editor"),
  input: { article: relation(article) },
  statement: (sql, { article }) => sql`update article set state = 'closed' where id = ${article}`,
});
const withAccess: Json = documentOf({
  authRequired: true,
  resources: [article, comment],
  reports: [count],
  actions: [close],
});
const { schemas } = document.components;

// What has words for people

const price = decimal({ digits: 6, places: 2, label: "Unit price", unit: "EUR" });
const line = resource("invoice_line", {
  path: "/invoice-lines/",
  label: "Invoice lines",
  fields: {
    id: identifier({ label: "Number" }),
    unit_price: nullable(price),
    sizes: array(integer({ unit: "cm" })),
    next: nullable(relation("self", { label: "Line below" })),
  },
});
const dear = report("dear_lines", {
  path: "/dear-lines/",
  summary: "Those that cost much",
  parameters: { least: optional(price) },
  fields: { total: decimal({ label: "Total", unit: "EUR" }) },
  rows: (sql, { least }) => sql`select sum(unit_price) as total from x where ${least} is null`,
});
const raise = action("raise_price", {
  path: "/invoice-lines/{line}/raise/",
  summary: "Raise its price",
  input: { line: relation(line, { label: "Line" }), by: price },
  statement: (sql, { line, by }) => sql`update x set unit_price = ${by} where id = ${line}`,
});
const inWords: Json = documentOf({ resources: [line], reports: [dear], actions: [raise] });

test("is OpenAPI 3.1 of the address that clients use", () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.servers, [{ url: baseUrl }]);
});

/** Routes of which every verb is deprecated. */
function onTheirWayOut(routes: Resource["routes"]): Resource["routes"] {
  const entries = Object.entries(routes);
  return Object.fromEntries(
    entries.map(([path, verbs]) => [path, verbs.map((verb) => deprecated(verb, leaving))]),
  );
}

const leaving = { since: "2026-11-21", sunset: "2027-11-21", link: "https://example.org/bars" };
/** Services, by the name of the file that gets their document. */
const services: Record<string, object> = {
  "without-a-setting": {},
  "asks-for-tokens": { authRequired: true, rateLimit: 600 },
  "answers-scripts": { corsOrigins: ["https://app.example.org"] },
  "on-their-way-out": {
    resources: resources.map((each) => ({
      ...each,
      routes: onTheirWayOut(each.routes),
    })),
  },
  store,
  conference,
};
test("has no error and no warning by the recommended rules, whatever the service", () => {
  const folder = temporaryFolder();
  const files = Object.entries(services).map(([name, service]) => {
    const file = join(folder.path, `${name}.json`);
    writeFileSync(file, JSON.stringify(documentOf(service)));
    return file;
  });
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const linter = path("../node_modules/.bin/redocly");
  const { status, stderr } = spawnSync(
    path("../node_modules/.bin/node"),
    [linter, "lint", "--config", path("redocly.yaml"), "--max-problems", "1000", ...files],
    {
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
  folder.remove();
  assert.is(status, 0, stderr);
  for (const file of files) assert.ok(stderr.includes(`${basename(file)}: validated`), stderr);
  assert.match(stderr, /Your API descriptions are valid/);
  assert.not.match(stderr, /warning/i);
});

test("is what the command prints, without a database", async () => {
  const environment = { BASE_URL: baseUrl, DATABASE_URL: "postgres://127.0.0.1:1/none" };
  const { status, stdout, stderr } = await relata(["openapi"], environment);
  assert.equal({ status, stderr }, { status: 0, stderr: "" });
  assert.equal(JSON.parse(stdout), document);
  const secured = await relata(["openapi"], {
    ...environment,
    AUTH: "required",
    RATE_LIMIT: "9",
    CORS_ORIGINS: "https://app.example.org",
  });
  const access = { authRequired: true, rateLimit: 9, corsOrigins: ["https://app.example.org"] };
  assert.equal(JSON.parse(secured.stdout), documentOf(access));
});

test("has every route, and no others: neither HEAD nor OPTIONS, which no generated client needs", () => {
  const expected = [
    ...resources.flatMap(({ routes }) =>
      Object.entries(routes).flatMap(([path, verbs]) =>
        verbs.map(({ method }) => `${method} ${path}`)
      )
    ),
    ...Object.keys(pages).map((path) => `GET ${path}`),
  ];
  const told = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
  );
  // Verbs of one method at one path share an operation
  assert.equal(told.sort(), [...new Set(expected)].sort());
});

test("tells that records can be followed, in the operation of their list", () => {
  const { parameters, responses, "x-relata": told } = document.paths["/bottage/"].get;
  assert.equal(told, { verb: "list", follows: true });
  assert.equal(Object.keys(responses[200].content), ["application/json", "text/event-stream"]);
  assert.ok(responses[200].headers.Vary);
  const names = parameters.map(({ in: where, name }: Json) => `${where} ${name}`);
  assert.ok(names.includes("query after") && names.includes("header Last-Event-ID"));
});

test("has every problem, with its status", () => {
  const { examples } = document.paths["/problems/{code}"].get.responses[200]
    .content["application/json"];
  const told = Object.values<Json>(examples).map(({ value }) => [value.code, value.status]);
  const status = (code: string) => problems[code as keyof typeof problems]?.status;
  const codes = Object.keys({ ...problems, ...fieldProblems });
  assert.equal(told, codes.map((code) => [code, status(code)]));
});

test("has the CORS headers if scripts of other origins may send requests", () => {
  const headers = (document: Json) =>
    [document.paths["/colere/"].get.responses[200], document.components.responses.NotFound]
      .map(({ headers }) => Object.keys(headers).filter((name) => name.startsWith("Access-")));
  assert.equal(headers(document), [[], []]);
  const told = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"];
  assert.equal(headers(documentOf({ corsOrigins: ["https://app.example.org"] })), [told, told]);
});

test("has one response for each status that a problem has, named by the status", () => {
  const secured = documentOf({ authRequired: true, rateLimit: 600 });
  const names = new Map<string, string>();
  const all = new Set<string>();
  for (const { responses } of operationsIn(secured)) {
    for (const [status, { $ref }] of Object.entries<Json>(responses)) {
      const name = $ref?.replace("#/components/responses/", "");
      if (!name) continue;
      all.add(name);
      // That of a row is named after its resource, too
      names.set(status, status === "412" ? name.replace(/^[A-Z][a-z]+(?=Pre)/, "") : name);
    }
  }
  assert.equal(Object.fromEntries(names), {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    406: "NotAcceptable",
    408: "RequestTimeout",
    409: "Conflict",
    412: "PreconditionFailed",
    413: "ContentTooLarge",
    415: "UnsupportedMediaType",
    422: "Unprocessable",
    429: "TooManyRequests",
    500: "InternalServerError",
    503: "ServiceUnavailable",
    504: "GatewayTimeout",
  });
  assert.equal(Object.keys(secured.components.responses).sort(), [...all].sort());
});

test("has a tag of its own for what is no part of the API, which no resource can have", () => {
  const server: Resource = { ...resources[0]!, name: "server" };
  const { paths, tags } = documentOf({ resources: [server] });
  const tagged = Object.entries<Json>(paths).filter(([, methods]) =>
    Object.values<Json>(methods).some(({ tags }) => tags.includes("server-pages"))
  );
  assert.equal(tagged.map(([path]) => path), Object.keys(pages));
  assert.equal(tags.map(({ name }: Json) => name), ["server", "server-pages"]);
});

test("shows the examples that fields have, also those that are only read", () => {
  const thing = resource("thing", {
    path: "/things/",
    fields: {
      id: identifier({ example: 7 }),
      name: text({ example: "Seven" }),
      made: created({ example: "2026-11-25 20:00:00" }),
    },
  });
  const { components } = documentOf({ resources: [thing] });
  assert.equal(components.schemas.Thing.examples, [
    { id: 7, name: "Seven", made: "2026-11-25 20:00:00" },
  ]);
});

test("refers in examples to the examples of others, whatever identifies them", () => {
  const hall = resource("hall", {
    path: "/halls/",
    fields: { code: identifier({ type: "text", column: "code", example: "A/1" }) },
  });
  const meeting = resource("meeting", {
    path: "/meetings/",
    fields: {
      id: identifier({ type: "uuid" }),
      hall: relation(hall),
      others: many(hall, { through: "meeting_hall", read: "identifier" }),
    },
  });
  const { paths, components } = documentOf({ resources: [hall, meeting] });
  const { id } = components.schemas.Meeting.examples[0];
  assert.equal(components.schemas.Meeting.examples, [{
    id,
    hall: { code: "A/1" },
    others: ["A/1"],
  }]);
  assert.equal(components.schemas.MeetingWrite.examples, [{ id, hall: "A/1", others: ["A/1"] }]);
  const choices = paths["/meetings/choices/hall/"].get.responses[200].content["application/json"];
  assert.equal(choices.example, { choices: { "A/1": "hall A/1" }, next: null });
  assert.equal(paths["/halls/{id}/"].get.parameters[0].schema.examples, ["A/1"]);
});

test("names each operation once, as generated clients can use it", () => {
  for (const operations of documents.map(operationsIn)) {
    const names = operations.map(({ operationId }) => operationId);
    assert.is(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z][A-Za-z]+$/);
  }
  const names = operations.map(({ operationId }) => operationId);
  for (
    const name of ["readFoo", "createFoo", "createFooBatch", "listFooBarChoices", "readLastBottage"]
  ) {
    assert.ok(names.includes(name), name);
  }
});

test("has a schema for each direction of a relation, and no union but with null", () => {
  assert.is(schemas.Foo.properties.bar.$ref, "#/components/schemas/Bar");
  assert.is(schemas.FooWrite.properties.bar.type, "integer");
  assert.is(schemas.FooPatch.properties.bar.type, "integer");
  assert.equal(schemas.FooWrite.required, ["name", "bar"]);
  assert.is(schemas.FooPatch.required, undefined);
  assert.is(schemas.Bottage.properties.colere.type, "integer");
  const orNull = /"anyOf":\[\{"\$ref":"[^"]*"\},\{"type":"null"\}\]/g;
  assert.not.match(JSON.stringify(document).replaceAll(orNull, ""), /"(oneOf|anyOf)":/);
});

test("refuses unknown members in what is sent, and lets answers grow", () => {
  for (const [name, schema] of Object.entries<{ additionalProperties?: boolean }>(schemas)) {
    if (/(Write|Patch)$/.test(name)) assert.is(schema.additionalProperties, false, name);
    else assert.is.not(schema.additionalProperties, false, name);
  }
});

test("has patterns as JSON Schema has them, without the escapes of a literal in JavaScript", () => {
  const patterns = schemasIn(documents).flatMap(({ pattern }) => pattern ?? []);
  assert.ok(patterns.length > 0);
  for (const pattern of new Set<string>(patterns)) {
    assert.ok(new RegExp(pattern, "u"), pattern); // which knows no escape without a meaning
    assert.not.match(pattern, "\\/");
  }
});

test("has null beside the choices of a field, not among them, where generators take it for a text", () => {
  for (const name of ["Employee", "EmployeeWrite", "EmployeePatch"]) {
    const { anyOf: [choices, none] } = documents[1].components.schemas[name].properties.role;
    assert.equal([choices.enum, none], [["buyer", "clerk", "driver"], { type: "null" }], name);
  }
});

const toEmployee = { kind: "relation", target: "employee" };
const toArtist = { field: "album__artist", kind: "relation", target: "artist" };
const released = { field: "album__released", kind: "date" };
const told: [what: string, parts: (document: Json) => Json, expected: Record<string, Json>][] = [
  ["of a field: its kind", ({ components }) => components.schemas.Track.properties, {
    id: { kind: "identifier" },
    composer: { kind: "text" },
    price: { kind: "decimal" },
  }],
  ["of a relation: what it refers to", ({ components }) => components.schemas.Employee.properties, {
    role: { kind: "choice" },
    shop: { kind: "relation", target: "shop", read: "object" },
    manager: { ...toEmployee, read: "object" },
  }],
  ["of a relation to itself", ({ components }) => components.schemas.EmployeeNested.properties, {
    manager: { ...toEmployee, read: "identifier" },
  }],
  ...["Playlist", "PlaylistWrite", "PlaylistPatch"].map((name): typeof told[number] => [
    `of what is ordered, in ${name}`,
    ({ components }) => components.schemas[name].properties,
    {
      owner: { kind: "relation", target: "customer", read: "identifier" },
      tracks: { kind: "many", target: "track", read: "object", ordered: true },
      tags: { kind: "many", target: "tag", read: "identifier", ordered: true },
    },
  ]),
  ["of a column of a report", ({ components }) => components.schemas.Sales.properties, {
    month: { kind: "date" },
    total: { kind: "decimal" },
  }],
  ["of a parameter of a report", ({ paths }) => byName(paths["/api/reports/sales/"].get), {
    from: { kind: "date" },
    to: { kind: "date" },
  }],
  ["of a filter", ({ paths }) => byName(paths["/api/tracks/"].get), {
    id__in: { field: "id", operator: "in", kind: "identifier" },
    name: { field: "name", operator: "eq", kind: "text" },
    tags__in: { field: "tags", operator: "in", kind: "many", target: "tag" },
    gain__isnull: { field: "gain", operator: "isnull", kind: "number" },
    album__artist: { ...toArtist, operator: "eq" },
    album__artist__in: { ...toArtist, operator: "in" },
    album__released__gte: { ...released, operator: "gte" },
    album__released__gt: { ...released, operator: "gt" },
    album__released__lte: { ...released, operator: "lte" },
    album__released__lt: { ...released, operator: "lt" },
    ...nothingOf("q", "sort", "limit", "cursor", "count"),
  }],
  ["of an operation", ({ paths }) => paths["/api/tracks/{id}/"], {
    get: { verb: "read" },
    put: { verb: "replace" },
    patch: { verb: "patch" },
    delete: { verb: "delete" },
  }],
  ["of what lists candidates", ({ paths }) => paths["/api/tracks/choices/tags/"], {
    get: { verb: "choices", field: "tags" },
  }],
  ["of a tag", byName, {
    track: { kind: "resource", title: "Track", display: "name" },
    invoice_line: { kind: "resource", title: "InvoiceLine" },
    invoice: { kind: "record", title: "Invoice" },
    sales: { kind: "report" },
    ...nothingOf("server-pages"),
  }],
];
for (const [what, parts, expected] of told) {
  test(`tells ${what}`, () => {
    const found = parts(documents[1]);
    const members = Object.keys(expected).map((name) => [name, found[name]["x-relata"]]);
    assert.equal(Object.fromEntries(members), expected);
  });
}

const published = { who: "anyone", narrowed: true };
const somebodys = { who: "authenticated", narrowed: true };
const editors = { who: "role", role: "editor", narrowed: false };
for (
  const [path, method, isOpen, access] of [
    ["/articles/", "get", true, [published, somebodys]],
    ["/articles/", "post", false, [somebodys]],
    ["/articles/{id}/", "put", false, [somebodys]],
    ["/articles/{id}/", "delete", false, [somebodys, editors]],
    ["/comments/", "get", true, [{ who: "inherit", narrowed: true }]],
    ["/comments/", "post", true, [{ who: "anyone", narrowed: false }]],
    ["/comments/{code}/", "put", true, [{ who: "anyone", narrowed: false }]],
    ["/comments/{code}/", "patch", false, []],
    ["/comments/{code}/", "delete", false, [editors]],
    ["/comments/choices/article/", "get", true, [published, somebodys]],
    ["/count/", "get", false, [editors]],
  ] as const
) {
  test(`tells whom access lets ${method} ${path}, and for which no token is needed`, () => {
    const { "x-relata": told, security, responses } =
      withAccess.paths[path.replace("{code}", "{id}")][method];
    const scope = method === "get" ? "read" : "write";
    assert.equal(told.access, access);
    assert.equal(security, [...isOpen ? [{}] : [], { token: [scope] }]);
    assert.is(responses[403].$ref, "#/components/responses/Forbidden");
    const examples = withAccess.components.responses.Forbidden.content["application/problem+json"];
    assert.equal(Object.keys(examples.examples), ["forbidden", "insufficient_scope"]);
  });
}

test("says nothing of claims and SQL", () => {
  const { "x-relata": told } = withAccess.paths["/articles/"].post;
  assert.not.match(JSON.stringify(told), /owner|sub/);
  assert.not.ok(Object.hasOwn(withAccess.components.schemas.ArticleWrite.properties, "owner"));
});

test("says that a row within another may be its identifier alone, where access has rules", () => {
  const { Comment, Article, ArticleEmbedded } = withAccess.components.schemas;
  assert.is(Comment.properties.article.$ref, "#/components/schemas/ArticleEmbedded");
  assert.equal(ArticleEmbedded.required, ["id"]);
  assert.equal(ArticleEmbedded.properties, Article.properties);
});

test("has the labels and units that people read", () => {
  const { InvoiceLine, InvoiceLineWrite, DearLines, RaisePriceInput } = inWords.components.schemas;
  const told = { kind: "decimal", label: "Unit price", unit: "EUR" };
  for (const { properties } of [InvoiceLine, InvoiceLineWrite]) {
    assert.equal(properties.unit_price["x-relata"], told);
    assert.equal(properties.sizes["x-relata"], { kind: "array", unit: "cm" });
    assert.is(properties.next["x-relata"].label, "Line below");
  }
  assert.is(InvoiceLine.properties.id["x-relata"].label, "Number");
  assert.equal(DearLines.properties.total["x-relata"], { ...told, label: "Total" });
  assert.equal(RaisePriceInput.properties.by["x-relata"], told);
  const [least] = inWords.paths["/dear-lines/"].get.parameters;
  assert.equal(least["x-relata"], told);
  const [inPath] = inWords.paths["/invoice-lines/{line}/raise/"].post.parameters;
  assert.is(inPath["x-relata"].label, "Line");
  assert.is(inWords.tags[0]["x-relata"].label, "Invoice lines");
});

test("tells it in the words of the vocabulary, and of every field and operation", () => {
  const met: Record<string, Set<string>> = {};
  for (const { tags, paths, components } of [...documents, withAccess, inWords]) {
    const resources = tags.filter((tag: Json) => tag["x-relata"]?.title);
    const names = resources.map(({ name }: Json) => name);
    const every = {
      "tag": tags.filter(({ name }: Json) => name !== "server-pages"),
      "operation of a resource": operationsIn({ paths }).filter(({ tags }) =>
        names.includes(tags[0])
      ),
      "operation of a report": operationsIn({ paths }).filter((operation) =>
        operation.operationId.startsWith("report") && operation["x-relata"]
      ),
      "operation of an action": operationsIn({ paths }).filter((operation) =>
        operation.operationId.startsWith("send") && operation["x-relata"]
      ),
      "property of a schema": resources.flatMap(({ "x-relata": { title } }: Json) =>
        ["", "Write", "Patch"].flatMap((end) =>
          Object.values(components.schemas[title + end]?.properties ?? {})
        )
      ),
      "parameter of a report": operationsIn({ paths }).filter(({ operationId }) =>
        operationId.startsWith("report")
      ).flatMap(({ parameters }) => parameters),
      "parameter of an action": operationsIn({ paths }).filter(({ operationId }) =>
        operationId.startsWith("send")
      ).flatMap(({ parameters }) => parameters).filter((parameter) => parameter.in === "path"),
      "filter of a list": operationsIn({ paths }).flatMap(({ parameters }) => parameters)
        .filter((parameter) => parameter["x-relata"]?.operator),
    };
    for (const [place, parts] of Object.entries<Json[]>(every)) {
      for (const member of parts.flatMap((part) => Object.keys(part["x-relata"]))) {
        (met[place] ??= new Set()).add(member);
      }
    }
  }
  const sorted = (members: Iterable<string>) => [...members].sort();
  for (const [place, members] of Object.entries(vocabulary)) {
    assert.equal(sorted(met[place]!), sorted(members), place);
  }
});

const ofText = ["pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"];
const ofNumbers = ["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"];
for (
  const [type, others] of [
    ["integer", ofText],
    ["number", ofText],
    ["string", ofNumbers],
  ] as const
) {
  test(`says nothing about a value of type ${type} that has no meaning for it`, () => {
    const typed = schemasIn(documents).filter((schema) => schema.type === type);
    for (const schema of typed) {
      for (const keyword of others) assert.not.ok(keyword in schema, JSON.stringify(schema));
    }
  });
}

test("says the whole of a schema that extends another one inside its allOf", () => {
  const extended = schemasIn(document).filter(({ allOf }) => allOf);
  assert.ok(extended.length > 0);
  for (const { description: _, ...schema } of extended) {
    assert.equal(Object.keys(schema), ["allOf"]);
  }
});

test("says the limits that the specification and the contract state", () => {
  assert.is(schemas.FooWrite.properties.name.maxLength, 64);
  assert.is(schemas.Foo.properties.name.maxLength, 64);
  assert.is(schemas.BottageWrite.properties.cul.maxLength, undefined);
  assert.is(schemas.ColereWrite.properties.name.default, "");
  assert.equal(schemas.ColereWrite.required, []);
  const most = 2 ** 53 - 1;
  const identifiers = { type: "integer", format: "int64", minimum: -most, maximum: most };
  const { "x-relata": _, ...id } = schemas.Foo.properties.id;
  assert.equal(id, identifiers);
  assert.is(schemas.FooWrite.properties.bar.format, "int64");
  const { parameters } = document.paths["/api/foos/"].get;
  const { schema } = parameters.find(({ name }: Json) => name === "bar");
  assert.equal(schema, { ...identifiers, examples: [1] });
});

test("says in which field a search looks", () => {
  const { parameters } = documents[1].paths["/api/albums/"].get;
  const { description } = parameters.find(({ name }: Json) => name === "q");
  assert.is(description, "Text that the title contains, in upper or lower case");
});

test("links each relation that is written to its choices", () => {
  const url = (schema: string, field: string) => schemas[schema].properties[field].externalDocs.url;
  assert.is(url("FooWrite", "bar"), "/relata/api/foos/choices/bar/");
  assert.is(url("FooPatch", "bar"), "/relata/api/foos/choices/bar/");
  assert.is(url("BottageWrite", "colere"), "/relata/bottage/choices/colere/");
});

test("shows problems with the type that the server answers, below the path of the address", () => {
  const { responses } = documentOf({
    authRequired: true,
    rateLimit: 600,
    resources: [...resources, article],
  }).components;
  const contents = Object.values<Json>(responses)
    .map(({ content }) => content["application/problem+json"]);
  const shown = contents.flatMap(({ examples }) => Object.entries<Json>(examples));
  // No operation meets them
  const { method_not_allowed: _, misdirected_request: _other, ...met } = problems;
  const codes = new Set(shown.map(([code]) => code));
  assert.equal([...codes].sort(), Object.keys(met).sort());
  for (const [code, { value }] of shown) assert.is(value.type, `/relata/problems/${code}`);
});

test("says what each operation answers, errors and headers included", () => {
  for (const { operationId, responses } of operations) {
    const statuses = Object.keys(responses);
    for (const status of ["406", "500", "503", "504"]) {
      assert.ok(statuses.includes(status), `${operationId} ${status}`);
    }
  }
  const { responses } = document.paths["/api/foos/"].post;
  assert.equal(
    Object.keys(responses),
    ["201", "400", "406", "408", "409", "413", "415", "422", "500", "503", "504"],
  );
  assert.ok(responses[201].headers.Location);
  assert.ok(document.paths["/openapi.json"].get.responses[200].headers["Content-Encoding"]);
  assert.ok(document.components.responses.ServiceUnavailable.headers["Retry-After"]);
  assert.ok(document.paths["/api/foos/{foo_id}/"].delete.responses[409]);
});

test("says what becomes of a condition: a read is not sent, a write is not made", () => {
  const answers = Object.entries<Json>(document.paths["/api/foos/{foo_id}/"]).map((
    [method, { responses }],
  ) => [method, ...["304", "412"].filter((status) => status in responses)]);
  assert.equal(answers, [
    ["get", "304", "412"],
    ["put", "412"],
    ["patch", "412"],
    ["delete", "412"],
  ]);
});

test.run();

/** The tags of a document, or the parameters of an operation, by name. */
function byName({ tags, parameters }: Json): Json {
  return Object.fromEntries((parameters ?? tags).map((each: Json) => [each.name, each]));
}

function nothingOf(...names: string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function operationsIn({ paths }: Json): Json[] {
  return Object.values<object>(paths).flatMap(Object.values);
}

/** Every schema of a document, wherever it is. */
function schemasIn(part: Json): Json[] {
  if (typeof part !== "object" || part === null) return [];
  const within = Object.values(part).flatMap(schemasIn);
  return "type" in part || "allOf" in part ? [part, ...within] : within;
}

/** The document as clients get it. */
function documentOf(access: object = {}) {
  return JSON.parse(JSON.stringify(openapiDocument({ baseUrl, resources, pages, ...access })));
}
