// A second API for the tests, a music store: a project in this folder, as `src/README.md` says.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openProject } from "../house.ts";
import { type Service, startService } from "../service.ts";

/** The project's folder, for what starts the program there. */
export const folder = fileURLToPath(new URL(".", import.meta.url));

export const { reports, resources } = await openProject({ projectDir: folder });

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
