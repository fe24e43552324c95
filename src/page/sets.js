// The control of rows that a row owns: a set of fields for each, which is added, moved and removed within the form of
// the row that owns them.
import { button, h, icon, say, unseen } from "./dom.js";
import { errorAt } from "./error.js";
import { createOf, defaultsOf } from "./versions.js";

/** @typedef {import("./contract.js").Field} Field */
/** @typedef {import("./contract.js").OwnedRows} OwnedRows */
/** @typedef {import("./error.js").Refusal} Refusal */

/**
 * @typedef {object} Rows what the field of the rows asks of the fields within
 * @property {(refusals: Refusal[]) => Refusal[]} refuse tells each at its row; gives those that are of none
 * @property {() => import("./field.js").Failing[]} failing
 * @property {(before: any[] | undefined) => void} compare
 * @property {() => (Record<string, any> | undefined)[] | undefined} pending
 * @property {(typed: any[]) => void} restore
 */

/**
 * A set of fields for each row.
 * @param {import("./controls.js").Setting} setting
 * @returns {import("./controls.js").Control}
 */
export function setsControl(setting) {
  const { field, id, initial, changed } = setting;
  const { isOrdered } = field;
  const rows = /** @type {OwnedRows} */ (field.rows);
  const { one } = rows;
  const sent = rows.fields.filter(({ written }) => written);
  /** @type {ReturnType<typeof setOf>[]} */
  const sets = [];
  const list = h("ol", {});
  const add = button([icon("plus"), `Add ${withArticle(one)}`], { id, onclick: append });
  let made = 0;

  /** @param {import("./versions.js").Version} row */
  function insert(row) {
    const set = setOf({ ...setting, id: `${id}-${made++}`, rows, sent, row, remove, move });
    sets.push(set);
    list.append(set.element);
    return set;
  }

  /** Tells each row its place, once some have another. */
  function number() {
    list.hidden = sets.length === 0;
    sets.forEach((set, index) => set.number(index, sets.length, isOrdered));
  }

  function append() {
    const set = insert(defaultsOf(sent));
    number();
    changed();
    set.fields.enter();
    say(`Added ${one} ${sets.length}`);
  }

  /** @param {ReturnType<typeof setOf>} set */
  function remove(set) {
    const index = sets.indexOf(set);
    sets.splice(index, 1);
    set.element.remove();
    number();
    changed();
    (sets[Math.min(index, sets.length - 1)]?.place ?? add).focus();
    say(`Removed ${one} ${index + 1}; there ${sets.length === 1 ? "is" : "are"} ${sets.length}`);
  }

  /** @param {ReturnType<typeof setOf>} set @param {number} step one place earlier is -1, one later is 1 */
  function move(set, step) {
    const from = sets.indexOf(set);
    const other = /** @type {ReturnType<typeof setOf>} */ (sets[from + step]);
    sets[from + step] = set;
    sets[from] = other;
    if (step < 0) other.element.before(set.element);
    else other.element.after(set.element);
    number();
    changed();
    say(`${one} ${from + 1} is now ${from + step + 1} of ${sets.length}`);
  }

  for (const row of initial ?? []) insert(row);
  number();
  return {
    input: add,
    parts: [list, add],
    value: () => sets.map((set) => set.value()),
    async settle() {
      const ready = await Promise.all(sets.map(({ fields }) => fields.settle()));
      return ready.every(Boolean);
    },
    rows: {
      refuse(refusals) {
        const byRow = Map.groupBy(refusals, ({ inside: [index = ""] }) => index);
        for (const [index, set] of sets.entries()) {
          set.refuse(byRow.get(String(index)) ?? []);
          byRow.delete(String(index));
        }
        return [...byRow.values()].flat();
      },
      failing: () =>
        sets.flatMap((set, index) =>
          set.failing().map(({ words, control }) => ({
            words: [`${one} ${index + 1}`, words].filter(Boolean).join(": "),
            control,
          }))
        ),
      compare(before) {
        for (const set of sets) set.compare(before);
      },
      pending() {
        const typed = sets.map(({ fields }) => fields.pending());
        return typed.some(Boolean) ? typed : undefined;
      },
      restore(typed) {
        for (const [index, set] of sets.entries()) set.fields.restore(typed[index] ?? undefined);
      },
    },
  };
}

/**
 * The fields of one row.
 * @param {Omit<import("./controls.js").Setting, "field"> & {
 *   rows: OwnedRows,
 *   sent: Field[],
 *   row: import("./versions.js").Version,
 *   remove: (set: any) => void,
 *   move: (set: any, step: number) => void,
 * }} options with the fields that are sent
 */
function setOf(
  { rows, sent, row, id, contract, context, texts, changed, rowFields, remove, move },
) {
  const { one, key, takesKeys } = rows;
  // One that is there has all of its fields
  const isNew = sent.some(({ name }) => row[name] === undefined);
  const fields = rowFields({
    fields: sent.filter(({ name }) => name !== key || (isNew && takesKeys)),
    version: row,
    isNew,
    contract,
    context,
    texts,
    changed() {
      error.show([]);
      changed();
    },
    within: `${id}-field`,
  });
  const place = h("span", { id: `${id}-place`, tabindex: "-1" });
  const added = h("span", { class: "was" });
  const error = errorAt(id);
  const [earlier, later] = [
    mover("up", "Move up", -1),
    mover("down", "Move down", 1),
  ];

  /**
   * @param {"up" | "down"} sign
   * @param {string} words
   * @param {number} step
   */
  function mover(sign, words, step) {
    const made = button([icon(sign), unseen(words)], {
      class: "icon-button",
      title: words,
      onclick() {
        move(set, step);
        // It went with its row, and may have come to the end
        (made.disabled ? [earlier, later].find((one) => one !== made) : made)?.focus();
      },
    });
    return made;
  }

  const movers = h("span", {}, earlier, later);
  const element = h(
    "li",
    {},
    h(
      "fieldset",
      { class: "set", "aria-labelledby": place.id, "aria-describedby": error.element.id },
      h(
        "legend",
        { class: "bar" },
        place,
        added,
        movers,
        button([icon("x"), unseen("Remove")], {
          class: "icon-button",
          title: "Remove",
          onclick: () => remove(set),
        }),
      ),
      error.element,
      fields.elements,
    ),
  );

  const set = {
    element,
    place,
    fields,
    /**
     * @param {number} index
     * @param {number} count
     * @param {boolean} isOrdered
     */
    number(index, count, isOrdered) {
      place.textContent = `${one} ${index + 1}`;
      movers.hidden = !isOrdered || count < 2;
      earlier.disabled = index === 0;
      later.disabled = index === count - 1;
    },
    value() {
      const held = { ...row, ...fields.value() };
      const whole = Object.fromEntries(sent.map(({ name }) => [name, held[name]]));
      return isNew ? createOf(sent, whole) : whole;
    },
    /** @param {Refusal[]} refusals */
    refuse(refusals) {
      const own = fields.refuse(
        refusals.map((one) => ({ ...one, inside: one.inside.slice(1) })),
      );
      error.show(own, (name) => name);
    },
    /** @returns {import("./field.js").Failing[]} */
    failing: () => [
      ...(error.element.hidden ? [] : [{ words: "", control: place }]),
      ...fields.failing(),
    ],
    /** @param {any[] | undefined} before */
    compare(before) {
      if (!before || key === "") return;
      const was = isNew ? undefined : before.find((one) => one[key] === row[key]);
      added.textContent = was ? "" : "new";
      fields.compare(was);
    },
  };
  return set;
}

/** @param {string} name */
const withArticle = (name) => `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
