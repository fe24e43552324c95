// What a section of the benchmark is, and what it gets.
import type postgres from "postgres";
import type { Contender } from "./contenders.ts";

export interface Section {
  meaning: string;
  /** Resolves to Markdown. */
  run(bench: Bench): Promise<string>;
}

export interface Bench {
  /** The address of a migrated database. */
  url: string;
  /** One connection to it, whose statements may take long. */
  sql: postgres.Sql;
  /** A folder that is thrown away. */
  folder: string;
  /** This server in the forms that it has here. */
  forms: Contender[];
  rounds: number;
  /** Seconds of one measurement. */
  seconds: number;
  /** Says what is being done. */
  progress(text: string): void;
}
