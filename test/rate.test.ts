import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Problem, rate } from "./house.ts";
import { until } from "./program.ts";

const test = suite("rate");

/** Whether a request of the token is let through. */
function passes(count: (token: string) => unknown, token: string): boolean {
  try {
    count(token);
    return true;
  } catch (error) {
    assert.is((error as Problem).code, "too_many_requests");
    assert.is((error as Problem).headers["Retry-After"], "1");
    return false;
  }
}

test("lets a token through again when its window is over, and as often as before", async () => {
  const count = rate(2, 1);
  assert.equal(["1", "1", "1", "2"].map((token) => passes(count, token)), [
    true,
    true,
    false,
    true,
  ]);
  await until("the window is over", () => passes(count, "1"));
  assert.equal(["1", "1", "3", "3", "3"].map((token) => passes(count, token)), [
    true,
    false,
    true,
    true,
    false,
  ]);
});

test.run();
