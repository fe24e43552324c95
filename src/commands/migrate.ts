// `relata migrate`: brings the schema of a database up or down, or says where it stands.
import type { Config } from "../config.ts";
import { migrateDown, migrateUp, migrationStatus, type Step } from "../database/migrations.ts";
import { openDatabase } from "../database/open.ts";
import type { Sql } from "../database/sql.ts";

const directions = {
  up: async (sql: Sql) => steps(await migrateUp(sql)),
  down: async (sql: Sql) => steps(await migrateDown(sql)),
  status,
};

export async function migrate(config: Config, direction: keyof typeof directions): Promise<void> {
  const database = await openDatabase({ ...config, poolSize: 1 }, { cancels: false });
  try {
    console.log(await directions[direction](database.sql));
  } finally {
    await database.close();
  }
}

function steps(steps: Step[]): string {
  if (steps.length === 0) return "Nothing to do";
  return steps.map(({ name, direction }) => `${name} ${direction}`).join("\n");
}

async function status(sql: Sql): Promise<string> {
  const rows = (await migrationStatus(sql)).map(({ name, state, appliedAt }) => [
    name,
    state,
    appliedAt?.toISOString() ?? "",
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
    .join("\n");
}
