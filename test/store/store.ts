// A second API for the tests, a music store: resources and a report declared by what `src/README.md` says, and their
// tables, which it makes by a migration of its own.
import { readFileSync } from "node:fs";
import { type Service, startService } from "../service.ts";
import { reports, resources } from "./resources/index.ts";

/** The migration of the store, what undoes it, and rows to begin with. */
export const [up, down, tenRows] = ["0001_store.up", "0001_store.down", "ten"].map((name) =>
  readFileSync(new URL(`sql/${name}.sql`, import.meta.url), "utf8")
) as [string, string, string];

/** The store on a fresh database. */
export async function startStore(): Promise<Service> {
  const service = await startService({ resources, reports });
  await service.sql.unsafe(up);
  return service;
}
