// What was sent, and what came back.
import { element } from "./contract.js";

/**
 * @param {object} exchange
 * @param {string} exchange.method
 * @param {string} exchange.path
 * @param {unknown} exchange.body
 * @param {import("./contract.js").Answer} exchange.answer
 * @param {string[]} exchange.relations the fields to mark
 */
export function exchanged({ method, path, body, answer, relations }) {
  const request = element("pre", {}, `${method} ${path}`);
  if (body !== undefined) request.append("\n", json(body, relations));
  const outcome = element("b", { class: answer.ok ? "good" : "bad" }, String(answer.status));
  const reply = element("pre", {}, outcome, "\n", json(answer.body, relations));
  return element(
    "dl",
    {},
    element("dt", {}, "Sent"),
    element("dd", {}, request),
    element("dt", {}, "Came back"),
    element("dd", {}, reply),
  );
}

/**
 * An object as JSON, with its relations marked: the same field, written and read.
 * @param {any} object
 * @param {string[]} relations
 */
function json(object, relations) {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  const text = document.createDocumentFragment();
  text.append("{");
  members.forEach(([name, value], index) => {
    text.append(index === 0 ? "\n" : ",\n");
    const member = `${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)}`;
    member.split("\n").forEach((line, number) => {
      const bare = line.trimStart();
      const parts = strings(bare);
      const marked = relations.includes(name) ? [element("mark", {}, ...parts)] : parts;
      text.append(number === 0 ? "" : "\n", " ".repeat(2 + line.length - bare.length), ...marked);
    });
  });
  text.append("\n}");
  return text;
}

/**
 * A line of JSON with each string in a direction of its own, so that Hebrew moves no comma.
 * @param {string} line
 */
function strings(line) {
  return line.split(/("(?:[^"\\]|\\.)*")/).map((part) =>
    part.startsWith('"') ? element("bdi", {}, part) : part
  );
}
