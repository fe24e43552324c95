// The side: the name of the API, its resources, who asks, and what the token may do.
import { pageAddress } from "./address.js";
import { prefix, token } from "./client.js";
import { listed } from "./contract.js";
import { button, h, isolated, kbd, present } from "./dom.js";
import { inBrowser } from "./keep.js";
import { help } from "./keys.js";
import { issuer } from "./sign-in.js";
import { viewList } from "./views.js";

/** With more resources than this, a field above them narrows the list. */
const MANY = 20;

/** @param {string} selector */
const at = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

const menu = at(".menu-button");
menu.addEventListener("click", () => {
  menu.ariaExpanded = String(menu.ariaExpanded === "false");
});

/** What narrows the list of resources, kept from view to view. */
const narrower = h("input", {
  type: "search",
  "aria-label": "Narrow the resources",
  placeholder: "Narrow",
  oninput: narrow,
});
at("#resources ul").before(narrower);

const { dataset } = document.documentElement;
dataset["requests"] = inBrowser.get("requests") ?? "on";

/** Whether the page shows requests, JSON and what else only developers need. */
function requestsSwitch() {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    checked: dataset["requests"] === "on",
    onchange() {
      dataset["requests"] = input.checked ? "on" : "off";
      inBrowser.set("requests", dataset["requests"]);
    },
  });
  return h("label", { class: "check" }, input, "Requests");
}

function narrow() {
  const text = narrower.value.toLowerCase();
  for (const link of at(".menu").querySelectorAll("li")) {
    link.hidden = !link.dataset["name"]?.toLowerCase().includes(text);
  }
}

/**
 * @param {import("./docs.js").Context} context
 * @param {import("./caller.js").Caller | undefined} caller
 */
export function drawSide({ contract, resource, signOut }, caller) {
  const parts = listed(contract);
  at("#project").textContent = contract.title;
  for (const [part, all] of Object.entries(parts)) {
    const links = all.map((one) =>
      h(
        "li",
        { "data-name": one.many },
        h(
          "a",
          { href: pageAddress(one.path), "aria-current": one === resource ? "page" : undefined },
          one.many,
          one.follows && h("span", { class: "dot", title: "A record: new ones are followed" }),
        ),
        viewList(one),
      )
    );
    at(`#${part} ul`).replaceChildren(...links);
    at(`#${part}`).hidden = part !== "resources" && links.length === 0;
  }
  narrower.hidden = Object.values(parts).flat().length <= MANY;
  narrow();
  at("#foot").replaceChildren(...present([
    ...(caller ? whoAsks(caller, signOut) : []),
    requestsSwitch(),
    h("a", { class: "for-developers", href: `${prefix}/openapi.json` }, "openapi.json"),
    button(["Keys", kbd("?")], { class: "quiet-button", onclick: help }),
  ]));
  menu.ariaExpanded = "false";
}

/** @param {import("./caller.js").Caller} caller @param {() => void} signOut */
const whoAsks = ({ caller, scopes }, signOut) => [
  caller &&
  h(
    "p",
    { class: "scope" },
    h("b", { dir: "auto" }, caller.subject),
    isolated(caller.roles.join(", ")),
  ),
  scopes.length > 0 && !scopes.includes("write") && readOnly(),
  h(
    "a",
    { href: "#/!token" },
    scopes.length > 0 ? "Use another token" : issuer ? "Sign in" : "Token",
  ),
  issuer && token.get() && button("Sign out", { class: "quiet-button", onclick: signOut }),
];

const readOnly = () =>
  h(
    "p",
    { class: "scope" },
    h("b", {}, "Read only"),
    h("span", {}, "This token has no scope ", h("code", {}, "write")),
  );
