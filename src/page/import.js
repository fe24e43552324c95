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
    const given = chosen
      ? await fileText(chosen).catch(refuse)
      : { text: pasted.value, coding: "" };
    if (!given) return;
    const [head, ...lines] = linesIn(given.text);
    if (!head || lines.length === 0) {
      return refuse(new Error("It has no line after that with the columns"));
    }
    const heads = head.cells.map((text, index) => text.trim() || `Column ${index + 1}`);
    map(place, heads, lines, given.coding);
  }
  /** @param {Error} error */
  function refuse({ message }) {
    place.trouble.replaceChildren(note("bad", message));
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
 * @param {string} coding of the file; "" where none was given
 */
function map(place, heads, lines, coding) {
  const { context: { contract, resource, guard }, body, trouble, begin } = place;
  const fields = resource.fields.filter(({ written }) => written);
  const hint = h("p", { role: "status" });
  const again = h("input", { type: "checkbox", onchange: draw });
  const before = h("label", { class: "check" }, again, "Create them again");
  const send = button("", {
    class: "button primary",
    onclick: () => createAll(place, heads, chosen()),
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

  /** The rows that the lines stand for. */
  function made() {
    const columns = selects.flatMap(({ value }, index) => {
      const field = fields.find(({ name }) => name === value);
      const cells = lines.map((line) => line.cells[index] ?? "");
      return field ? { field, index, hasCommas: haveCommas(field, cells) } : [];
    });
    return lines.map((line) => {
      const cells = [...line.cells];
      /** @type {Record<string, unknown>} */
      const row = {};
      for (const { field, index, hasCommas } of columns) {
        const text = cells[index] ?? "";
        if (text === "") continue;
        row[field.name] = valueFor(contract, field, text, hasCommas);
        if (hasCommas) cells[index] = String(row[field.name]);
      }
      return { line, cells, row };
    });
  }

  /** Those of them that are created: what was so before is not, unless somebody wants that. */
  const chosen = () => again.checked ? made() : made().filter(isOpen(resource));

  function draw() {
    const names = selects.map(({ value }) => value);
    const twice = fields.filter(({ name }) => names.filter((one) => one === name).length > 1);
    const lacking = fields.filter(({ isRequired, name }) => isRequired && !names.includes(name));
    const known = lines.length - made().filter(isOpen(resource)).length;
    const count = again.checked ? lines.length : lines.length - known;
    const wider = lines.find(({ cells }) => cells.length > heads.length);
    hint.textContent = [
      twice.length > 0 && `Two columns become ${listOf(twice)}: leave one out.`,
      lacking.length > 0 && `No column becomes ${listOf(lacking)}, which each row needs.`,
      known > 0 && `${known} of the ${lines.length} lines were created here before.`,
      wider && `Line ${wider.number} has more cells than there are columns: they are left out.`,
      "Empty cells are left out.",
      coding === "windows-1252" &&
      "It is read as a file of Windows: look whether letters such as é are right.",
    ].filter(Boolean).join(" ");
    before.hidden = known === 0;
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
    before,
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
