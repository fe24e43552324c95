// Saving: once at a time, and what is said where no answer comes.
import { h, note } from "./dom.js";

/** Milliseconds until it is seen that an answer is awaited. */
const PATIENCE_TO_SAVE = 300;

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement[]} parts those of the form that people change
 * @param {HTMLElement} trouble where is said what went wrong
 * @param {(button: HTMLElement | null) => Promise<(() => void) | undefined>} send gets the button that was pressed, if
 *   one was; gives what shows why nothing was saved; rejects where no answer came
 * @param {string} [words] what its button says meanwhile
 */
export function submitting(form, parts, trouble, send, words = "Saving…") {
  const button = /** @type {HTMLElement} */ (form.querySelector("[type=submit]"));
  const label = [...button.childNodes];
  // What is typed or chosen while it is sent would not be sent, so nothing can be
  /** @param {boolean} isBusy */
  function wait(isBusy) {
    form.ariaBusy = isBusy ? "true" : null;
    for (const part of parts) part.inert = isBusy;
    if (!isBusy) showBusy(false);
  }
  /** @param {boolean} isShown */
  function showBusy(isShown) {
    // As wide as before, so that nothing moves
    button.style.minWidth = isShown ? `${button.getBoundingClientRect().width}px` : "";
    button.replaceChildren(...isShown ? [words] : label);
    form.classList.toggle("waits", isShown);
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.ariaBusy) return;
    trouble.replaceChildren();
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    wait(true);
    const timer = setTimeout(showBusy, PATIENCE_TO_SAVE, true);
    const show = await send(event.submitter).catch((error) => () =>
      trouble.replaceChildren(note(
        "bad",
        "No answer came",
        h("p", {}, "What you typed is kept. To send the same again is safe: it is done once."),
        h("p", { class: "quiet" }, String(error.message)),
      ))
    );
    clearTimeout(timer);
    wait(false);
    focused?.focus();
    show?.();
  });
  return form;
}
