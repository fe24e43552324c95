// What the tests of `relata declare` share: a database whose records can have places, and the files of a project.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshDatabase } from "./service.ts";

const epoch = new URL("../sql/server/0004_epoch.up.sql", import.meta.url);

/** The places of records that are followed. */
export const places = `
  relata_epoch bigint not null default relata_epoch(),
  relata_transaction xid8 not null default pg_current_xact_id()`;

/** A fresh database without tables, with what gives records their places. */
export async function withEpoch(): ReturnType<typeof freshDatabase> {
  const database = await freshDatabase();
  await database.sql.unsafe(readFileSync(epoch, "utf8"));
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
