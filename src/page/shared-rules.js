// What all operations share, as the document tells it: the token, headers, pages, filters, problems and their codes.
import { chapter, withContents } from "./contents.js";
import { entry, h, prose } from "./dom.js";
import { searchField } from "./find.js";
import { heading } from "./heading.js";
import { pretty } from "./json.js";
import { code } from "./request.js";

/**
 * A term and what there is to say of it.
 * @typedef {[term: string, description: import("./dom.js").Children]} Told
 */

/** @type {import("./docs.js").Draw} */
export function sharedRules(context) {
  const { document } = context.contract;
  /** @type {any[]} */
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  /** @type {any[]} */
  const parameters = operations.flatMap(({ parameters = [] }) => parameters);
  const lists = operations.filter((one) => one["x-relata"]?.verb === "list");
  const ofLists = lists.flatMap(({ parameters }) => parameters);
  const filters = Map.groupBy(
    ofLists.filter((one) => one["x-relata"]?.operator),
    (one) => one["x-relata"].operator,
  );
  /** @type {any[]} */
  const explained = Object.values(
    operations.find(({ operationId }) => operationId === "getProblem")
      ?.responses["200"].content["application/json"].examples ?? {},
  ).map(({ value }) => value);
  const examples = examplesOf(document);
  const chapters = [
    chapter(context, "token", { title: "The token" }, list(tokens(document, operations))),
    chapter(
      context,
      "requests",
      { title: "Headers of requests" },
      list(byName(parameters.filter((one) => one.in === "header"))),
    ),
    chapter(
      context,
      "pages",
      { title: "Pages and order of lists" },
      list(byName(ofLists.filter((one) => one.in === "query" && !one["x-relata"]))),
    ),
    chapter(
      context,
      "filters",
      { title: "Filters of lists" },
      h("p", { class: "quiet" }, "Several narrow each other. One of each kind:"),
      list([...filters.values()].map(([{ name, description }]) => [name, prose(description)])),
    ),
    chapter(
      context,
      "answers",
      { title: "Headers of answers" },
      list(headersOfAnswers(document, operations)),
    ),
    chapter(
      context,
      "problems",
      { title: "Problems" },
      h("p", { class: "quiet" }, document.components.schemas.Problem.description),
      list(
        explained.filter(({ status }) => status).map(({ code, status, title, meaning }) => [
          code,
          [h("p", {}, `${status} · ${title}. ${meaning}`), exampleOf(examples.get(code))],
        ]),
        true,
      ),
    ),
    chapter(
      context,
      "codes",
      { title: "Codes of fields" },
      h(
        "p",
        { class: "quiet" },
        "Each entry of errors, in a problem of the type invalid, has one.",
      ),
      list(
        explained.filter(({ status }) => !status).map((
          { code, meaning },
        ) => [code, prose(meaning)]),
        true,
      ),
    ),
  ];
  return {
    head: [
      heading({ text: "What all operations share" }),
      h("p", { class: "lead" }, document.info.description),
      h("div", { class: "toolbar" }, searchField(context)),
    ],
    body: withContents(chapters),
  };
}

/**
 * @param {Told[]} all
 * @param {boolean} [haveAddresses] whether links lead to each
 */
const list = (all, haveAddresses = false) =>
  h(
    "dl",
    { class: "spec wide" },
    all.map(([term, description]) =>
      entry(h("code", haveAddresses ? { id: term, tabindex: "-1" } : {}, term), description)
    ),
  );

/**
 * Parameters, each name once, with all that is said of it.
 * @param {any[]} parameters
 * @returns {Told[]}
 */
const byName = (parameters) =>
  [...Map.groupBy(parameters, ({ name }) => name)].map(([name, all]) => [
    name,
    [...new Set(all.map(({ description }) => description))].map((one) => h("p", {}, prose(one))),
  ]);

/**
 * @param {any} document
 * @param {any[]} operations
 * @returns {Told[]}
 */
function tokens({ components: { securitySchemes } }, operations) {
  if (!securitySchemes) return [["authorization", "This server asks for no token."]];
  const open = operations.filter(({ security }) => !security?.length);
  return [
    ...Object.entries(securitySchemes).map((
      [name, { description }],
    ) => /** @type {Told} */ ([name, prose(description)])),
    [
      "authorization",
      ["Bearer TOKEN, with each request but the ", `${open.length} operations that need none`],
    ],
  ];
}

/**
 * @param {any} document
 * @param {any[]} operations
 * @returns {Told[]}
 */
function headersOfAnswers({ components }, operations) {
  const answers = [
    ...operations.flatMap(({ responses }) => Object.values(responses)),
    ...Object.values(components.responses),
  ];
  const named = new Map(
    answers.flatMap(({ headers = {} }) => Object.entries(headers)).map(([name, { $ref = "" }]) => [
      name,
      components.headers[$ref.split("/").at(-1)]?.description,
    ]),
  );
  return [...named].filter(([, text]) => text).map(([name, text]) => [name, prose(text)]);
}

/**
 * The example of each problem, by its code.
 * @param {any} document
 * @returns {Map<string, any>}
 */
const examplesOf = ({ components }) =>
  new Map(
    Object.values(components.responses).flatMap(({ content }) =>
      Object.entries(content["application/problem+json"].examples).map((
        [code, { value }],
      ) => /** @type {[string, any]} */ ([code, value]))
    ),
  );

/** @param {any} example undefined where no operation answers with the problem */
const exampleOf = (example) =>
  example && h("details", {}, h("summary", {}, "Example"), code("Answer", pretty(example)));
