// Where a leak could be: every statement that names the table of a resource with rules, for callers of every standing.
// It has the condition of the rule there, or it is one of a few places that look at all rows.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type Resource,
  rights,
  type Seen,
  seenBy,
  statements as sql,
  type Verb,
} from "../house.ts";
import { resources } from "./project.ts";

const test = suite("statements of rules");

type Statement = ReturnType<Verb["statements"]>[number];

/** Who may ask: nobody, somebody, and whoever has one of the roles, or all. */
const roles = ["admin", "editor", "keeper", "maker"];
const standings = [
  { kind: "nobody", roles: [] },
  ...[[], ...roles.map((role) => [role]), roles].map((roles) => ({ kind: "somebody", roles })),
] as Parameters<typeof seenBy>[0][];

/** A statement on one line, where a claim looks the same as a parameter and as a column. */
function plain(statement: Parameters<typeof sql.readable>[0]): string {
  return sql.readable(statement)
    .replaceAll(/(?::'|(?:sent|relata_asked)\.")(relata_claim_\w+)(?:'::\w+(?:\[\])?|")/g, "<$1>")
    .replaceAll(/\s+/g, " ");
}

const textOf = (piece: Parameters<typeof sql.reads>[1]) => plain(sql.reads("piece", piece));

/** What stands for the condition that callers may read a row. */
const mark = ({ name }: { name: string }) => `<may read ${name}>`;

/** The conditions of the rules as they are in statements, the longest first, and what stands for each. Of what they
 * look at themselves, the next test tells. */
function conditionsOf(seen: Seen): [text: string, mark: string][] {
  return resources.flatMap((resource) => {
    const { view, name } = seen(resource);
    return rights.flatMap((right) => {
      const rule = view!.rule(right);
      return [sql.name(name), sql.raw("sent")].flatMap((row) => {
        const whole = rule.holds(row);
        const parts = rule.members.map((each) => each.holds(row));
        return [whole, ...parts].flatMap((piece, place): [string, string][] => {
          if (!piece || textOf(piece) === "false") return [];
          const isWhole = right === "read" && place === 0;
          return [[textOf(piece), isWhole ? mark(resource) : "<a rule>"]];
        });
      });
    });
  }).sort(([one], [other]) => other.length - one.length);
}

/** The places that look at all rows of a table: the statements that have each, and what follows the table there. */
const everyRow: Record<string, [of: RegExp, follows: RegExp]> = {
  "the row that is locked": [
    /^(lock|change|delete) /,
    /^as relata_row (where|on) relata_row\."\w+" = (?:(?! from (?!"\w+" as relata_typed)).)+ for (no key )?update/,
  ],
  "the version of the row that is locked": [/^(change|delete) /, /^as relata_seen where /],
  "the row that was just written": [
    /^read written /,
    /^where "\w+"\."\w+" = (relata_asked\.id|relata_key\(relata_asked\.id,)/,
  ],
  "the types of the columns": [/./, /^as (relata_row limit 1|relata_typed where false)/],
  "the keys that links have, as the rows have them": [
    /^(create|change) /,
    /^as relata_target on /,
  ],
  "the identifiers that a sequence passes over": [/^mend /, /^as kept where /],
  "rows by the index of the column that a claim tells": [
    /^list /,
    /^where [^=]+ = any\(array\[relata_value\.one\]\)/,
  ],
};

const met = new Set<string>();

/** What follows the name of the table in a statement where it is read. */
function readsOf(text: string, { table, name }: Resource): string[] {
  const named = new RegExp(`(?<!delete )\\b(?:from|join|using) "${table}" (?:as "${name}" )?`, "g");
  return [...text.matchAll(named)].map(({ index, 0: found }) => text.slice(index + found.length));
}

for (const standing of standings) {
  const { kind, roles } = standing;
  const who = [kind, ...roles].join(", ");
  const seen = seenBy(standing);
  const conditions = conditionsOf(seen);
  const shortened = (text: string) =>
    conditions.reduce((text, [condition, mark]) => text.replaceAll(condition, mark), text);

  test(`${who}: no statement reads a table without the condition of its rule`, () => {
    for (const resource of resources.map(seen)) {
      const all: Pick<Statement, "name" | "piece">[] = [
        ...Object.values(resource.routes).flat().flatMap((verb) => verb.statements(resource)),
      ];
      for (const statement of all) {
        const text = shortened(plain(statement as Statement));
        for (const read of resources.map(seen)) {
          const rule = read.view!.rule("read");
          if (rule.of === "all") continue;
          const condition = rule.of === "none" ? "where false " : `where ${mark(read)} `;
          for (const follows of readsOf(text, read)) {
            if (follows.startsWith(condition)) continue;
            const [place] = Object.entries(everyRow).find(([, [of, those]]) =>
              of.test(statement.name) && those.test(follows)
            ) ?? [];
            assert.ok(
              place,
              `"${statement.name}" reads every ${read.name}: … ${follows.slice(0, 200)}`,
            );
            met.add(place!);
          }
        }
      }
    }
  });

  test(`${who}: who inherits looks at the rows of its parent that are read`, () => {
    const [line, note] = ["line", "note"].map((name) =>
      seen(resources.find((each) => each.name === name)!)
    ) as [Resource, Resource];
    const [own, parent] = [line, note].map(({ view }) => view!.rule("read"));
    if (parent!.of !== "some") return;
    const condition = textOf(parent!.holds(sql.name("note"))!);
    const [follows] = readsOf(textOf(own!.holds(sql.name("line"))!), note);
    assert.ok(follows!.startsWith(`where ${condition} `));
  });
}

test("every place that looks at all rows is met", () => {
  assert.equal([...met].toSorted(), Object.keys(everyRow).toSorted());
});

test.run();
