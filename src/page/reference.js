// The reference: all that the document says of a resource or a report, open at once, so that a search in the
// page finds it. The object comes first, then each operation.
import { pageAddress } from "./address.js";
import { chapter, withContents } from "./contents.js";
import { rowOfAction } from "./contract.js";
import { capital, entry, h } from "./dom.js";
import { searchField } from "./find.js";
import { heading, headline, sharedLink } from "./heading.js";
import { jsonOf, pretty } from "./json.js";
import { answers, operation } from "./operation.js";
import { code, copy } from "./request.js";
import { othersOf, ruleOf, typeOf } from "./rule.js";
import { cell, rowTitle, sheet, tr } from "./table.js";

/** @type {import("./docs.js").Draw} */
export function referenceView(context) {
  const { contract, resource, path } = context;
  const { all, many, kind } = resource;
  // The refusals that every operation has are told once
  const [first, ...others] = all.map((one) => one.answers);
  const refusals = Object.entries(others.length > 0 ? first ?? {} : {}).filter(([status]) =>
    Number(status) >= 400 && others.every((answers) => status in answers)
  );
  const shared = Object.fromEntries(refusals);
  const chapters = [
    kind === "action"
      ? chapter(context, "input", { title: "Input and answer" }, inputAndAnswer(context))
      : chapter(context, "object", { title: "The object" }, object(context)),
    ...all.map((one) => {
      const { operationId, summary, "x-relata": extension } = one.described;
      const { verb = "request", field } = extension ?? {};
      const label = capital([inWords(verb), field].filter(Boolean).join(" "));
      return chapter(
        context,
        operationId,
        { title: summary, label, method: one.method },
        operation(context, one, shared),
        verb === "changes" && changes(context),
      );
    }),
  ];
  const actions = contract.actions.filter((one) =>
    rowOfAction(contract, one)?.resource === resource
  );
  if (actions.length > 0) {
    chapters.push(chapter(
      context,
      "actions_on_row",
      { title: "Actions on one row", label: "Actions" },
      h(
        "dl",
        { class: "spec" },
        actions.map(({ many, path, description }) =>
          entry(h("a", { href: pageAddress(path, "", "reference") }, many), description)
        ),
      ),
    ));
  }
  if (refusals.length > 0) {
    chapters.push(chapter(
      context,
      "every_operation",
      { title: "Answers of every operation", label: "Every operation" },
      answers(refusals),
    ));
  }
  return {
    head: [
      heading({
        text: headline(many),
        resource,
        tab: "Reference",
        path: kind === "action" ? path : resource.path,
      }),
      h("div", { class: "toolbar" }, searchField(context), sharedLink()),
    ],
    body: withContents(chapters),
  };
}

/**
 * A verb such as `followChanges`.
 * @param {string} verb
 */
const inWords = (verb) => verb.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/**
 * The fields as they are read and written, and an example of both.
 * @param {import("./docs.js").Context} context
 */
function object({ contract, resource }) {
  const { fields, description, schema, body } = resource;
  /** @param {import("./contract.js").Field} field */
  function line(field) {
    const { name, target, schema: { description } } = field; // written, a relation says what is said here
    /** @param {import("./dom.js").Children} words */
    const shape = (words) => target ? h("mark", {}, words) : words;
    return tr(
      fieldTitle(field),
      cell("Read", shape(asRead(contract, field))),
      body && cell("Written", shape(asWritten(field))),
      cell(
        "Rules",
        h(
          "div",
          {},
          description && h("p", {}, description),
          rules(contract, field, resource.keys.includes(name)),
        ),
        "quiet",
      ),
    );
  }
  /** @param {string} label @param {any} example */
  const example = (label, example) =>
    code(label, jsonOf(example, fields), copy("JSON", () => pretty(example)));
  return [
    h("p", { class: "quiet" }, description),
    sheet("Fields", ["Field", "Read", ...(body ? ["Written"] : []), "Rules"], fields.map(line)),
    h(
      "div",
      { class: "idea" },
      body && example("Written", body.example),
      example("Read", schema.examples[0]),
    ),
  ];
}

/**
 * What an action takes and gives.
 * @param {import("./docs.js").Context} context
 */
function inputAndAnswer({ contract, resource }) {
  const { fields, inputs, isSingle, description, path } = resource;
  const taken = inputs.map((input) => {
    const isInPath = path.includes(`{${input.name}}`);
    const type = input.target ? "identifier" : typeOf(input.written);
    return line(contract, input, "Sent", isInPath ? `${type}, in the path` : type);
  });
  const given = fields.map((field) => line(contract, field, "Read", typeOf(field.schema)));
  return [
    h("p", { class: "quiet" }, description),
    taken.length > 0 && sheet("Input", ["Input", "Sent", "Rules"], taken),
    given.length > 0
      ? sheet("Answer", ["Answer", "Read", "Rules"], given)
      : h("p", { class: "quiet" }, "It answers with nothing."),
    given.length > 0 &&
    h("p", { class: "quiet" }, isSingle ? "It answers with one row." : "It answers with rows."),
  ];
}

/**
 * What a list of changes has of each.
 * @param {import("./docs.js").Context} context
 */
const changes = ({ contract, resource }) => [
  h("h3", {}, "A change"),
  sheet(
    "A change",
    ["Field", "Read", "Rules"],
    resource.changes.map((field) => line(contract, field, "Read", typeOf(field.schema))),
  ),
];

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {string} column
 * @param {string} type
 */
function line(contract, field, column, type) {
  const { target, schema: { description } } = field;
  return tr(
    fieldTitle(field),
    cell(column, target ? h("mark", {}, type) : type),
    cell(
      "Rules",
      h("div", {}, description && h("p", {}, description), rules(contract, field)),
      "quiet",
    ),
  );
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 */
function asRead(contract, { kind, target, isObject, isNullable, schema }) {
  const orNull = isNullable && " or null";
  if (!target) return [typeOf(schema), orNull];
  const { one, many, path } = contract.resource(target);
  const words = kind === "many" ? many : one;
  const link = path ? h("a", { href: pageAddress(path, "", "reference") }, words) : words;
  if (kind === "many") return [isObject ? "array of " : "array of identifiers of ", link];
  return [!isObject && "identifier of ", link, orNull];
}

/**
 * What a field is called, which has an address.
 * @param {import("./contract.js").Field} field
 */
const fieldTitle = ({ name, schema: { "x-relata": { label } } }) =>
  rowTitle([h("code", {}, name), label && h("div", { class: "quiet" }, label)], {
    id: `field_${name}`,
    tabindex: "-1",
  });

/** @param {import("./contract.js").Field} field */
function asWritten({ kind, target, written }) {
  if (!written) return h("span", { class: "quiet" }, "not written");
  if (!target) return h("span", { class: "quiet" }, "the same");
  return kind === "many" ? "array of identifiers" : "identifier";
}

/**
 * @param {import("./contract.js").Contract} contract
 * @param {import("./contract.js").Field} field
 * @param {boolean} [isKey] whether rows are identified by it
 */
function rules(contract, field, isKey = false) {
  const { kind, schema, written = schema, isRequired } = field;
  return [
    ruleOf({ ...field, written }, contract),
    isKey && kind !== "identifier" && "in the key",
    ["text", "identifier"].includes(kind) && written.pattern && `matches ${written.pattern}`,
    ...othersOf(written, isRequired),
  ].filter(Boolean).join("; ");
}
