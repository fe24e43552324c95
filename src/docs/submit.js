// Saving by the button, by Enter or by Ctrl or ⌘ with Enter; once at a time. Escape leaves the form.
import { h, note } from "./dom.js";

/**
 * @param {HTMLFormElement} form
 * @param {object} options
 * @param {() => Promise<void>} options.save rejects where no answer came
 * @param {HTMLElement} options.cancel
 * @param {HTMLElement} options.trouble where is said what went wrong
 */
export function submitting(form, { save, cancel, trouble }) {
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
        h("p", {}, "What you typed is kept. To send it again is safe: it is done once."),
        h("p", { class: "quiet" }, String(error.message)),
      ));
    });
    isBusy = false;
    form.removeAttribute("aria-busy");
  });
  form.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    else if (event.key === "Escape") cancel.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return form;
}
