// The page: a form for everything the contract lets a client create, and the reference.
import { element, prefix, readContract, token } from "./contract.js";
import { creations, form } from "./form.js";
import { showReference } from "./reference.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** The field for the token, which every request then sends. */
function tokenField() {
  const hint = element(
    "p",
    { id: "token-hint", class: "hint" },
    "This server asks for one. It is kept in this tab alone, until the tab is closed.",
  );
  const input = element("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": hint.id,
  });
  input.value = token.get();
  input.addEventListener("input", () => token.set(input.value));
  return element(
    "div",
    { class: "field" },
    element("label", { for: input.id }, "Token"),
    input,
    hint,
  );
}

at("contract").setAttribute("href", `${prefix}/openapi.json`);
try {
  const contract = await readContract();
  document.title = contract.info.title;
  at("title").textContent = contract.info.title;
  if (contract.components.securitySchemes) at("forms").before(tokenField());
  at("forms").append(...creations(contract).map(form));
  await showReference(at("operations"), contract);
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  at("trouble").textContent = `The documentation cannot be shown: ${message}`;
}
