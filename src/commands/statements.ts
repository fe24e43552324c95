// `relata statements`: prints every statement that the server runs for requests, ready for `explain` in
// psql, which puts its variables where the slots are: `:'ids'`.
import { forgetStatement } from "../api/keyed.ts";
import type { Config } from "../config.ts";
import { constraintStatement } from "../statements/constraint.ts";
import type { Statement } from "../db/sql.ts";
import { UsageError } from "../errors/usage.ts";
import { findTokens } from "../http/access.ts";
import { openProject } from "../project/project.ts";
import { print } from "../terminal/output.ts";

/** The statements of the server itself. */
const own: [use: string, statement: Statement][] = [
  ["any request with a token", findTokens],
  ["any create with an Idempotency-Key", forgetStatement],
  ["any write that the database refuses", constraintStatement],
];

/** Prints the statements of a resource; without a name, those of all resources and of the server. */
export async function statements(config: Config, name: string | undefined): Promise<void> {
  const { resources } = await openProject(config);
  const chosen = resources.filter((resource) => name === undefined || resource.name === name);
  if (chosen.length === 0) {
    const names = resources.map(({ name }) => name).join(", ");
    throw new UsageError(`No resource is named "${name}": there are ${names}`);
  }
  const used = chosen.flatMap((resource) =>
    Object.entries(resource.routes).flatMap(([path, verbs]) =>
      verbs.flatMap((verb) =>
        verb.statements(resource).map((statement): [string, Statement] => [
          `${verb.method} ${path}`,
          statement,
        ])
      )
    )
  );
  const all = Map.groupBy([...used, ...(name === undefined ? own : [])], ([, { text }]) => text);
  const texts = [...all.values()].map((uses) => {
    const statement = uses[0]![1];
    return `-- ${statement.name}: ${uses.map(([use]) => use).join(", ")}\n${readable(statement)};`;
  });
  await print(texts.join("\n\n"));
}

/** The text with its slots by name. */
function readable({ text, slots }: Statement): string {
  return text.replaceAll(/\$(\d+)/g, (_, number) => `:'${slots[Number(number) - 1]!.slot}'`);
}
