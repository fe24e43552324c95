// The words of `access`: whom an entry is for, and which rows; and the claim of a caller.
import { type Entry, type EntryRows, isEntry, makeEntry } from "./access.ts";
import { Claim } from "./claim.ts";
import { isField } from "./field.ts";
import { describeValue, mistakeWithin, word } from "./word.ts";

/** Every request, with a token or without. */
export const anyone = word((rows?: EntryRows): Entry => entry("anyone", {}, rows));

/** Every request with a token that stands for somebody. */
export const authenticated = word((rows?: EntryRows): Entry => entry("authenticated", {}, rows));

/** Those among them whose token has a role. */
export const role = word((name: string, rows?: EntryRows): Entry => {
  if (typeof name === "string" && name !== "") return entry("role", { role: name }, rows);
  throw new Error(`role takes the name of a role, not ${describeValue(name)}`);
});

/** Those who may read the row that a relation refers to; those who may update that create, update and delete. */
export const inherit = word((field: string): Entry => {
  if (typeof field === "string") return makeEntry({ who: "inherit", field });
  throw new Error(`inherit takes the name of a field, not ${describeValue(field)}`);
});

function entry(who: Entry["who"], rest: Partial<Entry>, rows: EntryRows | undefined): Entry {
  if (rows === undefined) return makeEntry({ who, ...rest });
  const inner = mistakeWithin(rows);
  if (inner) throw inner;
  if (typeof rows === "function" || isMembers(rows)) return makeEntry({ who, ...rest, rows });
  throw new Error(
    `${who} takes fields with what they must have, or a function that gives SQL, not ${
      describeValue(rows)
    }`,
  );
}

function isMembers(rows: unknown): boolean {
  return typeof rows === "object" && rows !== null && !Array.isArray(rows) && !isField(rows) &&
    !isEntry(rows) &&
    Object.keys(rows).length > 0 &&
    Object.values(rows).every((value) =>
      value === null || value instanceof Claim ||
      ["string", "number", "boolean"].includes(typeof value)
    );
}

/** A claim of the caller: what a field has, or what fills it. */
export const claim = word((name: string): Claim => {
  if (typeof name === "string" && /^[^\0]{1,200}$/.test(name)) return new Claim(name);
  throw new Error(`claim takes the name of a claim, such as "sub", not ${describeValue(name)}`);
});
