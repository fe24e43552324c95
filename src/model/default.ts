// What a field is that a create leaves out: the value that its declaration names, what the token of its sender says, or
// SQL that Postgres evaluates for each row that is created.
import * as v from "valibot";
import { codeIn } from "../db/quoted.ts";
import { projectSql, Sql } from "../db/sql.ts";
import { Claim } from "./claim.ts";
import type { Write } from "./model.ts";

/** Writes the SQL of a default; it gets the tag. */
export type DefaultSql = (tag: typeof projectSql) => Sql;

const written = v.pipe(
  v.custom<DefaultSql>((value) => typeof value === "function"),
  v.transform((write) => write(projectSql)),
  v.instance(Sql, "SQL, as in (sql) => sql`now()`"),
  v.check(
    (piece) => piece.slots.length === 0 && !/(?<![\w$])\$\d/.test(codeIn(piece.texts)),
    "SQL without a placeholder",
  ),
  // One would run once for all rows that share a statement
  v.check(
    (piece) => !/\b(select|values|table)\b/i.test(codeIn(piece.texts)),
    "SQL without a subquery",
  ),
);

const claimed = v.instance(Claim);

/** What a word takes as a default: a value that clients could send, a claim, or a function that writes SQL. */
export function defaultAmong<Value extends v.GenericSchema>(value: Value) {
  return v.lazy<Value | typeof written | typeof claimed>((given) => {
    if (given instanceof Claim) return claimed;
    return typeof given === "function" ? written : value;
  });
}

/** Whether each row has a default of its own, which a replace does not store again. */
export function isOwnDefault(fallback: unknown): fallback is Sql | Claim {
  return fallback instanceof Sql || fallback instanceof Claim;
}

/** The default that all rows share; undefined if there is none, or if each row has one of its own. */
export function sharedDefault({ default: fallback }: Write): unknown {
  return typeof fallback === "function" || isOwnDefault(fallback) ? undefined : fallback;
}
