// Saving: once at a time, and what is said where no answer comes.
import { h, note, say } from "./dom.js";

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} trouble where is said what went wrong
 * @param {() => Promise<void>} save rejects where no answer came
 */
export function submitting(form, trouble, save) {
  let isBusy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    form.setAttribute("aria-busy", "true");
    await save().catch((error) => {
      trouble.replaceChildren(note(
        "bad",
        "No answer came",
        h("p", {}, "What you typed is kept. To send the same again is safe: it is done once."),
        h("p", { class: "quiet" }, String(error.message)),
      ));
    });
    isBusy = false;
    form.removeAttribute("aria-busy");
  });
  return form;
}

/**
 * Does what sends a form. What is typed or chosen from here to the answer would not be sent, so nothing can be.
 * @template Result
 * @param {HTMLElement[]} parts those of the form that people change
 * @param {() => Promise<Result>} send
 */
export async function whileInert(parts, send) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  for (const part of parts) part.inert = true;
  return await send().finally(() => {
    for (const part of parts) part.inert = false;
    focused?.focus();
  });
}

/**
 * Says that a request got no answer and is repeated.
 * @param {HTMLElement} trouble
 * @param {string} key the header that makes it safe
 * @param {AbortSignal} signal
 * @returns {boolean} false where the view was left meanwhile
 */
export function sayRepeated(trouble, key, signal) {
  if (signal.aborted) return false;
  const words = "No answer came: it is being sent again";
  const once = ", so it is done once, whatever became of the first.";
  trouble.replaceChildren(note("", words, h("p", {}, "Under the same ", h("code", {}, key), once)));
  say(words);
  return true;
}
