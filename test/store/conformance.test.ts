// Each resource of each project of the tests: the document's example goes the whole way.
// Needs: Deno, the embedded database
import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conference } from "../conference/conference.ts";
import { identified } from "../faults/shown.ts";
import { differences, options, pathOf } from "../house.ts";
import { createAll, startProject } from "../projects.ts";
import { scheduling } from "../scheduling/scheduling.ts";
import type { Service } from "../service.ts";
import { store } from "./store.ts";

const test = suite("conformance");

const projects = {
  "a music store": store,
  "a conference": conference,
  "field service": scheduling,
};

for (const [name, project] of Object.entries(projects)) {
  const { resources } = project;
  let service: Service;

  test(`${name} has the tables that it declares, and takes its first rows`, async () => {
    service = await startProject(project);
    assert.equal(await differences(service.client, resources, project.reports), []);
    await createAll(project.rows, service);
  });

  for (const resource of resources) {
    const path = pathOf(resource, "create");
    if (path === undefined) continue; // what triggers or others write
    const row = pathOf(resource, "read")!;
    const { key, keys, fields } = resource;
    const isIdentifier = fields[key]?.kind === "identifier";
    const at = (body: Record<string, unknown>) =>
      row.replace(
        /\{.+\}/,
        () => keys.map((key) => encodeURIComponent(identified(body[key]))).join(),
      );

    test(`${name}: the example of ${resource.name} is written by each verb, and read as it was`, async () => {
      const { send } = service;
      const document = (await send("GET /openapi.json")).body;
      /** The example of a body; if it has an `identifier()` of the row that is there, with another one. */
      const exampleOf = (path: string, method: string) => {
        const [content] = Object.values<{ example: Record<string, unknown> }>(
          document.paths[path][method].requestBody.content,
        );
        const { example } = content!;
        const given = isIdentifier ? example[key] : undefined;
        return given === undefined ? example : { ...example, [key]: nextTo(given) };
      };
      // The key of the example may be that of a row which others refer to by theirs: it comes back
      if (!isIdentifier) await send(`DELETE ${at(exampleOf(path, "post"))}`);
      const { status, headers, body } = await send(`POST ${path}`, exampleOf(path, "post"));
      assert.is(status, 201, JSON.stringify(body));
      assert.is(headers.get("location"), at(body));
      assert.equal((await send(`GET ${at(body)}`)).body, body);
      const sort = isIdentifier ? "-id" : "-key";
      assert.equal((await send(`GET ${path}?sort=${sort}&limit=1`)).body.items, [body]);
      for (const [verb, method] of [["replace", "put"], ["patch", "patch"]] as const) {
        if (!pathOf(resource, verb)) {
          assert.is((await send(`${method.toUpperCase()} ${at(body)}`, {})).status, 405);
          continue;
        }
        const written = await send(`${method.toUpperCase()} ${at(body)}`, exampleOf(row, method));
        assert.equal([written.status, written.body], [200, body]);
        assert.is(written.headers.get("etag"), headers.get("etag"));
      }
      if (pathOf(resource, "last")) assert.equal((await send(`GET ${path}last/`)).body, body);
      if (!pathOf(resource, "delete")) return;
      assert.is((await send(`DELETE ${at(body)}`)).status, 204);
      assert.is((await send(`GET ${at(body)}`)).status, 404);
      if (!isIdentifier) assert.is((await send(`PUT ${at(body)}`, {})).status, 201);
    });
  }

  test(`${name}: its migration can be reverted`, async () => {
    const { sql } = service;
    await sql.unsafe(project.down);
    const left = await sql<{ name: string }[]>`
      select relname as name
      from pg_class
      where relnamespace = 'public'::regnamespace
        and relkind = 'r'
        and relname = any(${resources.map(({ table }) => table)}::text[])`;
    assert.equal([...left], []);
    await service.stop();
  });
}

test("together they use every word, and every option", () => {
  const source = Object.values(projects).map(({ path }) => sourceOf(`${path}resources/`)).join("");
  const words = readFileSync(new URL("../../src/words.ts", import.meta.url), "utf8");
  const exported = [...words.matchAll(/export \{ ([^}]+) \}/g)]
    .flatMap(([, names]) => names!.split(", "));
  for (const word of exported) assert.match(source, new RegExp(`\\b${word}\\b`), word);
  for (const option of Object.values(options).flatMap(({ entries }) => Object.keys(entries))) {
    assert.match(source, new RegExp(`\\b${option}:`), option);
  }
});

/** What the files of a folder say without their imports. */
function sourceOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(folder + name, "utf8").replace(/^import[^;]+;/gm, ""))
    .join("");
}

/** An identifier that comes after another one of the same form. */
function nextTo(identifier: unknown): string | number {
  if (typeof identifier === "number") return identifier + 1;
  const text = String(identifier);
  return text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
}

test.run();
