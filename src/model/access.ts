// Who may do what to which rows of a resource. Each entry lets some callers do something to the rows that it names;
// entries add up. Roles are decided here, rows in SQL (view.ts). The words are in grant.ts.
import * as v from "valibot";
import type { projectSql, Scalar, Sql } from "../db/sql.ts";
import type { Caller } from "./caller.ts";
import { Claim, type ClaimSlot } from "./claim.ts";
import type { Field, RowWrite, Verb } from "./model.ts";

/** What an entry lets callers do. */
export const rights = ["read", "create", "update", "delete", "history"] as const;

export type Right = (typeof rights)[number];

/** An entry: whom it lets, and for which rows. */
export interface Entry {
  who: "anyone" | "authenticated" | "role" | "inherit";
  /** The role that it is for. */
  role?: string;
  /** The relation to whose row it looks. */
  field?: string;
  /** Without them, all. */
  rows?: EntryRows;
}

/** The rows of an entry: fields, or paths through relations to one row, with what they must have; or SQL. */
export type EntryRows = Record<string, Scalar | Claim> | RowsSql;

/** Writes the condition of an entry, on rows that have the name of the resource. */
export type RowsSql = (tag: typeof projectSql, claim: ClaimSql) => Sql;

/** Gives the parameter of a claim: a text, or what fields of a kind hold; in brackets, an array of such. */
export type ClaimSql = (name: string, kind?: Field | [Field]) => ClaimSlot;

export type Rules = Record<Right, readonly Entry[]>;

/** What `access` takes. What is left out is nobody's but a service's. */
type AccessOption = Some | ByRight;

type Some = Entry | readonly Entry[];
type ByRight = Partial<Record<Right | "write", Some>>;

/** Makes an entry: an object that only looks like one may be rows by a field "who". */
export function makeEntry(entry: Entry): Entry {
  made.add(entry);
  return entry;
}

export function isEntry(value: unknown): value is Entry {
  return made.has(value as Entry);
}

const made = new WeakSet<Entry>();

const each = v.custom<Entry>(isEntry);
const some = v.union([each, v.array(each)]);
const byRight = v.strictObject({
  ...Object.fromEntries([...rights, "write"].map((right) => [right, v.exactOptional(some)])),
});

/** The schema of the option. */
export const accessOption = v.custom<AccessOption>(
  (value) => v.is(v.union([some, byRight]), value),
  'entries such as authenticated(), or these by "read", "write", "create", "update", "delete" and ' +
    '"history"',
);

/** The first word that entries are given by and that is no right. */
export function unknownRight(given: unknown): string | undefined {
  if (v.is(some, given) || !v.is(v.record(v.string(), some), given)) return undefined;
  return Object.keys(given).find((right) => !Object.hasOwn(byRight.entries, right));
}

/** The words that entries are given by. */
export const rightWords = Object.keys(byRight.entries);

/** The entries by what they let callers do. */
export function rulesFrom(given: AccessOption): Rules {
  const {
    read = [],
    write = [],
    create = write,
    update = write,
    delete: remove = write,
    history = [],
  } = Array.isArray(given) || isEntry(given)
    ? { read: given as Entry[], write: given as Entry[] }
    : given as ByRight;
  return {
    read: [read].flat(),
    create: [create].flat(),
    update: [update].flat(),
    delete: [remove].flat(),
    history: [history].flat(),
  };
}

/** The entries of rows that are there for whom the row is to which a relation refers. */
export function inheritedBy(field: string): Rules {
  return rulesFrom(makeEntry({ who: "inherit", field }));
}

/** The rights of which a verb needs one. */
export function rightsOf(
  { name, writes }: Pick<Verb, "name" | "writes">,
  createsByPut: boolean,
): Right[] {
  if (!writes) return [name === "changes" ? "history" : "read"];
  return name === "replace" && createsByPut ? ["update", "create"] : [rightsOfWrites[writes]];
}

const rightsOfWrites = {
  insert: "create",
  update: "update",
  delete: "delete",
} as const satisfies Record<RowWrite, Right>;

/** What is known of a caller before any row is looked at: each has statements of its own. */
export interface Standing {
  kind: "nobody" | "somebody";
  /** Those of its roles that a declaration names. */
  roles: readonly string[];
}

/** Each standing that declarations tell apart, but for those of callers who have several roles. */
export function standingsIn(declared: readonly { access?: Rules }[]): Standing[] {
  return [
    { kind: "nobody", roles: [] },
    { kind: "somebody", roles: [] },
    ...rolesIn(declared).map((role): Standing => ({ kind: "somebody", roles: [role] })),
  ];
}

/** What callers of a standing are called: in quotes, their role. */
export function standingName({ kind, roles: [role] }: Standing): string {
  return role === undefined ? kind : JSON.stringify(role);
}

/** Whether an entry is for callers of a standing; one that inherits is, if the parent has one. */
export function isFor(
  { who, role }: Entry,
  { kind, roles }: Pick<Caller, "kind" | "roles">,
): boolean {
  if (who === "authenticated") return kind === "somebody";
  return who !== "role" || roles.includes(role!);
}

/** The fields, and paths, that what callers read compares with claims. */
export function claimedPaths({ access }: { access?: Rules }): string[] {
  const paths = (access?.read ?? []).flatMap(({ rows = {} }) =>
    Object.entries(rows).flatMap(([path, value]) => value instanceof Claim ? path : [])
  );
  return [...new Set(paths)];
}

/** The roles that declarations name, each once. */
export function rolesIn(declared: readonly { access?: Rules }[]): string[] {
  const entries = declared.flatMap(({ access = {} }) => Object.values(access).flat());
  return [...new Set(entries.flatMap(({ role }) => role ?? []))];
}
