// The tag that SQL is written with. A statement is a value: its text, where its parameters go, and
// whether it reads or writes. Nothing here knows a client or a connection.

/** A value on its way into a statement. An array has identifiers, which need no quotes. */
export type Value = string | number | boolean | null | readonly number[];

/** A parameter that each run gives a value: `${slot("ids", "bigint[]")}`. */
export interface Slot {
  slot: string;
  type: string;
}

type Parameter = Value | Slot;

/** A piece of SQL. The values in it are constants, sent as parameters; names and lists are pieces of
 * their own. */
export class Sql {
  readonly texts: readonly string[];
  /** What stands between the texts. */
  readonly parameters: readonly Parameter[];

  constructor(texts: readonly string[], parameters: readonly Parameter[] = []) {
    this.texts = texts;
    this.parameters = parameters;
  }
}

export interface Statement<Values extends object = object, Row extends object = object> {
  /** How metrics and `relata statements` know it: `read foo`. */
  readonly name: string;
  readonly effect: "reads" | "writes";
  /** Whether Postgres plans each run for its own values: how many rows contain a text depends on
   * the text. */
  readonly replans: boolean;
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** The values that a run takes and the rows that it gives; for the compiler alone. */
  readonly of?: [Values, Row];
}

/** Makes a piece of SQL. What goes into a line is indented as that line is, so a statement that is
 * made of many pieces reads like one that was written in one. */
export function sql(strings: readonly string[], ...holes: (Parameter | Sql)[]): Sql {
  const [first = "", ...rest] = outdented(strings);
  const texts = [first];
  const parameters: Parameter[] = [];
  holes.forEach((hole, index) => {
    const piece = hole instanceof Sql ? indented(hole, texts) : new Sql(["", ""], [hole]);
    const [start = "", ...others] = piece.texts;
    texts.push(texts.pop() + start);
    texts.push(...others);
    texts.push(texts.pop()! + rest[index]);
    parameters.push(...piece.parameters);
  });
  return new Sql(texts, parameters);
}

export function slot(slot: string, type: string): Slot {
  return { slot, type };
}

/** The name of a table, a column, or a query within the statement. */
export function name(text: string): Sql {
  return raw(`"${text.replaceAll('"', '""')}"`);
}

/** A text that stands in the statement itself, as in the expression of an index. */
export function literal(text: string): Sql {
  return raw(`'${text.replaceAll("'", "''")}'`);
}

/** SQL as it is. */
export function raw(text: string): Sql {
  return new Sql([text]);
}

/** Pieces one after another. */
export function list(pieces: readonly Sql[], between = ", "): Sql {
  const [first = raw(""), ...rest] = pieces;
  return rest.reduce(({ texts, parameters }, piece) => {
    const [start = "", ...others] = piece.texts;
    const joint = texts.at(-1) + between + start;
    return new Sql([...texts.slice(0, -1), joint, ...others], [...parameters, ...piece.parameters]);
  }, first);
}

/** The clause that has rows meet some conditions, on lines of its own; nothing where there are none. */
export function where(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw("");
  const lines = conditions.map((condition, place) =>
    place === 0 ? condition : sql`  and ${condition}`
  );
  return list([raw("\nwhere "), list(lines, "\n")], "");
}

/** A statement that changes nothing, so it may run again when its connection is lost. */
export function reads<Values extends object, Row extends object>(
  name: string,
  of: Sql,
  { replans = false } = {},
): Statement<Values, Row> {
  return { name, effect: "reads", replans, ...numbered(of) };
}

/** A statement that changes something: what may have been done once is never sent again. */
export function writes<Values extends object, Row extends object>(
  name: string,
  of: Sql,
): Statement<Values, Row> {
  return { name, effect: "writes", replans: false, ...numbered(of) };
}

/** The values of the parameters of a statement, in their order. */
export function valuesOf({ parameters }: Statement, values: object): Value[] {
  const given = values as Record<string, Value>;
  return parameters.map((parameter) => isSlot(parameter) ? given[parameter.slot]! : parameter);
}

export function isSlot(parameter: Parameter): parameter is Slot {
  return typeof parameter === "object" && parameter !== null && "slot" in parameter;
}

/** A slot that stands twice is one parameter. */
function numbered({ texts, parameters }: Sql): Pick<Statement, "text" | "parameters"> {
  const distinct: Parameter[] = [];
  const text = parameters.reduce<string>((text, parameter, index) => {
    const known = distinct.findIndex((other) => isSame(parameter, other));
    const number = known < 0 ? distinct.push(parameter) : known + 1;
    const type = isSlot(parameter) ? `::${parameter.type}` : "";
    return `${text}$${number}${type}${texts[index + 1]}`;
  }, texts[0]!);
  return { text: text.trim(), parameters: distinct };
}

function isSame(one: Parameter, other: Parameter): boolean {
  return isSlot(one) && isSlot(other) && one.slot === other.slot;
}

/** A template without the indentation of the source around it. */
function outdented(strings: readonly string[]): string[] {
  const text = strings.join("\0");
  const indents = [...text.matchAll(/\n( *)[^\s]/g)].map(([, indent]) => indent!.length);
  if (indents.length === 0) return [...strings];
  return text
    .replaceAll(new RegExp(`\n {1,${Math.min(...indents)}}`, "g"), "\n")
    .replace(/^\n/, "").replace(/\n *$/, "")
    .split("\0");
}

/** A piece whose further lines begin where the line begins that it goes into. */
function indented({ texts, parameters }: Sql, before: readonly string[]): Sql {
  const line = before.join("").split("\n").at(-1)!;
  const indent = `\n${/^ */.exec(line)![0]}`;
  return new Sql(texts.map((text) => text.replaceAll("\n", indent)), parameters);
}
