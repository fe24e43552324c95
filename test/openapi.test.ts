// The document itself; that the answers keep to it is held by every test that speaks HTTP.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describe } from "../src/openapi/document.ts";
import { resources } from "../src/resources/index.ts";
import { pages } from "../src/server/pages.ts";
import { relata } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("the document");
const baseUrl = "https://api.example.org/relata";
// The document is read here as any client reads it: as JSON of a shape that is not known beforehand.
// deno-lint-ignore no-explicit-any
const document: any = documentOf();
// deno-lint-ignore no-explicit-any
const operations: any[] = Object.values<object>(document.paths).flatMap(Object.values);
const { schemas } = document.components;

test("is OpenAPI 3.1 of the address that clients use", () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.servers, [{ url: baseUrl }]);
});

for (const access of [{}, { authRequired: true, rateLimit: 600 }]) {
  test(`has no error and no warning by the recommended rules ${JSON.stringify(access)}`, () => {
    const folder = temporaryFolder();
    const file = join(folder.path, "openapi.json");
    writeFileSync(file, JSON.stringify(documentOf(access)));
    const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const linter = path("../node_modules/.bin/redocly");
    const { status, stderr } = spawnSync(
      path("../node_modules/.bin/node"),
      [linter, "lint", "--config", path("redocly.yaml"), "--max-problems", "1000", file],
      {
        encoding: "utf8",
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      },
    );
    folder.remove();
    assert.is(status, 0, stderr);
    assert.match(stderr, /Your API description is valid/);
    assert.not.match(stderr, /warning/i);
  });
}

test("is what the command prints, without a database", async () => {
  const environment = { BASE_URL: baseUrl, DATABASE_URL: "postgres://127.0.0.1:1/none" };
  const { status, stdout, stderr } = await relata(["openapi"], environment);
  assert.equal({ status, stderr }, { status: 0, stderr: "" });
  assert.equal(JSON.parse(stdout), document);
  const secured = await relata(["openapi"], { ...environment, AUTH: "required", RATE_LIMIT: "9" });
  const access = { authRequired: true, rateLimit: 9 };
  assert.equal(JSON.parse(secured.stdout), documentOf(access));
});

test("has every route, and no others", () => {
  const routes = resources.flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([path, verbs]) =>
      verbs.map(({ method }) => `${method} ${path}`)
    )
  );
  const expected = [...routes, ...Object.keys(pages).map((path) => `GET ${path}`)];
  const told = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
  );
  assert.equal(told.sort(), expected.sort());
});

test("names each operation once, as generated clients can use it", () => {
  const names = operations.map(({ operationId }) => operationId);
  assert.is(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z][A-Za-z]+$/);
  for (const name of ["readFoo", "createFoo", "listFooBarChoices", "readLastBottage"]) {
    assert.ok(names.includes(name), name);
  }
});

test("has a schema for each direction of a relation, and no union anywhere", () => {
  assert.equal(schemas.Foo.properties.bar, { $ref: "#/components/schemas/Bar" });
  assert.is(schemas.FooWrite.properties.bar.type, "integer");
  assert.is(schemas.FooPatch.properties.bar.type, "integer");
  assert.equal(schemas.FooWrite.required, ["name", "bar"]);
  assert.is(schemas.FooPatch.required, undefined);
  assert.is(schemas.Bottage.properties.colere.type, "integer");
  assert.not.match(JSON.stringify(document), /"(oneOf|anyOf)":/);
});

test("refuses unknown members in what is sent, and lets answers grow", () => {
  for (const [name, schema] of Object.entries<{ additionalProperties?: boolean }>(schemas)) {
    if (/(Write|Patch)$/.test(name)) assert.is(schema.additionalProperties, false, name);
    else assert.is.not(schema.additionalProperties, false, name);
  }
});

test("says the limits that the specification and the contract state", () => {
  assert.is(schemas.FooWrite.properties.name.maxLength, 64);
  assert.is(schemas.Foo.properties.name.maxLength, 64);
  assert.is(schemas.BottageWrite.properties.cul.maxLength, undefined);
  assert.is(schemas.ColereWrite.properties.name.default, "");
  assert.equal(schemas.ColereWrite.required, []);
  const identifiers = { type: "integer", minimum: 1, maximum: 2 ** 53 - 1 };
  assert.equal(schemas.Foo.properties.id, identifiers);
});

test("links each relation that is written to its choices", () => {
  const url = (schema: string, field: string) => schemas[schema].properties[field].externalDocs.url;
  assert.is(url("FooWrite", "bar"), "/relata/api/foos/choices/bar/");
  assert.is(url("FooPatch", "bar"), "/relata/api/foos/choices/bar/");
  assert.is(url("BottageWrite", "colere"), "/relata/bottage/choices/colere/");
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
  assert.ok(document.components.responses.Unavailable.headers["Retry-After"]);
  assert.ok(document.paths["/api/foos/{foo_id}/"].delete.responses[409]);
});

test.run();

/** The document as clients get it. */
function documentOf(access: object = {}) {
  return JSON.parse(JSON.stringify(describe({ baseUrl, resources, pages, ...access })));
}
