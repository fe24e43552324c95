// What the tests of `relata declare` share: a database whose records can have places, and the files of a project.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshDatabase } from "./service.ts";

/** The migrations of the server that make functions which statements of a project use. */
const functions = ["0004_epoch", "0006_key"];

/** The places of records that are followed. */
export const places = `
  relata_epoch bigint not null default relata_epoch(),
  relata_transaction xid8 not null default pg_current_xact_id()`;

/** A fresh database without tables, with these functions. */
export async function withFunctions(): ReturnType<typeof freshDatabase> {
  const database = await freshDatabase();
  for (const name of functions) {
    const file = new URL(`../sql/server/${name}.up.sql`, import.meta.url);
    await database.sql.unsafe(readFileSync(file, "utf8"));
  }
  return database;
}

/** Saves each file under the path in its first line, in a folder. */
export function save(text: string, folder: string): void {
  for (const file of text.split(/^(?=\/\/ resources\/)/m)) {
    const [, path = ""] = /^\/\/ (resources\/\w+\.ts)\n/.exec(file) ?? [];
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), file);
  }
}
