// The page: a form for everything the contract lets a client create, and the reference.
import { prefix, readContract, root } from "./contract.js";
import { creations, form } from "./form.js";

const contract = readContract();

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {unknown} error */
function fail(error) {
  at("trouble").textContent = `The documentation cannot be shown: ${error}`;
}

async function showForms() {
  const known = await contract;
  at("forms").append(...creations(known).map((creation) => form(creation)));
}

async function showReference() {
  // The renderer is large, and the forms need not wait for it.
  if (document.readyState !== "complete") {
    await new Promise((loaded) => addEventListener("load", loaded, { once: true }));
  }
  const { SwaggerUIBundle } = /** @type {any} */ (globalThis);
  SwaggerUIBundle({
    domNode: at("operations"),
    // This server, by whatever address it was reached.
    spec: { ...await contract, servers: [{ url: root }] },
    deepLinking: true,
    validatorUrl: null, // else the renderer sends the contract's address to a public validator
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", dress);
dress();

at("contract").setAttribute("href", `${prefix}/openapi.json`);
showForms().catch(fail);
showReference().catch(fail);
