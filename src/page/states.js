// What stands where rows are not: bones while they are read, and why they were not.
import { pageAddress } from "./address.js";
import { Refusal } from "./client.js";
import { button, entry, h, isolated, note } from "./dom.js";
import { wordsOfRefusal } from "./sentences.js";
import { gate } from "./token.js";

/** Bones, of the height of what they stand for. */
export const bones = () =>
  h(
    "dl",
    { class: "fields", "aria-hidden": "true" },
    Array.from(
      { length: 8 },
      () => entry(h("span", {}), h("span", {}), { class: "skeleton" }),
    ),
  );

/**
 * That no answer came.
 * @param {string} heading
 * @param {Error} error
 * @param {() => void} again
 */
export const unanswered = (heading, { message }, again) =>
  note("bad", heading, h("p", {}, message), h("p", {}, button("Try again", { onclick: again })));

/**
 * Why a view cannot be shown; where a token is missing or may not do this, the field for it.
 * @param {import("./docs.js").Context} context
 * @param {Error} error
 * @param {boolean} [repeats] whether it tries again by itself
 * @returns {HTMLElement}
 */
export function failed(context, error, repeats = true) {
  if (!(error instanceof Refusal)) {
    return unanswered("The server cannot be reached", error, context.again);
  }
  const { status, headers, body } = error.answer;
  if (status === 401) return gate(context, { status });
  const [way, words] = wayOn(context, status, error.message);
  const mayPass = status >= 500 || status === 408 || status === 429;
  const seconds = Number(headers.get("retry-after"));
  const waits = h("p", {});
  if (seconds > 0 && !repeats) waits.textContent = `Try again in ${seconds} seconds`;
  else if (seconds > 0) {
    waits.textContent = `Trying again in ${seconds} seconds`;
    const timer = setInterval(() => isTyping() || context.again(), seconds * 1000);
    context.signal.addEventListener("abort", () => clearInterval(timer));
  }
  const why = note(
    "bad",
    [String(status), body?.title].filter(Boolean).join(" · "),
    h("p", {}, error.message),
    (body?.errors ?? []).map((/** @type {Parameters<typeof wordsOfRefusal>[2]} */ refusal) =>
      h("p", {}, isolated(wordsOfRefusal(context.contract, context.resource, refusal)))
    ),
    waits,
    body?.instance &&
      h("p", { class: "quiet for-developers" }, h("code", {}, `instance ${body.instance}`)),
    way && h("p", {}, h("a", { class: "button", href: way }, words)),
    mayPass && h("p", {}, button("Try again now", { onclick: context.again })),
  );
  // Another token may, and what was typed stays
  if (status !== 403) return why;
  const isRuled = body?.type?.endsWith("/forbidden");
  return h("div", { class: "view" }, why, gate(context, { status, isRuled }));
}

/** Whether somebody types above the rows what is not asked for yet: to try again would throw it away. */
const isTyping = () =>
  document.querySelector("main :is(details[open], option:default:not(:checked))") !== null ||
  [
    .../** @type {NodeListOf<HTMLInputElement | HTMLTextAreaElement>} */ (
      document.querySelectorAll("main :is(input:not([type=checkbox]), textarea)")
    ),
  ]
    .some(({ value, defaultValue }) => value !== defaultValue);

/**
 * Shows why something that was sent is refused.
 * @param {HTMLElement} place
 * @param {import("./docs.js").Context} context
 * @param {import("./client.js").Answer} answer
 * @param {() => void} again sends it again
 */
export const showRefused = (place, context, answer, again) =>
  place.replaceChildren(failed({ ...context, again }, new Refusal(answer), false));

/**
 * Where to go from an address that the server refuses, and the words for it.
 * @param {import("./docs.js").Context} context
 * @param {number} status
 * @param {string} why which quotes the parameter that was refused
 * @returns {[address?: string, words?: string]}
 */
function wayOn({ resource, path, query }, status, why) {
  if (status === 404 && resource && resource.kind !== "action") {
    return [pageAddress(resource.path), `All ${resource.many}`];
  }
  if (status !== 400 || query.size === 0) return [];
  const [, refused = ""] = why.match(/"(.*?)"/) ?? [];
  const others = new URLSearchParams(query);
  for (const name of [refused, "cursor"]) others.delete(name); // a cursor is that of the whole query
  return query.has(refused) && others.size > 0
    ? [pageAddress(path, others), `Go on without ${refused}`]
    : [pageAddress(path), "Clear the query"];
}
