// `relata contract check`: judges whether the second of two OpenAPI documents keeps the contract of
// the first.
import { compareDocuments } from "../contract/compare.ts";
import { readDocument } from "../contract/document.ts";
import { changeTable, judge } from "../contract/judge.ts";
import { print } from "../terminal/output.ts";

/** Prints what changed and resolves to the exit status: 0 compatible, 1 breaking. A document that
 * cannot be read is a `UsageError`, which ends with 2. What no rule judges counts as breaking. */
export async function contractCheck(
  old: string,
  now: string,
  { json = false }: { json?: boolean } = {},
): Promise<0 | 1> {
  const [before, after] = await Promise.all([readDocument(old), readDocument(now)]);
  const judgement = judge(compareDocuments(before, after));
  await print(json ? JSON.stringify(judgement, null, 2) : changeTable(judgement));
  return judgement.verdict === "breaking" ? 1 : 0;
}
