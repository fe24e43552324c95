// A resource as callers of one standing see it: which of its rows they read, and which they may write. It is a
// resource like any other, so that whatever makes statements of it need not know of callers; what its relations refer
// to is seen by the same callers.
import * as v from "valibot";
import { fillIn, join, name, projectSql, Sql, sql } from "../db/sql.ts";
import {
  type ClaimSql,
  type Entry,
  isFor,
  type Right,
  rights,
  rolesIn,
  type RowsSql,
  type Standing,
} from "./access.ts";
import { Claim, claimsIn, type ClaimSlot, claimSlot } from "./claim.ts";
import type { Action, Field, Filter, Report, Resource } from "./model.ts";
import { along, type Path, pathTo } from "./path.ts";
import { relationOf } from "./resource.ts";
import { shown } from "./selection.ts";
import { identifierOf, rowsOf } from "./table.ts";
import { text } from "./text.ts";
import { describeValue } from "./word.ts";

/** What callers of a standing may do. */
export interface View {
  /** The resource as it is declared. */
  declared: Resource;
  /** Another resource, as they see it. */
  of(resource: Resource): Resource;
  /** The rows that they may read, create, update and delete. */
  rule(right: Right): RowRule;
}

/** Some of the rows. */
interface RowRule {
  /** Whether it is all of them, or none because no entry is for these callers. */
  of: "all" | "some" | "none";
  /** The condition on a row of this name; undefined for all. */
  holds(row: Sql): Sql | undefined;
  /** SQL for the fields by which a row is not among them, as `owner:not_allowed`; null if it is. */
  refusal(row: Sql): Sql;
  /** What they must have, if the condition is of fields alone. */
  members: readonly Member[];
  /** Whether it looks at other rows. */
  looksElsewhere: boolean;
}

/** What a field, or one at the end of a path, must have. */
export interface Member {
  path: Path;
  /** The field that the path begins with. */
  field: string;
  /** The parameter with what it must have, if a claim says it. */
  slot?: ClaimSlot;
  holds(row: Sql): Sql;
}

/** One of the conditions that are enough. */
interface Condition {
  holds(row: Sql): Sql;
  members?: readonly Member[];
  looksElsewhere: boolean;
}

/** Gives resources as callers of a standing see them. */
export type Seen = View["of"];

export function seenBy(standing: Standing): Seen {
  const views = new Map<Resource, Resource>();
  return function of(declared) {
    const known = views.get(declared);
    if (known) return known;
    const rules = new Map<Right, RowRule>();
    const made: Resource = {
      ...declared,
      view: {
        declared,
        of,
        rule(right) {
          const rule = rules.get(right) ?? ruleOf(declared, right, standing, of);
          rules.set(right, rule);
          return rule;
        },
      },
    };
    views.set(declared, made);
    return made;
  };
}

/** Throws the first mistake in what a resource says of access; its relations refer to resources that are declared. */
export function checkAccess(resource: Resource): void {
  const { access, name: own } = resource;
  if (!access) return;
  checkLineage(resource, []);
  if (access.history.some(({ rows, field }) => rows || field !== undefined)) {
    throw new Error(
      `The resource "${own}" has access to its history by rows: who may read it reads that of all`,
    );
  }
  const standing: Standing = { kind: "somebody", roles: rolesIn([resource]) };
  for (const right of rights) {
    for (const each of access[right]) {
      checkWritten(resource, each);
      const alone = { ...resource, access: { ...access, [right]: [each] } };
      ruleOf(alone, right, standing, seenBy(standing)).holds(name(own));
    }
  }
}

/** Throws an error where a project writes a condition that is another one each time. */
function checkWritten(resource: Resource, { rows }: Entry): void {
  if (typeof rows !== "function") return;
  const [first, next] = [writtenCondition(resource, rows), newCondition(resource, rows)]
    .map((condition) => fillIn(condition, ({ slot }) => slot));
  if (first === next) return;
  throw new Error(
    `The access of the resource "${resource.name}" gives other SQL each time: let Postgres read the ` +
      "clock, as in now()",
  );
}

/** Throws an error where entries inherit from what is no relation to one row, or at last from themselves. */
function checkLineage(resource: Resource, heirs: Resource[]): void {
  const { name: own, access, relations } = resource;
  for (const { field } of rights.flatMap((right) => access?.[right] ?? [])) {
    if (field === undefined) continue;
    const subject = `The resource "${own}" inherits its access by "${field}"`;
    const relation = Object.hasOwn(relations, field) ? relations[field]! : undefined;
    if (!relation || relation.isMany) {
      throw new Error(`${subject}, which is no relation to one row`);
    }
    const parent = relation.target(resource);
    if (parent === resource || heirs.includes(parent)) {
      throw new Error(`${subject} at last from itself`);
    }
    checkLineage(parent, [...heirs, resource]);
  }
}

/** The names of the claims that declarations look at, each once. */
export function claimNames(declared: readonly (Resource | Report | Action)[]): string[] {
  const names = declared.flatMap((each) => {
    if ("routes" in each) return claimNamesIn(each);
    return claimsIn("rows" in each ? each.rows : each.statement).map(({ claim }) => claim);
  });
  return [...new Set(names)];
}

/** The names of the claims on which answers depend: those that its SQL, its defaults and its rules look at, those of what
 * it inherits from and shows included. */
export function claimsSeen(declared: Resource | Action): string[] {
  const own = claimNames([declared]);
  if (!("routes" in declared) || !declared.view) return own;
  const { view, name: resource } = declared;
  const row = name(resource);
  const ruled = join([...rights.map((right) => view.rule(right).refusal(row)), shown(declared)]);
  return [...new Set([...own, ...claimsIn(ruled).map(({ claim }) => claim)])];
}

function claimNamesIn(resource: Resource): string[] {
  const { access, claimed } = resource;
  const row = name(resource.name);
  const entries = rights.flatMap((right) => access?.[right] ?? []);
  return [
    ...entries.flatMap(({ rows }) => {
      if (typeof rows === "function") return claimsIn(writtenFor(resource, rows, row));
      return Object.values(rows ?? {}).filter((value) => value instanceof Claim);
    }),
    ...Object.values(claimed).map(({ write }) => write.default),
  ].map(({ claim }) => claim);
}

function ruleOf(
  resource: Resource,
  right: Right,
  standing: Standing,
  of: View["of"],
): RowRule {
  const entries = resource.access?.[right].filter((each) => isFor(each, standing)) ?? [];
  const conditions = entries.map((entry) => conditionOf(resource, right, entry, of))
    .filter((each) => each !== "none");
  if (conditions.length === 0) return noRow;
  const some = conditions.filter((each) => each !== "all");
  if (some.length < conditions.length) return allRows;
  const [{ members = [] }] = some as [Condition];
  const holds = (row: Sql) => anyOf(some.map((each) => each.holds(row)));
  return {
    of: "some",
    holds,
    members: some.length === 1 ? members : [],
    looksElsewhere: some.some((each) => each.looksElsewhere),
    refusal: (row) =>
      some.length === 1 && members.length > 0
        ? refusalOf(resource, members, row)
        : sql`case when (${holds(row)}) is not true then ':not_allowed' end`,
  };
}

/** The rule of who may read and write every row. */
export const allRows: RowRule = {
  of: "all",
  holds: () => undefined,
  refusal: () => sql`null`,
  members: [],
  looksElsewhere: false,
};

const noRow: RowRule = {
  ...allRows,
  of: "none",
  holds: () => sql`false`,
  refusal: () => sql`':not_allowed'`,
};

/** What is wrong with a row by its fields. */
function refusalOf(resource: Resource, members: readonly Member[], row: Sql): Sql {
  const each = members.map(({ field, holds }) => {
    const named = Object.hasOwn(resource.writable, field) ? field : "";
    return sql`case when (${holds(row)}) is not true then ${`${named}:not_allowed`} end`;
  });
  return sql`nullif(concat_ws(',', ${join(each)}), '')`;
}

function conditionOf(
  resource: Resource,
  right: Right,
  { who, field, rows }: Entry,
  of: View["of"],
): Condition | "all" | "none" {
  if (who === "inherit") return inherited(resource, field!, right, of);
  if (rows === undefined) return "all";
  if (typeof rows === "function") {
    return { holds: (row) => writtenFor(resource, rows, row), looksElsewhere: true };
  }
  const members = Object.entries(rows).map(([path, value]) => memberOf(resource, path, value));
  return {
    holds: (row) => allOf(members.map((each) => each.holds(row))),
    members,
    looksElsewhere: members.some(({ path }) => path.steps.length > 0),
  };
}

/** The rows that refer to one which the callers may read, or update. */
function inherited(
  resource: Resource,
  field: string,
  right: Right,
  of: View["of"],
): Condition | "none" {
  const parent = of(relationOf(resource, field).target(resource));
  const { rule } = parent.view!;
  const update = right === "read" ? undefined : rule("update");
  if (rule("read").of === "none" || update?.of === "none") return "none";
  const { column } = resource.fields[field]!;
  const row = name(parent.name);
  return {
    holds: (of) =>
      sql`exists (
        select
        from ${rowsOf(parent)}
        where ${
        allOf([sql`${identifierOf(parent, row)} = ${of}.${name(column)}`, update?.holds(row)])
      }
      )`,
    looksElsewhere: true,
  };
}

function memberOf(resource: Resource, text: string, value: unknown): Member {
  const path = pathTo(resource, text, "has access by");
  const { steps, field, filter } = path;
  const [first = ""] = text.split("__");
  const own = (row: Sql) => sql`${row}.${name(field.column)}`;
  const isOfMany = field.relation?.isMany || steps.some(({ isOwned }) => isOwned);
  if (isOfMany || filter.asks) {
    throw new Error(
      `The resource "${resource.name}" has access by "${text}", which is no one value`,
    );
  }
  if (value instanceof Claim) {
    const slot = claimSlot(value.claim, filter, true);
    return {
      path,
      field: first,
      slot,
      holds: (row) =>
        along(steps, row, (row) => sql`${comparedWithClaim(filter, own(row))} = any(${slot})`),
    };
  }
  if (value !== null && !v.is(field.read, value)) {
    throw new Error(
      `The resource "${resource.name}" has access by "${text}", which never is ${
        describeValue(value)
      }`,
    );
  }
  const test = (row: Sql) =>
    value === null ? sql`${own(row)} is null` : sql`${own(row)} = ${value as string}`;
  return { path, field: first, holds: (row) => along(steps, row, test) };
}

/** A column as it is compared with what claims say: in the type of the field's values. */
export function comparedWithClaim({ compared, sqlType }: Filter, column: Sql): Sql {
  const own = compared?.(column) ?? column;
  return sqlType === undefined ? sql`(${own})::text` : own;
}

/** The condition that a project writes, on rows that have the name of the resource. It is asked for once, so that all
 * statements have the same. */
export function writtenCondition(resource: Resource, rows: RowsSql): Sql {
  const condition = written.get(rows) ?? newCondition(resource, rows);
  written.set(rows, condition);
  return condition;
}

const written = new WeakMap<RowsSql, Sql>();

function newCondition({ name: resource }: Resource, rows: RowsSql): Sql {
  const condition = rows(projectSql, claimParameter);
  if (condition instanceof Sql) return condition;
  throw new Error(
    `The access of the resource "${resource}" gives SQL, as in (sql, claim) => sql\`…\`, not ${
      describeValue(condition)
    }`,
  );
}

/** The same, on rows of another name. */
function writtenFor(of: Resource, rows: RowsSql, row: Sql): Sql {
  const resource = name(of.name);
  const condition = writtenCondition(of, rows);
  if (row.texts[0] === resource.texts[0]) return sql`(${condition})`;
  return sql`(
    select ${condition}
    from (select ${row}.*) as ${resource}
  )`;
}

/** The parameter of a claim in the SQL of a project. */
export const claimParameter: ClaimSql = (claim, kind = text()) => {
  const [field, isArray] = Array.isArray(kind) ? [kind[0], true] : [kind, false];
  return claimSlot(claim, filterOf(field), isArray);
};

function filterOf({ kind, filter }: Field): Filter {
  if (filter) return filter;
  throw new Error(`claim takes as the kind of its value one that lists compare, not ${kind}`);
}

function allOf(conditions: readonly (Sql | undefined)[]): Sql {
  return join(conditions, "\nand ");
}

function anyOf([first, ...others]: readonly Sql[]): Sql {
  if (others.length === 0) return first!;
  return sql`(
    ${join([first!, ...others].map((each) => sql`(${each})`), "\nor ")}
  )`;
}
