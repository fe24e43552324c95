// Actions: plain SQL that writes. All that one runs is one transaction: its key, the check of its input, its SQL, and
// what shows the rows that this returns. Whatever is refused, nothing stays.
import type { Run } from "../db/database.ts";
import type { Statement, Value } from "../db/sql.ts";
import { invalid, Problem } from "../errors/problem.ts";
import { claimValues } from "../model/claim.ts";
import type { Action, Handler, Query, Service } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import type { Seen } from "../model/view.ts";
import {
  actionMends,
  actionStatement,
  checkedInputs,
  inputStatement,
  shownStatement,
} from "../statements/action.ts";
import { MAXIMUM_ROWS } from "../statements/items.ts";
import type { Kept, KeyedRequest } from "../statements/once.ts";
import { afterMending } from "./conflicts.ts";
import { withRefused } from "./failures.ts";
import { keying, once } from "./keyed.ts";
import { actionThrower } from "./rejection.ts";
import { notFound } from "./read.ts";
import { defect, itemsBody, textsOf, tooManyRows } from "./report.ts";
import { parse, type Parsed } from "./shape.ts";

/** What an action runs, for callers of one standing. */
export function actionStatements(action: Action, seen?: Seen): Statement[] {
  return [
    ...isChecked(action) ? [inputStatement(action, seen)] : [],
    actionStatement(action),
    ...action.fields ? [shownStatement(action)] : [],
  ];
}

/** Makes the handler of an action, for callers of one standing. */
export function acting(action: Action, service: Service, seen?: Seen): Handler {
  const { database } = service;
  const { body: inBody, fields } = action;
  const check = isChecked(action) ? inputStatement(action, seen) : undefined;
  const statement = actionStatement(action);
  const shown = fields && shownStatement(action);
  const throwProblem = actionThrower(action, service);
  const keyedOf = keying(action, "POST", action.path);
  const carryOut = once(service);
  // What Postgres rolls back to let another one go on runs again by itself
  const perform = afterMending(
    actionMends(action, service.resources),
    database,
    (work: (run: Run) => Promise<Kept>, keyed: KeyedRequest | undefined): Promise<Kept> =>
      keyed ? carryOut(keyed, statement, work) : database.transaction(statement, work),
  );

  return async (call) => {
    const { body, path, caller } = call;
    const parsed = parse(inBody, body, {
      shape: "write",
      identifiers: [],
      caller,
      isNew: true,
    });
    const values = valuesOf(action, parsed, path);
    /** Whether what fails is about the rows that the SQL returned. */
    let isShowing = false;

    async function work(run: Run): Promise<Kept> {
      isShowing = false;
      const checked = check && await run(check, { ...values, ...claimValues(check, caller) });
      throwRefused(action, parsed, path, checked?.[0]?.refused ?? "");
      const rows = await run(statement, { ...values, ...claimValues(statement, caller) });
      if (!fields || !shown) return { status: 204, id: "", text: null };
      checkRows(action, rows);
      isShowing = true;
      const items = await run(shown, { rows: JSON.stringify(rows) });
      isShowing = false;
      const subject = subjectOf(action);
      const text = action.isSingle ? textsOf(subject, items)[0]! : itemsBody(subject, items);
      return { status: 200, id: "", text };
    }

    const { text } = await perform(work, keyedOf(call))
      .catch((error) => isShowing ? Promise.reject(error) : throwProblem(error, call));
    return text === null ? { status: 204 } : { status: 200, body: text };
  };
}

function isChecked({ input }: Action): boolean {
  return checkedInputs(input).length > 0;
}

/** The values of all inputs: JSON as its text. */
function valuesOf({ input }: Action, { row }: Parsed, path: Query): Query {
  return mapValues(input.writable, ({ column, write: { sqlType } }, name) => {
    const value = Object.hasOwn(path, name) ? path[name]! : row[column] ?? null;
    return (sqlType === "jsonb" && value !== null ? JSON.stringify(value) : value) as Value;
  });
}

/** Throws the problem of a body that is wrong, or refers to what is not there; else that of a path that does. */
function throwRefused(
  { body: inBody, input, inPath }: Action,
  { body, failures }: Parsed,
  path: Query,
  refused: string,
): void {
  const fields = refused.split(",").filter(Boolean);
  const isOfPath = (refusal: string) => inPath.includes(refusal.split(":")[0]!);
  const ofBody = fields.filter((each) => !isOfPath(each)).join();
  const all = withRefused(inBody, failures, ofBody, body);
  if (all.length > 0) throw invalid(all);
  const [lost] = fields.find(isOfPath)?.split(":") ?? [];
  if (lost === undefined) return;
  throw notFound(input.relations[lost]!.target(input), path[lost] as string | number);
}

/** Throws the problem of rows that are too many or too few, or lack a column. */
function checkRows(action: Action, rows: Record<string, string | null>[]): void {
  const { name, input, fields = {}, isSingle } = action;
  const [row] = rows;
  if (isSingle && !row) throw new Problem("not_found", `No row fits the action "${name}"`);
  if (isSingle && rows.length > 1) {
    throw defect(new Error(`${subjectOf(action)} returns ${rows.length} rows, but is single`));
  }
  if (rows.length > MAXIMUM_ROWS) throw tooManyRows(Object.keys(input.writable));
  const lacking = row && Object.values(fields).find(({ column }) => !Object.hasOwn(row, column));
  if (!lacking) return;
  throw defect(new Error(`${subjectOf(action)} returns no column "${lacking.column}"`));
}

function subjectOf({ name }: Action): string {
  return `The action "${name}"`;
}
