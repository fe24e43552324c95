// What lets people in, in the place of what needs a token: where they sign in, and the field for a token. The
// resources and the reference are open to all.
import { token } from "./client.js";
import { button, h, icon } from "./dom.js";
import { heading } from "./heading.js";

/**
 * The view of the token alone.
 * @type {import("./docs.js").Draw}
 */
export const tokenView = (context) => ({
  head: heading({ text: "Token" }),
  body: gate(context),
});

/**
 * @param {import("./docs.js").Context} context
 * @param {object} [refusal] why the server refused the token that was sent
 * @param {number} [refusal.status]
 * @param {boolean} [refusal.isRuled] whether rules of access did, and not its scopes
 */
export function gate({ useToken, signIn, again, view, go }, { status, isRuled } = {}) {
  const isOther = status === 403;
  const error = h("p", { class: "error", id: "token-error", role: "alert" });
  const input = h("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "token-hint token-error",
  });
  /** @param {import("./dom.js").Children} why */
  function refuse(why) {
    input.setAttribute("aria-invalid", "true");
    error.replaceChildren(icon("alert"), h("span", {}, why));
  }
  const unknown =
    () => ["The server does not know this token, or it has run out ", h("code", {}, "401")];
  const hasEnded = status === 401 && token.get() !== "";
  if (hasEnded && !signIn) refuse(unknown());

  /** @param {SubmitEvent} event */
  async function use(event) {
    event.preventDefault();
    try {
      if (!await useToken(input.value)) {
        input.select();
        return refuse(unknown());
      }
    } catch (why) {
      return refuse(`The token cannot be checked: ${/** @type {Error} */ (why).message}`);
    }
    if (view === "token") go("#/");
    else again();
  }
  return h(
    "section",
    { class: "gate", "aria-labelledby": "gate" },
    h(
      "h2",
      { id: "gate" },
      isRuled
        ? "Somebody else may do this"
        : isOther
        ? "Another token may do this"
        : "Rows need a token here",
    ),
    signIn && [
      hasEnded && h("p", { role: "alert" }, "The token has run out. What was typed here is kept."),
      h(
        "p",
        {},
        button(hasEnded ? "Sign in again" : "Sign in", {
          class: "button primary",
          onclick: signIn,
        }),
      ),
    ],
    !isRuled && h(
      "p",
      { class: "quiet" },
      !isOther && "The reference does not. ",
      "With the scope ",
      h("code", {}, "read"),
      " you look around; with ",
      h("code", {}, "write"),
      " you also create, edit and delete.",
    ),
    h(
      "form",
      { onsubmit: use },
      h(
        "div",
        { class: "field" },
        h("div", { class: "label" }, h("label", { for: "token" }, "Token")),
        input,
        error,
        h(
          "p",
          { class: "hint", id: "token-hint" },
          "A pasted “Bearer ” is taken off. It is kept until this tab is closed, and shown nowhere.",
        ),
      ),
      button("Use this token", { type: "submit", class: signIn ? "button" : "button primary" }),
    ),
  );
}
