import { suite } from "uvu";
import * as assert from "uvu/assert";
import { counter, exposition, histogram } from "./house.ts";

const test = suite("prometheus");

test("a counter counts each combination of labels, and is written in the text format 0.0.4", () => {
  const count = counter({ name: "eggs_total", help: "Eggs\nby \\ kind", labels: ["kind", "size"] });
  for (const kind of ["hen", "duck", "hen"]) count.increment(kind, '"l"\n\\');
  assert.is(
    exposition([count]),
    `# HELP eggs_total Eggs\\nby \\\\ kind
# TYPE eggs_total counter
eggs_total{kind="hen",size="\\"l\\"\\n\\\\"} 2
eggs_total{kind="duck",size="\\"l\\"\\n\\\\"} 1
`,
  );
});

test("a histogram counts a value in every bucket whose bound it does not exceed", () => {
  const sizes = histogram({ name: "eggs", help: "Eggs", label: "of", bounds: [0.5, 2] });
  for (const value of [0.5, 1, 2, 2.5]) sizes.observe("hen", value);
  assert.is(
    exposition([sizes]),
    `# HELP eggs Eggs
# TYPE eggs histogram
eggs_bucket{of="hen",le="0.5"} 1
eggs_bucket{of="hen",le="2"} 3
eggs_bucket{of="hen",le="+Inf"} 4
eggs_sum{of="hen"} 6
eggs_count{of="hen"} 4
`,
  );
});

test("a single value has no labels, and a counter that was never counted has no lines", () => {
  const empty = counter({ name: "eggs_total", help: "Eggs", labels: ["kind"] });
  const one = { name: "hens", help: "Hens", type: "gauge", samples: () => [{ value: 3 }] } as const;
  assert.is(
    exposition([empty, one]),
    "# HELP eggs_total Eggs\n# TYPE eggs_total counter\n# HELP hens Hens\n# TYPE hens gauge\nhens 3\n",
  );
});

test.run();
