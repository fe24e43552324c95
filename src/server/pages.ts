// What the server says of itself: its links, its health, and what its problems mean.
import manifest from "../../package.json" with { type: "json" };
import { knownMigrations, pendingMigrations } from "../database/migrations.ts";
import type { Answer, Resource, Service } from "../declaration/declaration.ts";
import { fieldProblems, Problem, problems } from "../problem.ts";
import { create } from "../verbs/write.ts";

/** A page answers GET; it gets what the path has in the place of the braces. */
export type Page = (parameter: string) => Answer | Promise<Answer>;

/** The pages at the root of the address, whatever the prefix: for those who watch the process. */
export function healthPages({ sql }: Service): Record<string, Page> {
  const known = knownMigrations();
  return {
    "/livez": () => json({ status: "live" }),
    "/readyz": async () => {
      const pending = await pendingMigrations(sql, known);
      if (pending.length === 0) return json({ status: "ready" });
      const names = pending.map(({ name }) => `"${name}"`).join(", ");
      throw new Problem(
        "unavailable",
        `The database lacks the migrations ${names}: run "relata migrate up"`,
      );
    },
  };
}

export function pages({ prefix }: Service, resources: Resource[]): Record<string, Page> {
  const links = Object.fromEntries(resources.map((resource) => [
    resource.name,
    prefix + Object.keys(resource.routes).find((path) => resource.routes[path]!.includes(create)),
  ]));
  return {
    "/": () => json({ service: "relata", version: manifest.version, links }),
    "/problems/{code}": (code) => {
      const table = { ...problems, ...fieldProblems };
      if (!Object.hasOwn(table, code)) {
        throw new Problem("not_found", `No problem has the code "${code}"`);
      }
      return json({ code, ...table[code as keyof typeof table] });
    },
  };
}

function json(value: unknown): { status: 200; body: string } {
  return { status: 200, body: JSON.stringify(value) };
}
