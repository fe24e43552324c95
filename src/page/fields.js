// The fields of a row, together: in the form of the row, or in that of the row that owns it.
import { fieldOf } from "./field.js";
import { hasDefault } from "./versions.js";

/** @typedef {import("./error.js").Refusal} Refusal */

/**
 * @param {object} options
 * @param {import("./contract.js").Field[]} options.fields
 * @param {import("./versions.js").Version} options.version what they hold at first
 * @param {boolean} options.isNew whether the row is not there yet
 * @param {import("./contract.js").Contract} options.contract
 * @param {import("./docs.js").Context} options.context
 * @param {import("./texts.js").Texts} options.texts
 * @param {() => void} options.changed
 * @param {string} [options.within] what the identifiers of their elements begin with
 */
export function rowFields({ fields, version, isNew, within = "field", changed, ...others }) {
  let mended = () => {};
  const all = fields.map((field) =>
    fieldOf({
      ...others,
      changed() {
        changed();
        mended();
      },
      rowFields,
      within,
      field,
      initial: version[field.name],
      // Emptied, a field is null, which the server refuses where it may not be; a new row goes without it
      empty: !isNew || hasDefault(field) ? null : undefined,
      isMade: isNew && field.isMade,
    })
  );
  return {
    elements: all.map(({ element }) => element),
    value: () => Object.fromEntries(all.map(({ field, value }) => [field.name, value()])),
    /** Gives the focus to the first. */
    enter: () => all[0]?.control.focus(),
    /** Whether there is a value to send in each. */
    async settle() {
      // A text that was typed settles to its candidate; a date may have no year
      const ready = await Promise.all(all.map(({ settle }) => settle()));
      return ready.every(Boolean);
    },
    /**
     * Tells each refusal at its field. Gives those that are of none.
     * @param {Refusal[]} refusals with the name of the field first
     */
    refuse(refusals) {
      const byField = Map.groupBy(refusals, ({ inside: [name = ""] }) => name);
      for (const { field, refuse } of all) {
        const own = byField.get(field.name) ?? [];
        byField.delete(field.name);
        refuse(own.map((one) => ({ ...one, inside: one.inside.slice(1) })));
      }
      return [...byField.values()].flat();
    },
    failing: () => all.flatMap(({ failing }) => failing()),
    /** @param {() => void} tell called from now on when a field was changed, and so may fail no longer */
    whenMended(tell) {
      mended = tell;
    },
    /** @param {import("./versions.js").Version} [before] undefined where there was none */
    compare(before) {
      for (const { field, compare } of all) compare(before?.[field.name]);
    },
    /** What was typed and is no value yet, by field; undefined if that is nothing. */
    pending() {
      const typed = all.map(({ field, pending }) => [field.name, pending()]);
      const some = typed.filter(([, text]) => text !== undefined);
      return some.length > 0 ? Object.fromEntries(some) : undefined;
    },
    /** @param {Record<string, any>} [typed] what was pending */
    restore(typed) {
      for (const { field, restore } of all) {
        if (typed && Object.hasOwn(typed, field.name)) restore(typed[field.name]);
      }
    },
  };
}

/** @typedef {ReturnType<typeof rowFields>} Fields */
