// The reference: Swagger UI, adapted to this page by a layout and a plugin. It is large, so it is loaded
// after the forms.
import { authorization, element, root } from "./contract.js";

/**
 * Shows every operation and schema of the contract.
 * @param {HTMLElement} place
 * @param {any} contract
 */
export async function showReference(place, contract) {
  await Promise.all([
    load(element("script", { src: beside("swagger-ui-bundle.js") })),
    load(element("link", { rel: "stylesheet", href: beside("reference.css") })),
  ]);
  const { SwaggerUIBundle } = /** @type {any} */ (globalThis);
  SwaggerUIBundle({
    domNode: place,
    // This server, at the address that was opened
    spec: { ...contract, servers: [{ url: root }] },
    layout: "Reference",
    plugins: [fitted],
    requestInterceptor: (/** @type {any} */ request) => {
      Object.assign(request.headers, authorization());
      return request;
    },
    deepLinking: true,
    syntaxHighlight: { activated: false }, // its colours are for dark backgrounds only
  });
}

/** @param {any} system */
function fitted({ React: { createElement } }) {
  /**
   * Names a control that the renderer leaves without a name.
   * @param {(props: any) => string} name
   */
  const named = (name) => (/** @type {any} */ Original) => (/** @type {any} */ props) =>
    createElement(
      "label",
      {},
      createElement("span", { className: "unseen" }, name(props)),
      createElement(Original, props),
    );
  return {
    components: {
      // Only these two: the page shows the rest itself
      Reference: (/** @type {any} */ { getComponent }) =>
        createElement(
          "div",
          { className: "swagger-ui" },
          createElement(getComponent("operations", true)),
          createElement(getComponent("Models", true)),
        ),
    },
    wrapComponents: {
      // A link and a button do not belong inside the button that opens an operation
      DeepLink: (/** @type {any} */ Original) => (/** @type {any} */ props) =>
        createElement(Original, { ...props, enabled: false }),
      CopyToClipboardBtn: () => () => null,
      authorizeOperationBtn: () => () => null, // the page has one field for the token
      ExamplesSelect: named(() => "Example"),
      JsonSchema_boolean: named(({ description }) => description),
      JsonSchema_string: named(({ description }) => description),
      TextArea: named(() => "Request body"),
    },
  };
}

/** @param {string} file */
const beside = (file) => new URL(file, import.meta.url).href;

/** @param {HTMLElement} asset */
function load(asset) {
  return new Promise((resolve, reject) => {
    asset.addEventListener("load", resolve);
    asset.addEventListener("error", () => reject(new Error("The renderer cannot be loaded")));
    document.head.append(asset);
  });
}
