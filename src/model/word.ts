// What the words of a declaration have in common. A word such as `text` is called before anybody knows the
// name of the field or the path of the route that it is for. So what is wrong with it is kept in place of
// what it makes, and thrown by `resource`, `report` or `action`, which know the names.
import * as v from "valibot";
import { Sql } from "../db/sql.ts";
import { type Options, options, type Word } from "./options.ts";

const mistakes = new WeakMap<object, Error>();

/** Makes a word: its errors are kept, and pass through the words around it. */
export function word<Given extends unknown[], Made extends object>(
  make: (...given: Given) => Made,
): (...given: Given) => Made {
  return (...given) => {
    try {
      for (const each of given) {
        const inner = mistakeOf(each);
        if (inner) throw inner;
      }
      return make(...given);
    } catch (error) {
      const nothing = {};
      mistakes.set(nothing, error as Error);
      return nothing as Made; // nobody looks into it, because the word around it throws
    }
  };
}

/** What is wrong with what a word was given, if anything is. */
export function mistakeOf(made: unknown): Error | undefined {
  return mistakes.get(made as object);
}

/** What is wrong with one of the parts that words made, such as a claim among options, or an entry in an array. */
export function mistakeWithin(made: unknown): Error | undefined {
  const parts = [made, ...Object.values(Object(made))].flat();
  return parts.map(mistakeOf).find((mistake) => mistake !== undefined);
}

/** A mistake with its subject before it; the stack of its cause tells the line. */
export function located(subject: string, mistake: Error): Error {
  return new Error(`${subject}: ${mistake.message}`, { cause: mistake });
}

/** Checks the options that a word was given, and gives them back, with SQL in place of a default that writes it.
 * Throws a sentence about the first that it does not take; its subject is the word, unless another is given. */
export function checkedOptions<Each extends Word>(
  word: Each,
  given: Options[Each],
  subject: string = word,
): Options[Each] {
  const inner = mistakeWithin(given);
  if (inner) throw inner;
  const schema = options[word] as v.GenericSchema;
  const { issues, output } = v.safeParse(schema, given === undefined ? {} : given, {
    abortEarly: true,
  });
  if (!issues) return output as Options[Each];
  const [{ kind, type, path, input, expected, message }] = issues;
  const option = path?.[0].key;
  if (option === undefined) {
    throw new Error(
      kind === "validation"
        ? `${subject} takes ${message}`
        : `${subject} takes options in braces, not ${describeValue(input)}`,
    );
  }
  if (type !== "strict_object") {
    throw new Error(`${subject} takes as "${option}" ${message}, not ${describeValue(input)}`);
  }
  if (expected !== "never") throw new Error(`${subject} needs the option "${option}"`);
  const known = Object.keys(options[word].entries).map((each) => `"${each}"`).join(", ");
  throw new Error(`${subject} takes no option "${option}"; it takes ${known}`);
}

/** A value as a message describes it: a text in quotes, SQL with its tag, an array or a function by its name. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  if (value instanceof Sql) return `sql\`${value.texts.join("${…}")}\``;
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? `"${value}"` : String(value);
}
