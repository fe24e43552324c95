// The statements of a request that has many forms, each with a text of its own.

/** How many statements are kept. */
const KEPT = 64;

/** Makes the function that gives the statement of a form, which a text tells from the others. It keeps those
 * that were used last. */
export function forms<Form, Made>(
  textOf: (form: Form) => string,
  make: (form: Form) => Made,
): (form: Form) => Made {
  const kept = new Map<string, Made>();
  return (form) => {
    const text = textOf(form);
    const statement = kept.get(text) ?? make(form);
    kept.delete(text);
    kept.set(text, statement);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
    return statement;
  };
}
