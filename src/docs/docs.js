// The page: a form for everything the contract lets a client create, and the reference.
import { prefix, readContract } from "./contract.js";
import { creations, form } from "./form.js";
import { showReference } from "./reference.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

at("contract").setAttribute("href", `${prefix}/openapi.json`);
try {
  const contract = await readContract();
  at("forms").append(...creations(contract).map(form));
  await showReference(at("operations"), contract);
} catch (error) {
  at("trouble").textContent = `The documentation cannot be shown: ${error}`;
}
