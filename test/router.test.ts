import { suite } from "uvu";
import * as assert from "uvu/assert";
import { router } from "./house.ts";

const test = suite("router");

const patterns = [
  "/",
  "/colere/",
  "/api/foos/",
  "/api/foos/{foo_id}/",
  "/api/foos/choices/bar/",
  "/bottage/last",
  "/bottage/{bottage}",
  "/teams/{team}/",
  "/teams/{team}/jobs/{job}/approve/",
  "/teams/{team}/jobs/last/",
  "/teams/all/jobs/",
];

/** From a path to the pattern it finds and what stands in the braces. */
const found: Record<string, [pattern: string, ...parameters: string[]]> = {
  // Either spelling of the final slash
  "/": ["/"],
  "": ["/"],
  "/colere/": ["/colere/"],
  "/colere": ["/colere/"],
  "/api/foos/": ["/api/foos/"],
  "/api/foos": ["/api/foos/"],
  "/api/foos/7/": ["/api/foos/{foo_id}/", "7"],
  "/api/foos/7": ["/api/foos/{foo_id}/", "7"],
  "/bottage/7": ["/bottage/{bottage}", "7"],
  "/bottage/7/": ["/bottage/{bottage}", "7"],
  // A path that is spelt out wins over braces
  "/bottage/last": ["/bottage/last"],
  "/bottage/last/": ["/bottage/last"],
  "/bottage/lasts": ["/bottage/{bottage}", "lasts"],
  "/api/foos/choices/bar/": ["/api/foos/choices/bar/"],
  "/api/foos/choices/bar": ["/api/foos/choices/bar/"],
  // Several braces, in any segment, and the way back where a literal segment leads nowhere
  "/teams/7": ["/teams/{team}/", "7"],
  "/teams/7/jobs/8/approve": ["/teams/{team}/jobs/{job}/approve/", "7", "8"],
  "/teams/7/jobs/last": ["/teams/{team}/jobs/last/", "7"],
  "/teams/7/jobs/last/approve/": ["/teams/{team}/jobs/{job}/approve/", "7", "last"],
  "/teams/all/jobs/": ["/teams/all/jobs/"],
  "/teams/all/jobs/8/approve/": ["/teams/{team}/jobs/{job}/approve/", "all", "8"],
  // What stands in braces is taken as it was sent
  "/bottage/%37": ["/bottage/{bottage}", "%37"],
  "/bottage/..": ["/bottage/{bottage}", ".."],
  "/bottage/{bottage}": ["/bottage/{bottage}", "{bottage}"],
};

const missed = [
  "//",
  "/api",
  "/api/",
  "/api/foo",
  "/api/foosx",
  "/API/foos/",
  "/api//foos/",
  "/api/foos//",
  "/api/foos/7//",
  "/api/foos/7/8",
  "/api/foos/choices/bar/7",
  "/bottage",
  "/bottage/",
  "/bottage//",
  "/bottage/last/7",
  "/bottage%2Flast",
  "bottage/last",
  "/teams",
  "/teams/7/jobs",
  "/teams/7/jobs/8",
  "/teams//jobs/8/approve",
  "/teams/7/jobs//approve",
  "/constructor",
  "/__proto__",
];

const find = router(patterns.map((pattern) => [pattern, pattern]));

for (const [path, [route, ...parameters]] of Object.entries(found)) {
  test(`finds ${route} at "${path}"`, () => {
    assert.equal(find(path), { route, parameters });
  });
}

for (const path of missed) {
  test(`finds nothing at "${path}"`, () => {
    assert.is(find(path), undefined);
  });
}

test("finds the same whatever the order of the patterns", () => {
  const reversed = router(patterns.toReversed().map((pattern) => [pattern, pattern]));
  for (const path of [...Object.keys(found), ...missed]) {
    assert.equal(reversed(path), find(path));
  }
});

for (const pattern of ["/foo-{foo_id}/", "/{foo_id}-{bar_id}/", "/{}/", "/{foo_id/"]) {
  test(`refuses the pattern "${pattern}", whose braces are no whole segment`, () => {
    assert.throws(
      () => router([[pattern, 1]]),
      ({ message }: Error) => message.includes(pattern),
    );
  });
}

for (
  const pattern of [
    "/colere",
    "/bottage/last/",
    "/bottage/{id}/",
    "/teams/{id}/jobs/{job_id}/approve/",
  ]
) {
  test(`refuses the pattern "${pattern}", which duplicates another`, () => {
    assert.throws(
      () => router([...patterns, pattern].map((each) => [each, each])),
      ({ message }: Error) => message === `Duplicate route: "${pattern}"`,
    );
  });
}

test.run();
