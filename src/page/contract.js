// The contract as the views use it: each resource with its operations, fields, filters and sorts, and who
// refers to whom. What the document does not say in plain OpenAPI, it says in `x-relata` members.
import { answerIn, prefix, Refusal } from "./client.js";
import { identifiersOf, identifiersOfParts, inAddress, joined, split } from "./identifiers.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label what people call it
 * @property {string | undefined} unit what it is an amount of
 * @property {any} example a value as it is written, or else as it is read
 * @property {string} kind
 * @property {string | undefined} target the resource that it refers to
 * @property {OwnedRows | undefined} rows those that it owns
 * @property {boolean} isObject whether a relation is read as the object, not as its identifier
 * @property {boolean} isOrdered whether a relation to many keeps the order in which it was sent
 * @property {boolean} isNullable
 * @property {boolean} isRequired whether it must be sent to create a row
 * @property {boolean} isMade whether the database makes its value for a row that is created without it
 * @property {boolean} isDeprecated
 * @property {any} schema as it is read
 * @property {any} written the schema as it is written; undefined if it is only read
 * @property {string | undefined} candidates the path that lists what a relation can refer to
 */

/**
 * @typedef {object} OwnedRows
 * @property {string} one the name of one, in words
 * @property {Field[]} fields
 * @property {string} key the field with the identifier; "" where other fields tell them apart
 * @property {boolean} takesKeys whether clients give the identifier
 */

/**
 * @typedef {object} Operation
 * @property {string} method
 * @property {string} path with the prefix, and with `{id}` where it is that of one row
 * @property {string | undefined} scope that a token needs; undefined if none is asked for
 * @property {{ schema: any, example: any } | undefined} body what it takes; undefined if it takes nothing
 * @property {Record<string, string>} answers what each status means
 * @property {any} described the operation in the document
 */

/**
 * @typedef {object} Filter
 * @property {string} parameter
 * @property {string} field a field, or a path through relations: `album__artist`
 * @property {"eq" | "in" | "gte" | "gt" | "lte" | "lt" | "contains" | "isnull"} operator
 * @property {string} kind that of the field at the end
 * @property {string | undefined} target
 * @property {any} schema
 */

/**
 * @typedef {object} Resource
 * @property {string} name
 * @property {"resource" | "record" | "report" | "action"} kind
 * @property {string} one the name of a row, in words
 * @property {string} many the name of all: its label, or the word in the path
 * @property {string} named the path, without the prefix, whose words name it
 * @property {string} path where its address in the page begins: the list, or what there is instead of one;
 *   "" where the resource has no operations, and is only read within others
 * @property {string} description
 * @property {string | undefined} display the field that people know a row by
 * @property {string[]} keys the fields that identify a row; none in a report
 * @property {string} key the column with the identifier; "" in a report
 * @property {string} byKey the value of `sort` that goes by it
 * @property {import("./identifiers.js").Identifiers} identifiers what the key has
 * @property {(row: any) => import("./identifiers.js").Identifier} identifierOf that of a row, or of the identifier which
 *   stands for one
 * @property {Field[]} fields of a row; of an action, those of its answer
 * @property {Field[]} columns the fields, and before them "key" where no field has the identifier
 * @property {Field[]} inputs what an action takes: the names in its path first
 * @property {boolean} isSingle whether an action answers with one row
 * @property {Map<string, string>} candidates the paths that list what a relation can refer to, by its field, or, within
 *   rows that a row owns, as `lines/product`
 * @property {Record<string, Operation>} operations by verb: list, create, batch, read, last, replace, patch,
 *   delete, report, action, changes, followChanges
 * @property {Operation[]} all operations, with those that list candidates, in the order of the document
 * @property {Filter[]} filters
 * @property {string[]} sorts the values of `sort`, with and without a minus
 * @property {string} sort the default of `sort`
 * @property {string} newest the value of `sort` that has the newest rows first; the default where none tells
 * @property {any[]} parameters those of the list or the report
 * @property {any} schema that of a row, as it is read
 * @property {Operation["body"]} body what a row is written in
 * @property {boolean} follows whether new records can be followed
 * @property {Field[]} changes what a change of a row has, where a history is kept
 */

/**
 * @typedef {object} Contract
 * @property {string} title
 * @property {any} document that it was read from
 * @property {boolean} isSecured whether requests need a token
 * @property {Resource[]} resources and reports
 * @property {Resource[]} actions
 * @property {(name: string) => Resource} resource
 * @property {(resource: Resource) => { resource: Resource, field: Field }[]} referrers
 */

/**
 * Reads the contract from the address in the head of the page, under which the browser has loaded it already. It is
 * open to all. Rejects with a `Refusal` if it is refused.
 */
export async function readContract() {
  const { href } = /** @type {HTMLLinkElement} */ (document.querySelector("link[as=fetch]"));
  const answer = await answerIn(await fetch(href));
  if (!answer.ok) throw new Refusal(answer);
  return contractOf(answer.body);
}

/**
 * What the page lists, each below a title of its own.
 * @param {Contract} contract
 */
export const listed = ({ resources, actions }) => ({
  resources: resources.filter(({ kind }) => kind !== "report"),
  reports: resources.filter(({ kind }) => kind === "report"),
  actions,
});

/**
 * @param {any} document
 * @returns {Contract}
 */
function contractOf(document) {
  /** @type {Operation[]} */
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: prefix + path,
      scope: described.security?.find((/** @type {any} */ one) => one.token)?.token[0],
      body: described.requestBody?.content["application/json"],
      answers: answersOf(document, described.responses),
      described,
    }))
  );
  /** @type {Map<string, Resource>} */
  const byName = new Map();
  /** @param {string} name */
  const resourceNamed = (name) => /** @type {Resource} */ (byName.get(name));
  const resources = /** @type {any[]} */ (document.tags)
    .filter((tag) => tag["x-relata"])
    .map((tag) =>
      resourceOf(
        document,
        tag,
        all.filter(({ described }) => described.tags?.includes(tag.name)),
        resourceNamed,
      )
    );
  // Where two paths end in the same word, each is called by the whole of its own
  const byWord = [...Map.groupBy(resources, ({ many }) => many).values()];
  for (const one of byWord.filter(({ length }) => length > 1).flat()) {
    one.many = wordsOf(one.named).map(inWords).join("/");
  }
  for (const resource of resources) byName.set(resource.name, resource);
  for (const input of resources.flatMap(({ inputs }) => inputs)) {
    input.candidates = searchOf(byName.get(input.target ?? ""));
  }
  return {
    title: document.info.title,
    document,
    isSecured: document.components.securitySchemes !== undefined,
    resources: resources.filter(({ path, kind }) => path !== "" && kind !== "action"),
    actions: resources.filter(({ kind }) => kind === "action"),
    resource: resourceNamed,
    referrers: ({ name }) =>
      resources.flatMap((resource) =>
        resource.fields
          .filter(({ target }) => target === name)
          .map((field) => ({ resource, field }))
      ),
  };
}

/**
 * @param {any} document
 * @param {any} tag
 * @param {Operation[]} all
 * @param {(name: string) => Resource} resourceNamed which may come later
 * @returns {Resource}
 */
function resourceOf(document, tag, all, resourceNamed) {
  const { kind, display, title = "", key: declared, label } = tag["x-relata"];
  /** @type {Record<string, Operation>} */
  const operations = {};
  /** @type {Map<string, string>} */
  const candidates = new Map();
  for (const operation of all) {
    const { verb = kind, field } = operation.described["x-relata"] ?? {};
    if (verb === "choices") candidates.set(field, operation.path);
    else operations[verb] = operation;
  }
  const { list, create, replace, patch, last, report, action, read: one } = operations;
  /** @type {any[]} */
  const parameters = ((list ?? report)?.described.parameters ?? []).filter(
    (/** @type {any} */ one) => one.in === "query",
  );
  const sort = parameters.find(({ name }) => name === "sort")?.schema;
  const sql = report ?? action;
  const answer = sql && contentOf(sql);
  const read = sql ? rowIn(document, answer) : document.components.schemas[title];
  const { body } = create ?? replace ?? patch ?? {};
  const fields = fieldsOf(document, read, body && resolve(document, body.schema), candidates);
  const path = (list ?? last ?? create ?? sql ?? one ?? Object.values(operations)[0])?.path ??
    "";
  // The path of the newest row or of a batch may end in a word for that
  /** @type {string} */
  const named = (list ?? create ?? report ?? one)?.path.slice(prefix.length) ?? tag.name;
  const many = label || inWords(wordsOf(named).at(-1) ?? tag.name);
  /** @type {Field[]} */
  const keys =
    declared?.flatMap((/** @type {string} */ key) =>
      fields.find(({ name }) => name === key) ?? []
    ) ?? fields.filter((field) => field.kind === "identifier").slice(0, 1);
  const [first] = keys;
  const isField = !first || keys.length === 1 && !first.target;
  const key = isField ? first?.name ?? "" : "key"; // no field has this name then
  const created = fields.find((field) => field.kind === "created")?.name;
  const change = operations["changes"] &&
    resolve(document, resolve(document, contentOf(operations["changes"])).properties.items.items);
  const newest = `-${identifiersOf(first?.schema ?? {}).areFigures ? "id" : created}`;
  return {
    name: tag.name,
    kind,
    one: inWords(tag.name),
    many,
    named,
    path,
    description: tag.description,
    display,
    keys: keys.map(({ name }) => name),
    key,
    byKey: declared ? "key" : "id",
    get identifiers() {
      const parts = keys.map(({ schema, target }) =>
        target ? resourceNamed(target).identifiers : identifiersOf(schema)
      );
      return parts.length > 1 ? identifiersOfParts(parts) : parts[0] ?? identifiersOf({});
    },
    identifierOf(row) {
      if (typeof row !== "object" || row === null) return row;
      const parts = keys.map(({ name, target }) =>
        target ? resourceNamed(target).identifierOf(row[name]) : row[name]
      );
      return parts.length > 1 ? joined(parts) : parts[0];
    },
    fields,
    columns: isField ? fields : [
      { ...first, name: key, label: key, kind: "identifier", target: undefined, schema: {} },
      ...fields,
    ],
    inputs: action ? inputsOf(document, action) : [],
    isSingle: answer?.$ref !== undefined,
    candidates,
    operations,
    all,
    filters: kind === "report" ? [] : parameters.flatMap(filterOf),
    sorts: sort?.enum ?? [],
    sort: sort?.default ?? "",
    newest: sort?.enum.includes(newest) ? newest : sort?.default ?? "",
    parameters,
    schema: read,
    body,
    follows: operations["list"]?.described["x-relata"].follows === true,
    changes: change ? fieldsOf(document, change, undefined, new Map()) : [],
  };
}

/**
 * The words of a path.
 * @param {string} path
 */
const wordsOf = (path) => path.split("/").filter((part) => part && !part.startsWith("{"));

/**
 * @param {any} document
 * @param {any} read the schema of a row
 * @param {any} written that of what is sent, if anything is
 * @param {Map<string, string>} candidates
 * @param {string} [within] the path to them, as `lines/`, where they are those of rows that a row owns
 * @returns {Field[]}
 */
function fieldsOf(document, read, written, candidates, within = "") {
  const sent = new Map(
    Object.entries(written?.properties ?? {}).map(([name, schema]) => [name, withChoices(schema)]),
  );
  const example = { ...read.examples?.[0], ...written?.examples?.[0] };
  return Object.entries(read.properties).map(([name, schema]) => {
    const { kind, target, read: how, ordered = false, label, unit } = schema["x-relata"];
    const isRequired = written?.required?.includes(name);
    const isOwned = kind === "owned";
    const path = `${within}${name}`;
    return {
      name,
      label: label || inWords(name),
      unit,
      example: example[name],
      kind,
      target: isOwned ? undefined : target, // they are no rows of their own
      rows: isOwned ? rowsOf(document, schema, sent.get(name), candidates, `${path}/`) : undefined,
      isObject: how === "object",
      isOrdered: ordered,
      isNullable: isNullable(schema),
      isRequired: isRequired ?? false,
      isMade: isRequired === false && sent.has(name) && sent.get(name).default === undefined,
      isDeprecated: schema.deprecated === true,
      schema: withChoices(schema),
      written: sent.get(name),
      candidates: candidates.get(path),
    };
  });
}

/**
 * The rows that a field owns.
 * @param {any} document
 * @param {any} read the schema of the array
 * @param {any} written
 * @param {Map<string, string>} candidates
 * @param {string} within
 * @returns {OwnedRows}
 */
function rowsOf(document, read, written, candidates, within) {
  const items = written && resolve(document, written.items);
  const fields = fieldsOf(document, resolve(document, read.items), items, candidates, within);
  const key = fields.find(({ kind }) => kind === "identifier")?.name ?? "";
  return {
    one: inWords(read["x-relata"].target),
    fields,
    key,
    takesKeys: Object.hasOwn(items?.examples[0] ?? {}, key),
  };
}

/** @param {string} name */
export const inWords = (name) => name.replaceAll(/[-_]/g, " ");

/**
 * A schema with its choices beside it, if null is one.
 * @param {any} schema
 */
const withChoices = (schema) => schema.anyOf?.[0].enum ? { ...schema.anyOf[0], ...schema } : schema;

/** @param {any} schema */
const isNullable = (schema) =>
  [schema.type].flat().includes("null") ||
  (schema.anyOf ?? schema.oneOf ?? []).some((/** @type {any} */ one) => one.type === "null");

/**
 * @param {any} parameter
 * @returns {Filter[]}
 */
function filterOf({ name, schema, "x-relata": extension }) {
  if (!extension?.operator) return [];
  const { target, ...others } = extension;
  return [{
    parameter: name,
    schema,
    ...others,
    target: extension.kind === "owned" ? undefined : target,
  }];
}

/**
 * What each status of an operation means.
 * @param {any} document
 * @param {Record<string, any>} responses
 * @returns {Record<string, string>}
 */
const answersOf = (document, responses) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      resolve(document, response).description,
    ]),
  );

/**
 * The schema of what an operation answers; undefined if that is nothing.
 * @param {Operation} operation
 */
const contentOf = ({ described }) => described.responses["200"]?.content["application/json"].schema;

/**
 * The schema of a row in the answer of plain SQL.
 * @param {any} document
 * @param {any} answer
 */
function rowIn(document, answer) {
  if (answer === undefined) return { properties: {} };
  return resolve(document, answer.$ref ? answer : answer.properties.items.items);
}

/**
 * What an action takes: the names in its path, then the members of its body.
 * @param {any} document
 * @param {Operation} action
 */
function inputsOf(document, { body, described: { parameters } }) {
  /** @type {any[]} */
  const inPath = parameters.filter((/** @type {any} */ one) => one.in === "path");
  const { properties, required = [], examples } = body ? resolve(document, body.schema) : {};
  const taken = {
    properties: {
      ...Object.fromEntries(inPath.map(({ name, schema, ...others }) => [
        name,
        { ...schema, ...others },
      ])),
      ...properties,
    },
    required: [...inPath.map(({ name }) => name), ...required],
    examples,
  };
  return fieldsOf(document, taken, taken, new Map());
}

/**
 * Where the rows are searched to which an input may refer: those that the caller may read.
 * @param {Resource | undefined} target
 */
const searchOf = (target) =>
  target?.parameters.some(({ name }) => name === "q") ? target.operations["list"]?.path : undefined;

/**
 * The candidates on a page of them, or on one of a list.
 * @param {Resource} resource whose rows they are
 * @param {any} page
 * @returns {{ identifier: import("./identifiers.js").Identifier, text: string, row?: any }[]} with their rows, where
 *   those were listed
 */
export const candidatesIn = (resource, { choices, items }) =>
  choices
    ? Object.entries(choices).map(([key, text]) => ({
      identifier: resource.identifiers.from(key),
      text,
    }))
    : items.map((/** @type {any} */ row) => ({
      identifier: resource.identifierOf(row),
      text: nameOfRow(resource, row),
      row,
    }));

/**
 * The schema itself, even if the document only refers to it.
 * @param {any} document
 * @param {any} schema
 */
function resolve(document, schema) {
  if (!schema.$ref) return schema;
  return schema.$ref.slice(2).split("/").reduce(
    (/** @type {any} */ value, /** @type {string} */ name) => value[name],
    document,
  );
}

/**
 * The path of a row, if rows can be read.
 * @param {Resource} resource
 * @param {unknown} identifier
 */
export const pathOfRow = ({ operations: { read } }, identifier) =>
  read && pathFor(read, identifier);

/**
 * The path of an operation on a row, which may be another than that of reading it.
 * @param {{ path: string }} operation
 * @param {unknown} identifier
 */
export function pathFor({ path }, identifier) {
  const parts = path.includes("},{") ? split(String(identifier)) : [identifier];
  return path.replaceAll(/\{[^}]+\}/g, () => inAddress(parts.shift()));
}

/**
 * A path with the names in braces that have a value.
 * @param {string} path
 * @param {Record<string, unknown>} values
 */
export const pathWith = (path, values) =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (hole, name) => isGiven(values[name]) ? inAddress(values[name]) : hole,
  );

/** @param {unknown} value */
export const isGiven = (value) => (value ?? "") !== "";

/**
 * The row with whose path that of an action begins: its resource, and the input that names it.
 * @param {Contract} contract
 * @param {Resource} action
 */
export function rowOfAction({ resources }, { path, inputs }) {
  const parts = path.split("/");
  for (const resource of resources) {
    const own = resource.operations["read"]?.path.replace(/\/$/, "").split("/") ?? [];
    const hole = own.findIndex((part) => part.startsWith("{"));
    const input = inputs.find(({ name }) => parts[hole] === `{${name}}`);
    const begins = own.every((part, index) => index === hole || part === parts[index]);
    if (begins && input?.target === resource.name) return { resource, input };
  }
  return undefined;
}

/**
 * Whether of an object within a row nothing is shown but its identifier: the caller may not read it.
 * @param {Resource} resource
 * @param {object} object
 */
export const isHidden = ({ fields }, object) =>
  fields.length > 1 && Object.keys(object).length === 1;

/**
 * What people call a row: its text, or its name and identifier.
 * @param {Resource} resource
 * @param {any} row
 * @returns {string}
 */
export const nameOfRow = ({ one, display, identifierOf }, row) =>
  // Nobody sees blanks
  display && row[display]?.trim() ? row[display] : `${one} ${identifierOf(row)}`;

/**
 * The fields of a row that is there which can be changed: a key never is.
 * @param {Resource} resource
 */
export const changeable = ({ fields, keys }) =>
  fields.filter(({ name, written }) => written && !keys.includes(name));
