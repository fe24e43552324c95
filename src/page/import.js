// "Import": rows from a CSV file. What its columns become is proposed and can be changed; `batches.js` creates the rows.
import { pageAddress } from "./address.js";
import { createAll, isOpen } from "./batches.js";
import { haveCommas, valueFor } from "./csv-cells.js";
import { fileText, linesIn } from "./csv.js";
import { button, h, note } from "./dom.js";
import { heading, headline } from "./heading.js";
import { cell, rowTitle, sheet, tr } from "./table.js";

/**
 * @typedef {object} ImportPlace
 * @property {import("./docs.js").Context} context
 * @property {HTMLElement} body
 * @property {HTMLElement} trouble where is said what went wrong
 * @property {() => void} begin asks for another file
 */

/** How many values of a column are shown. */
const SHOWN = 3;

/** @type {import("./docs.js").Draw} */
export function importView(context) {
  const { many, path, operations } = context.resource;
  const body = h("div", { class: "import" });
  const place = { context, body, trouble: h("div", {}), begin: () => choose(place) };
  place.begin();
  return {
    head: heading({
      crumbs: [[headline(many), pageAddress(path)]],
      text: `Import ${many}`,
      operation: operations["batch"],
    }),
    body,
  };
}

/** @param {ImportPlace} place */
function choose(place) {
  const file = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", onchange: read });
  const pasted = h("textarea", { rows: "4", dir: "auto", spellcheck: "false" });
  async function read() {
    const [chosen] = file.files ?? [];
    const [head, ...lines] = linesIn(chosen ? await fileText(chosen) : pasted.value);
    if (head && lines.length > 0) {
      const heads = head.cells.map((text, index) => text.trim() || `Column ${index + 1}`);
      return map(place, heads, lines);
    }
    place.trouble.replaceChildren(note("bad", "It has no line after that with the columns"));
    file.value = "";
  }
  place.trouble.replaceChildren();
  place.body.replaceChildren(
    place.trouble,
    h("p", { class: "quiet" }, "As spreadsheets save it. Its first line names the columns."),
    h("label", { class: "field" }, "A CSV file", file),
    h("label", { class: "field" }, "Or lines that are pasted here", pasted),
    button("Go on", { onclick: read }),
  );
  file.focus(); // where another is asked for
}

/**
 * Shows what each column becomes.
 * @param {ImportPlace} place
 * @param {string[]} heads
 * @param {import("./csv.js").CsvLine[]} lines
 */
function map(place, heads, lines) {
  const { context: { contract, resource, guard }, body, trouble, begin } = place;
  const fields = resource.fields.filter(({ written }) => written);
  const hint = h("p", { role: "status" });
  const send = button("", {
    class: "button primary",
    onclick: () => createAll(place, heads, made()),
  });
  const selects = heads.map((head) => {
    const named = fields.find(({ name, label }) => [name, label].some((one) => isSame(one, head)));
    return h(
      "select",
      { "aria-label": `${head} becomes`, onchange: draw },
      h("option", { value: "" }, "left out"),
      fields.map((field) =>
        h("option", { value: field.name, selected: field === named }, field.label)
      ),
    );
  });

  /** The rows that the lines stand for, but for those that were created here. */
  function made() {
    const columns = selects.flatMap(({ value }, index) => {
      const field = fields.find(({ name }) => name === value);
      const cells = lines.map((line) => line.cells[index] ?? "");
      return field ? { field, index, hasCommas: haveCommas(cells) } : [];
    });
    const all = lines.map((line) => ({
      line,
      row: Object.fromEntries(columns.flatMap(({ field, index, hasCommas }) => {
        const text = line.cells[index] ?? "";
        return text === "" ? [] : [[field.name, valueFor(contract, field, text, hasCommas)]];
      })),
    }));
    return all.filter(isOpen(resource));
  }

  function draw() {
    const chosen = selects.map(({ value }) => value);
    const twice = fields.filter(({ name }) => chosen.filter((one) => one === name).length > 1);
    const lacking = fields.filter(({ isRequired, name }) => isRequired && !chosen.includes(name));
    const count = made().length;
    const before = lines.length - count;
    const wider = lines.find(({ cells }) => cells.length > heads.length);
    hint.textContent = [
      twice.length > 0 && `Two columns become ${listOf(twice)}: leave one out.`,
      lacking.length > 0 && `No column becomes ${listOf(lacking)}, which each row needs.`,
      before > 0 && `${before} of the ${lines.length} lines were created here before.`,
      wider && `Line ${wider.number} has more cells than there are columns: they are left out.`,
      "Empty cells are left out.",
    ].filter(Boolean).join(" ");
    send.disabled = twice.length > 0 || lacking.length > 0 || count === 0;
    send.textContent = `Create ${count} ${count === 1 ? resource.one : resource.many}`;
  }
  const name = "Columns of the file";
  body.replaceChildren(
    sheet(
      name,
      ["Column", "First lines", "Becomes"],
      heads.map((head, index) =>
        tr(
          rowTitle(h("span", { dir: "auto" }, head)),
          cell("First lines", [
            h(
              "span",
              { dir: "auto" },
              lines.slice(0, SHOWN).map(({ cells }) => cells[index]).join(" · "),
            ),
          ]),
          cell("Becomes", selects[index]),
        )
      ),
      { class: "rows cards" },
    ),
    hint,
    h("div", { class: "buttons" }, send, button("Another file", { onclick: begin })),
  );
  trouble.replaceChildren();
  draw();
  guard(() => send.isConnected);
  selects[0]?.focus();
}

/**
 * Whether a head names a field.
 * @param {string} name
 * @param {string} head
 */
const isSame = (name, head) =>
  name.localeCompare(head.trim().replaceAll(" ", "_"), "en", { sensitivity: "base" }) === 0 ||
  name.localeCompare(head.trim(), "en", { sensitivity: "base" }) === 0;

/** @param {import("./contract.js").Field[]} fields */
const listOf = (fields) => fields.map(({ label }) => label).join(", ");
