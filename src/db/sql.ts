// The tag for writing SQL. A statement is a value: its text, its parameters, and whether it reads or
// writes. Nothing here knows a client or a connection.

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
  /** Its name in metrics and in `relata statements`: `read foo`. */
  readonly name: string;
  readonly effect: "reads" | "writes";
  /** Whether Postgres makes a new plan for each run. The best plan of a search depends on the text. */
  readonly replans: boolean;
  /** Whether it is one of many forms, of which a session keeps only some prepared. */
  readonly isForm: boolean;
  readonly text: string;
  /** Its parameters, in their order. */
  readonly slots: readonly Slot[];
  /** The types of the values and of the rows; never set, only for the compiler. */
  readonly of?: [Values, Row];
}

/** Makes a piece of SQL. Other pieces take on the indentation of the line that they are put into, so that a
 * statement made of many pieces reads as if written by hand. */
export function sql(strings: readonly string[], ...holes: (Sql | Slot | Constant)[]): Sql {
  let outdented = templates.get(strings);
  if (!outdented) templates.set(strings, outdented = outdent(strings));
  const [first = "", ...rest] = outdented;
  const texts = [first];
  const slots: Slot[] = [];
  holes.forEach((hole, index) => {
    const piece = hole instanceof Sql ? indented(hole, texts) : pieceOf(hole);
    const [start = "", ...others] = piece.texts;
    texts.push(texts.pop() + start);
    texts.push(...others);
    texts.push(texts.pop()! + rest[index]);
    slots.push(...piece.slots);
  });
  return new Sql(texts, slots);
}

function pieceOf(hole: Slot | Constant): Sql {
  if (typeof hole === "string") return raw(quoted(hole));
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
  return list(text.split(".").map(name), ".");
}

/** A text as a constant; sessions have `standard_conforming_strings`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** An array of texts as a constant. */
export function quotedArray(texts: readonly string[]): string {
  return `array[${texts.map(quoted).join(", ")}]::text[]`;
}

/** SQL as it is. */
export function raw(text: string): Sql {
  return new Sql([text]);
}

/** Joins pieces, with a text between them. */
export function list(pieces: readonly Sql[], between = ", "): Sql {
  const [first = raw(""), ...rest] = pieces;
  return rest.reduce(({ texts, slots }, piece) => {
    const [start = "", ...others] = piece.texts;
    const joint = texts.at(-1) + between + start;
    return new Sql([...texts.slice(0, -1), joint, ...others], [...slots, ...piece.slots]);
  }, first);
}

/** A where clause of these conditions, on lines of its own; empty if there are none. */
export function where(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw("");
  const lines = conditions.map((condition, index) =>
    index === 0 ? condition : sql`  and ${condition}`
  );
  return list([raw("\nwhere "), list(lines, "\n")], "");
}

/** A statement that changes nothing, so it can be repeated when its connection is lost. */
export function reads<Values extends object, Row extends object>(
  name: string,
  of: Sql,
  { replans = false, isForm = false } = {},
): Statement<Values, Row> {
  return { name, effect: "reads", replans, isForm, ...numbered(of) };
}

/** A statement that changes something, so it is never repeated once it was sent. */
export function writes<Values extends object, Row extends object>(
  name: string,
  of: Sql,
): Statement<Values, Row> {
  return { name, effect: "writes", replans: false, isForm: false, ...numbered(of) };
}

/** The values of the parameters of a statement, in their order. */
export function valuesOf({ slots }: Statement, values: object): Value[] {
  const given = values as Record<string, Value>;
  return slots.map(({ slot }) => given[slot]!);
}

/** A slot that occurs twice is one parameter. */
function numbered({ texts, slots }: Sql): Pick<Statement, "text" | "slots"> {
  const distinct: Slot[] = [];
  const text = slots.reduce<string>((text, each, index) => {
    const known = distinct.findIndex(({ slot }) => slot === each.slot);
    const number = known < 0 ? distinct.push(each) : known + 1;
    const cast = each.type === undefined ? "" : `::${each.type}`;
    return `${text}$${number}${cast}${texts[index + 1]}`;
  }, texts[0]!);
  return { text: text.trim(), slots: distinct };
}

/** The templates that were met, outdented: with many resources, each is used some thousand times. */
const templates = new WeakMap<readonly string[], string[]>();

/** A template without the indentation of the source around it. */
function outdent(strings: readonly string[]): string[] {
  const text = strings.join("\0");
  const indents = [...text.matchAll(/\n( *)[^\s]/g)].map(([, indent]) => indent!.length);
  if (indents.length === 0 || indents.includes(0)) return [...strings];
  return text
    .replaceAll(new RegExp(`\n {1,${Math.min(...indents)}}`, "g"), "\n")
    .replace(/^\n/, "").replace(/\n *$/, "")
    .split("\0");
}

/** A piece with the indentation of the line that it is put into. */
function indented(piece: Sql, before: readonly string[]): Sql {
  const { texts, slots } = piece;
  if (!texts.some((text) => text.includes("\n"))) return piece;
  const text = before.join("");
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const indent = `\n${/^ */.exec(line)![0]}`;
  return new Sql(texts.map((text) => text.replaceAll("\n", indent)), slots);
}
