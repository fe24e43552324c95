// The modules of the page as one file: what a browser would make of them one by one.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { joinModules } from "./house.ts";

const test = suite("joined modules");

/** Runs modules that are joined; gives what they put into `told`, in its order. */
async function run(modules: Record<string, string>): Promise<unknown[]> {
  const text = joinModules(new Map(Object.entries(modules)), "first.js");
  const source = `export const told = [];\n${text}`;
  const { told } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return told;
}

test("run in the order of their imports, each once, and what is imported later comes last", async () => {
  const told = await run({
    "first.js": 'import { two } from "./two.js";\nimport { one } from "./one.js";\n' +
      'told.push("first", one, two);\nconst late = async () => (await import("./late.js")).late();\n' +
      "told.push(late());\n",
    "one.js": 'told.push("one");\nexport const one = 1;\n',
    "two.js":
      'import {\n  one,\n} from "./one.js";\ntold.push("two");\nexport const two = one + 1;\n',
    "late.js":
      'import { one } from "./one.js";\ntold.push("late");\nexport async function late() {\n  return one;\n}\n',
  });
  const [promised] = told.splice(5, 1);
  assert.equal(told, ["one", "two", "first", 1, 2, "late"]);
  assert.is(await promised, 1);
});

test("keep their own names to themselves, and may go round", async () => {
  assert.equal(
    await run({
      "first.js":
        'import { even } from "./even.js";\nconst NAME = "first";\ntold.push(NAME, even(4));\n',
      "even.js": 'import { odd } from "./odd.js";\nconst NAME = "even";\n' +
        "export function even(count) {\n  told.push(NAME);\n  return count === 0 || odd(count - 1);\n}\n",
      "odd.js": 'import { even } from "./even.js";\nconst NAME = "odd";\n' +
        "export const odd = (count) => {\n  told.push(NAME);\n  return count !== 0 && even(count - 1);\n};\n",
    }),
    ["even", "odd", "even", "odd", "even", "first", true],
  );
});

test("lose their comments, and no text that looks like one", async () => {
  const source = "// A line\n/**\n * A block\n */\nconst path = `/** */ //`; // stays\n" +
    "  /** @type {any} */ (told).push(path);\n  /** one */\ntold.push(2);\n";
  assert.equal(await run({ "first.js": source }), ["/** */ //", 2]);
  const joined = joinModules(new Map([["first.js", source]]), "first.js");
  assert.not.match(joined, /A line|A block|one/);
});

for (
  const other of [
    'import { one as two } from "./one.js";',
    'import one from "./one.js";',
    'import * as one from "./one.js";',
    "export default 1;",
    "export { one };",
    "export let one = 1;",
    "export const { one } = two;",
    'export * from "./one.js";',
  ]
) {
  test(`refuse ${other}`, () => {
    const modules = new Map([["first.js", `${other}\n`], ["one.js", "export const one = 1;\n"]]);
    assert.throws(() => joinModules(modules, "first.js"), /"first.js" cannot be joined/);
  });
}

test.run();
