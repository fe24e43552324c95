// The word `action`: plain SQL that writes, behind POST at a path, with its input and the columns that it returns. What
// can be told of it without a database is checked here.
import { codeIn } from "../db/quoted.ts";
import { type Slot, slot } from "../db/sql.ts";
import { isEntry, rulesFrom } from "./access.ts";
import { isOwnDefault } from "./default.ts";
import { checkBracedPath, checkEntries, checkField, checkName, checkNamed } from "./mistakes.ts";
import type { Action, Field, Payload } from "./model.ts";
import type { Inputs, Options, Rows } from "./options.ts";
import { mapValues } from "./record.ts";
import { shownField } from "./report.ts";
import {
  columnOf,
  declaredTarget,
  isResource,
  relationsIn,
  titleOf,
  withFields,
} from "./resource.ts";
import { checkedOptions } from "./word.ts";
import { writtenSql } from "./written.ts";

/** The options, with the names of the input. */
type NamedOptions<Given> = Omit<Options["action"], "input" | "statement"> & {
  input?: Given;
  statement: Rows<keyof Given & string>;
};

/** What a statement begins with. Others change the session, end the transaction, or wait for what never comes. */
const FIRST = /^\s*(?:with|select|insert|update|delete|merge)\b/i;

/** Makes an action, which runs its SQL and answers with the rows that this returns. */
export function action<Given extends Inputs = Record<string, never>>(
  name: string,
  options: NamedOptions<Given>,
): Action {
  checkNamed("action", name);
  checkName(`The name "${name}" of an action`, name);
  const subject = `The action "${name}"`;
  checkEntries(subject, options?.access);
  const given = checkedOptions("action", options, subject);
  const { path, summary, access, input = {}, fields, single: isSingle = false, tables = [] } =
    given;
  checkBracedPath(subject, path);
  checkRights(subject, access);
  const rules = access && rulesFrom(access);
  if (rules?.update.some(({ rows, field }) => rows || field !== undefined)) {
    throw new Error(`${subject} has access by rows: its SQL narrows them, by claim`);
  }
  if (fields && Object.keys(fields).length === 0) throw new Error(`${subject} needs a field`);
  if (isSingle && !fields) {
    throw new Error(`${subject} is single, but has no fields to answer with`);
  }
  const taken = mapValues(input, (field, input) => inputField(name, input, field));
  const inPath = namesIn(subject, path, taken);
  const inBody = Object.entries(taken).filter(([name]) => !inPath.includes(name));
  const whole = payloadOf(name, taken);
  const made: Action = {
    name,
    ...(rules && { access: rules }),
    title: titleOf(name),
    path,
    summary,
    input: whole,
    body: payloadOf(name, Object.fromEntries(inBody)),
    inPath,
    ...(fields && {
      fields: mapValues(
        fields,
        (field, column) => shownField("action", name, column, field),
      ),
    }),
    isSingle,
    tables,
    statement: writtenSql(given.statement, mapValues(taken, (_, name) => slotOf(whole, name)), {
      isNone: `${subject} has a statement that is no SQL: write sql\`…\``,
      isUnused: (name) => `${subject} has the input "${name}", which its statement does not use`,
      depends:
        `${subject} has a statement that depends on whether an input is there: ask in SQL, ` +
        "as in ${note} is null",
    }),
  };
  if (!FIRST.test(codeIn(made.statement.texts))) {
    throw new Error(
      `${subject} has a statement that does not begin with "with", "select", "insert", "update", ` +
        '"delete" or "merge"',
    );
  }
  actions.add(made);
  return made;
}

export function isAction(value: unknown): value is Action {
  return actions.has(value as Action);
}

const actions = new WeakSet<Action>();

/** Checks what can be told only when all resources are declared. */
export function checkInput({ name, input }: Action): void {
  for (const [field, relation] of Object.entries(input.relations)) {
    if (isResource(declaredTarget(relation, input))) continue;
    throw new Error(`${inputOf(name, field)} refers to no resource`);
  }
  for (const [field, { write }] of Object.entries(input.writable)) {
    if (!isOwnDefault(write.default)) continue;
    throw new Error(`${inputOf(name, field)} has a default in SQL or by a claim: name a value`);
  }
}

/** An action is no reading, nor a single kind of writing. */
function checkRights(subject: string, access: Options["action"]["access"] = []): void {
  if (Array.isArray(access) || isEntry(access)) return;
  const other = Object.keys(access).find((right) => right !== "write");
  if (other === undefined) return;
  throw new Error(`${subject} has access by "${other}", but all that it takes is to write`);
}

/** The names in braces in a path. */
function namesIn(subject: string, path: string, input: Record<string, Field>): string[] {
  const names = path.split(/[{}]/).filter((_, index) => index % 2 === 1);
  for (const [index, name] of names.entries()) {
    const own = `${subject} has "{${name}}" in its path`;
    if (names.indexOf(name) !== index) throw new Error(`${own} twice`);
    if (!Object.hasOwn(input, name)) throw new Error(`${own}, which is no name of its input`);
    const { kind, nullable, filter, relation } = input[name]!;
    if (nullable) throw new Error(`${own}, and so it is never null`);
    if (relation || (filter && !filter.asks)) continue;
    throw new Error(`${own}, which holds ${kind}, as no path does`);
  }
  return names;
}

/** The field of an input. Failures of its column are told at it. */
function inputField(action: string, name: string, field: Field): Field & { column: string } {
  checkName(`The name "${name}" of an input of the action "${action}"`, name);
  const subject = inputOf(action, name);
  checkField(subject, field);
  const { kind, identifiers, relation, write } = field;
  if (relation?.isMany) {
    throw new Error(`${subject} holds ${kind}, which no action takes: write array(integer())`);
  }
  if (identifiers || (!relation && !write)) {
    throw new Error(`${subject} holds ${kind}, which no action takes`);
  }
  return { column: columnOf(name, field), ...field };
}

function inputOf(action: string, name: string): string {
  return `The input "${name}" of the action "${action}"`;
}

/** The fields of an input. */
function payloadOf(name: string, declared: Record<string, Field & { column: string }>): Payload {
  return withFields({ name, relations: relationsIn(declared) }, declared);
}

/** The placeholder of an input, whose type is known when all resources are declared. */
function slotOf(input: Payload, name: string): Slot {
  return {
    ...slot(name),
    get type() {
      const { sqlType, givenType } = input.writable[name]!.write;
      return givenType === undefined ? sqlType : `${sqlType}::${givenType}`;
    },
  };
}
