// The tag for writing SQL. A statement is a value: its text, its parameters, and whether it reads or
// writes. Nothing here knows a client or a connection.

import { codeIn } from "./quoted.ts";

/** The value of a parameter. */
export type Value = Scalar | readonly Scalar[];

export type Scalar = string | number | boolean | null;

/** A parameter, which gets a value in each run: `${slot("ids", "bigint[]")}`. Without a type, Postgres infers
 * it from what the value is compared with. */
export interface Slot {
  slot: string;
  type?: string | undefined;
}

/** A value that is the same in every run. It is part of the text, so that Postgres plans with it. */
type Constant = Scalar;

type Hole = Sql | Slot | Constant;

/** A piece that may be left out. */
type Optional = Sql | false | undefined;

/** A line break of our own templates, after which pieces are indented. Those in constants, in names and in the
 * SQL of a project stay as they are. No SQL has this character. */
const BREAK = "\0";

/** A line break, with the blanks and the empty lines that empty pieces leave before it. */
const LINE_END = /( *\0)+/g;

/** A piece of SQL. */
export class Sql {
  readonly texts: readonly string[];
  /** The parameters between the texts. */
  readonly slots: readonly Slot[];

  constructor(texts: readonly string[], slots: readonly Slot[] = []) {
    this.texts = texts;
    this.slots = slots;
  }
}

export interface Statement<Values extends object = object, Row extends object = object> {
  /** Its name in metrics, in `relata statements` and in test/statements.sql: `read foo`. */
  readonly name: string;
  readonly effect: "reads" | "writes";
  /** Whether Postgres makes a new plan for each run. The best plan of a search depends on the text. */
  readonly replans: boolean;
  /** Whether it is one of many forms, of which a session keeps only some prepared. */
  readonly isForm: boolean;
  /** Whether it writes for several requests: of those, only some have to wait for a lock. */
  readonly isShared: boolean;
  /** Whether each value of its rows is the text that Postgres writes, whatever its type. */
  readonly isText: boolean;
  readonly text: string;
  /** Its parameters, in their order. */
  readonly slots: readonly Slot[];
  /** What it was made of. */
  readonly piece: Sql;
  /** The types of the values and of the rows; never set, only for the compiler. */
  readonly of?: [Values, Row];
}

/** Makes a piece of SQL. Other pieces take on the indentation of the line that they are put into, so that a
 * statement made of many pieces reads as if written by hand. A line with nothing but empty pieces is left out. */
export function sql(strings: readonly string[], ...holes: Hole[]): Sql {
  let outdented = templates.get(strings);
  if (!outdented) templates.set(strings, outdented = outdent(strings));
  return joinPieces(outdented, holes);
}

/** The tag for the SQL of a project, which runs as it is written: the lines of a text in it must not be
 * indented. It is a statement or a part of one: "relata check", which has Postgres plan it, would run a second one. */
export function projectSql(strings: readonly string[], ...holes: Hole[]): Sql {
  if (codeIn(strings).includes(";")) throw new Error("sql takes no semicolon, not even a last one");
  if (holes.every(isHole)) return joinPieces(strings, holes);
  throw new Error("sql takes strings, numbers, true, false, null, and pieces of SQL");
}

function isHole(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  return value instanceof Sql || Object.hasOwn(Object(value), "slot");
}

function joinPieces([first = "", ...rest]: readonly string[], holes: Hole[]): Sql {
  const texts = [first];
  const slots: Slot[] = [];
  holes.forEach((hole, index) => {
    const piece = hole instanceof Sql ? indented(hole, texts) : holePiece(hole);
    const [start = "", ...others] = piece.texts;
    texts.push(texts.pop() + start);
    texts.push(...others);
    texts.push(texts.pop()! + rest[index]);
    slots.push(...piece.slots);
  });
  return new Sql(texts, slots);
}

function holePiece(hole: Slot | Constant): Sql {
  if (typeof hole === "string") return raw(textLiteral(hole));
  // After a minus it would begin a comment, and before a cast the sign would come last
  if (typeof hole === "number" && hole < 0) return raw(`(${hole})`);
  return hole instanceof Object ? new Sql(["", ""], [hole]) : raw(String(hole));
}

export function slot(slot: string, type?: string): Slot {
  return { slot, type };
}

/** The name of a column, or of rows or a query within the statement. */
export function name(text: string): Sql {
  return raw(`"${text.replaceAll('"', '""')}"`);
}

/** The name of a table, which may have that of its schema before a dot: `music.tracks`. */
export function tableName(text: string): Sql {
  return join(text.split(".").map(name), ".");
}

/** A text as a constant; sessions have `standard_conforming_strings`. Refuses a text that Postgres cannot have. */
export function textLiteral(text: string): string {
  if (text.includes("\0")) throw new Error("A text in SQL has the character NUL");
  return `'${text.replaceAll("'", "''")}'`;
}

/** An array of texts as a constant. */
export function quotedArray(texts: readonly string[]): string {
  return `array[${texts.map(textLiteral).join(", ")}]::text[]`;
}

/** A piece with SQL in place of some of its parameters. */
export function bound({ texts, slots }: Sql, instead: (slot: Slot) => Sql | undefined): Sql {
  return joinPieces(texts, slots.map((slot) => instead(slot) ?? slot));
}

/** The text of a piece that has no parameters. */
export function textOf({ texts }: Sql): string {
  return texts.join("");
}

/** SQL as it is. */
export function raw(text: string): Sql {
  return new Sql([text]);
}

/** Joins the pieces that there are, with a text between them. */
export function join(pieces: readonly Optional[], between = ", "): Sql {
  const [first = raw(""), ...rest] = pieces.filter(isThere);
  return rest.reduce(({ texts, slots }, piece) => {
    const [start = "", ...others] = piece.texts;
    const joint = texts.at(-1) + between.replaceAll("\n", BREAK) + start;
    return new Sql([...texts.slice(0, -1), joint, ...others], [...slots, ...piece.slots]);
  }, first);
}

/** A clause of the conditions that there are, each on a line of its own; empty without any. */
export function where(conditions: readonly Optional[]): Sql {
  const lines = conditions.filter(isThere).map((condition, index) =>
    sql`${raw(index === 0 ? "where" : "  and")} ${condition}`
  );
  return join(lines, "\n");
}

function isThere(piece: Optional): piece is Sql {
  return piece instanceof Sql;
}

/** A statement that changes nothing, so it can be repeated when its connection is lost. */
export function reads<Values extends object, Row extends object>(
  name: string,
  of: Sql,
  { replans = false, isForm = false } = {},
): Statement<Values, Row> {
  const kind = { replans, isForm, isShared: false, isText: false };
  return { name, effect: "reads", ...kind, ...numberParameters(of) };
}

/** A statement that changes something, so it is never repeated once it was sent. */
export function writes<Values extends object, Row extends object>(
  name: string,
  of: Sql,
  { replans = false, isShared = false, isText = false } = {},
): Statement<Values, Row> {
  const kind = { replans, isForm: false, isShared, isText };
  return { name, effect: "writes", ...kind, ...numberParameters(of) };
}

/** The values of the parameters of a statement, in their order. */
export function valuesOf({ slots }: Statement, values: object): Value[] {
  const given = values as Record<string, Value>;
  return slots.map(({ slot }) => given[slot]!);
}

/** A slot that occurs twice is one parameter. */
function numberParameters(piece: Sql): Pick<Statement, "text" | "slots" | "piece"> {
  const distinct: Slot[] = [];
  const text = fillIn(piece, (each) => {
    const known = distinct.findIndex(({ slot }) => slot === each.slot);
    return `$${known < 0 ? distinct.push(each) : known + 1}`;
  });
  return { text, slots: distinct, piece };
}

/** The text of a statement with its parameters by name, as psql takes them: `:'ids'`. */
export function readable({ piece }: Statement): string {
  return fillIn(piece, ({ slot }) => `:'${slot}'`);
}

/** The text of a statement with null for each parameter. */
export function withNulls({ piece }: Statement): string {
  return fillIn(piece, () => "null");
}

/** The text of a piece with what stands for each parameter. */
export function fillIn({ texts, slots }: Sql, parameterOf: (slot: Slot) => string): string {
  const text = slots.reduce<string>((text, slot, index) => {
    const cast = slot.type === undefined ? "" : `::${slot.type}`;
    return `${text}${parameterOf(slot)}${cast}${texts[index + 1]}`;
  }, texts[0]!);
  return text.replaceAll(LINE_END, "\n").trim();
}

/** The templates that were met, outdented: with many resources, each is used some thousand times. */
const templates = new WeakMap<readonly string[], string[]>();

/** A template without the indentation of the source around it. */
function outdent(strings: readonly string[]): string[] {
  let text = strings.join("\0");
  const indents = [...text.matchAll(/\n( *)[^\s]/g)].map(([, indent]) => indent!.length);
  if (indents.length > 0 && !indents.includes(0)) {
    text = text
      .replaceAll(new RegExp(`\n {1,${Math.min(...indents)}}`, "g"), "\n")
      .replace(/^\n/, "").replace(/\n *$/, "");
  }
  return text.split("\0").map((part) => part.replaceAll("\n", BREAK));
}

/** A piece with the indentation of the line that it is put into. */
function indented(piece: Sql, before: readonly string[]): Sql {
  const { texts, slots } = piece;
  if (!texts.some((text) => text.includes(BREAK))) return piece;
  const text = before.join("");
  const line = text.slice(text.lastIndexOf(BREAK) + 1);
  const indent = BREAK + /^ */.exec(line)![0];
  return new Sql(texts.map((text) => text.replaceAll(BREAK, indent)), slots);
}
