// The gate: what was released is kept until the next major version.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import manifest from "../package.json" with { type: "json" };
import {
  compare,
  judge,
  openapiDocument,
  pages,
  parseDocument,
  resources,
  table,
} from "./house.ts";

const test = suite("the released contract");
const released = readFileSync(new URL("contract/released.json", import.meta.url), "utf8");
const baseUrl = "http://127.0.0.1:8000";

/** Why a contract may not follow the released one under a version; undefined where it may. */
function refusal(now: object, version: string): string | undefined {
  const before = parseDocument(released, "the released contract");
  const judged = judge(compare(before, parseDocument(JSON.stringify(now), "the contract")));
  const major = (version: string) => Number.parseInt(version, 10);
  const from = JSON.parse(released).info.version;
  if (judged.verdict === "compatible" || major(version) > major(from)) return undefined;
  return `${
    table(judged)
  }\n\nKeep the contract of ${from}; or, where the change is intended, give ` +
    'package.json a new major version and record the contract with "npm run release"';
}

test("is kept, or the major version is a new one", () => {
  const reason = refusal(openapiDocument({ baseUrl, resources, pages }), manifest.version);
  assert.is(reason, undefined, reason);
});

test("is broken if a field of an answer is gone, unless the major version is a new one", () => {
  const now = JSON.parse(released);
  delete now.components.schemas.Bar.properties.name;
  assert.match(refusal(now, manifest.version) ?? "", /GET \/api\/foos\/\{\}.*\/bar\/name/);
  assert.match(refusal(now, manifest.version) ?? "", /npm run release/);
  assert.is(refusal(now, `${Number.parseInt(manifest.version, 10) + 1}.0.0`), undefined);
});

test.run();
