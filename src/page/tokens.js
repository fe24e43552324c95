// The control of a relation to many rows: each candidate that is picked becomes a token, which is removed or,
// where the order is stored, moved: by keys, by dragging, or by typing its place. All are one stop of Tab.
import { combobox } from "./combobox.js";
import { button, h, icon, isolated, unseen } from "./dom.js";

/** @typedef {import("./identifiers.js").Identifier} Identifier */
/** @typedef {{ identifier: Identifier, text: string, element: HTMLElement, handle: HTMLElement }} Token */

/** @param {import("./controls.js").Setting} setting */
export function tokens(setting) {
  const { field, contract, context, id, described, initial, texts, changed, refuse } = setting;
  const { label, target = "", candidates = "", isOrdered } = field;
  /** @type {Token[]} */
  const held = [];
  /**
   * The one that Tab comes to.
   * @type {Token | undefined}
   */
  let current;
  /**
   * The one that is moved, and the place that it came from.
   * @type {{ token: Token, from: number } | undefined}
   */
  let lifted;
  const list = h("ol", {
    class: "tokens held",
    "aria-label": `Picked for ${label}`,
    onfocusin: (/** @type {Event} */ { target }) => enter(tokenOf(target)),
    onclick: (/** @type {Event} */ { target }) => press(tokenOf(target), target),
    onkeydown: onKey,
  });
  const movers = h("p", { class: "hint movers" });
  const keys = unseen("Arrow keys go from one to the next, Delete removes it");
  keys.id = `${id}-keys`;

  const box = combobox({
    id,
    name: label,
    url: candidates,
    target: contract.resource(target),
    context,
    described,
    placeholder: "Add by text",
    nullable: false,
    isOffered: (identifier) => !isHeld(identifier),
    take({ identifier, text }) {
      box.input.value = "";
      const added = /** @type {Identifier} */ (identifier);
      if (isHeld(added)) return announce(`${text} was picked before`);
      texts.set(target, added, text);
      add(added);
      lift(undefined);
      announce(`Added ${text}`);
    },
    edit: changed,
    sends: () => "",
    refuse,
  });

  /** @param {Identifier} identifier */
  const isHeld = (identifier) => held.some((one) => one.identifier === identifier);

  /** @param {EventTarget | null} target */
  const tokenOf = (target) =>
    held.find(({ element }) => element.contains(/** @type {Node} */ (target)));

  /**
   * Says what has happened once the box has closed, and so has said all that it had to.
   * @param {string} words
   */
  function announce(words) {
    queueMicrotask(() =>
      box.say(`${words}; sends [${held.map((one) => JSON.stringify(one.identifier)).join(", ")}]`)
    );
    changed();
  }

  /** @param {Identifier} identifier */
  function add(identifier) {
    const text = texts.get(target, identifier);
    const handle = button([isolated(text), h("code", {}, String(identifier))], {
      class: "handle",
      tabindex: "-1",
      "aria-describedby": keys.id,
      "aria-pressed": isOrdered && "false",
    });
    // Delete does the same as the cross, where there is no pointer
    const attributes = { class: "icon-button", tabindex: "-1", "aria-label": `Remove ${text}` };
    const element = h("li", { class: "token" }, handle, button(icon("x"), attributes));
    const token = { identifier, text, element, handle };
    held.push(token);
    list.append(element);
    if (!current) enter(token);
  }

  /** @param {Token | undefined} token */
  function enter(token) {
    if (current) current.handle.tabIndex = -1;
    current = token;
    if (current) current.handle.tabIndex = 0;
  }

  /** @param {Token} token */
  function remove(token) {
    const index = held.indexOf(token);
    held.splice(index, 1);
    token.element.remove();
    lift(undefined);
    box.close();
    enter(held[Math.min(index, held.length - 1)]);
    // The focus was in what is gone, or in the field
    (current?.handle ?? box.input).focus();
    announce(`Removed ${token.text}`);
  }

  /**
   * @param {Token} token
   * @param {number} place that among the others; before the first it is the first, behind the last the last
   */
  function move(token, place) {
    const from = held.indexOf(token);
    const to = Math.max(0, Math.min(place, held.length - 1));
    if (from === to) return;
    held.splice(from, 1);
    list.insertBefore(token.element, held[to]?.element ?? null);
    held.splice(to, 0, token);
    tell();
    announce(`${token.text} is number ${to + 1} of ${held.length}`);
  }

  /**
   * What a click does: the cross removes; the rest lifts a token, to move it, or puts it down.
   * @param {Token | undefined} token
   * @param {EventTarget | null} target
   */
  function press(token, target) {
    if (!token) return;
    if (!token.handle.contains(/** @type {Node} */ (target))) remove(token);
    else if (isOrdered) lift(lifted?.token === token ? undefined : token);
  }

  /** @param {Token | undefined} token undefined puts down what is moved */
  function lift(token) {
    if (lifted) lifted.token.handle.ariaPressed = "false";
    lifted = token && { token, from: held.indexOf(token) };
    if (token) token.handle.ariaPressed = "true";
    movers.replaceChildren();
    tell();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const token = tokenOf(event.target);
    if (!token || event.altKey || event.ctrlKey || event.metaKey) return;
    const from = lifted?.token === token ? lifted.from : undefined;
    const at = held.indexOf(token);
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      Home: 0,
      End: held.length - 1,
      ...(from !== undefined && { Escape: from }),
    };
    const place = places[event.key];
    if (event.key === "Delete" || event.key === "Backspace") remove(token);
    else if (place === undefined) return;
    else if (from === undefined) held[place]?.handle.focus();
    else {
      move(token, place);
      token.handle.focus(); // which went with its place
      if (event.key === "Escape") lift(undefined);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Says how tokens are moved; where one is lifted, has what moves it by the pointer, and by its place. */
  function tell() {
    const moves = isOrdered && held.length > 1;
    list.classList.toggle("moves", moves);
    if (!moves || !lifted) {
      return movers.replaceChildren(moves ? "Press one to move it, or drag it." : "");
    }
    if (!movers.querySelector("input")) movers.replaceChildren(...moversOf(lifted.token));
    const [place] = movers.getElementsByTagName("input");
    if (place) place.value = String(held.indexOf(lifted.token) + 1);
  }

  /** @param {Token} token */
  function moversOf(token) {
    /** @param {(Node | string)[]} words @param {number} step */
    const mover = (words, step) =>
      button(words, {
        class: "quiet-button",
        onclick() {
          move(token, held.indexOf(token) + step);
          token.element.scrollIntoView({ block: "nearest" });
        },
      });
    const place = h("input", {
      inputmode: "numeric",
      autocomplete: "off",
      onchange() {
        if (/^ *[1-9]\d* *$/.test(place.value)) move(token, Number(place.value) - 1);
        tell();
      },
      onkeydown(/** @type {KeyboardEvent} */ event) {
        if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
        event.preventDefault(); // it sends no form
        token.handle.focus(); // the place is another then
      },
    });
    return [
      mover([icon("left"), "Earlier"], -1),
      mover(["Later", icon("right")], 1),
      h("label", {}, "place ", place, ` of ${held.length}`),
      "or the arrow keys",
    ];
  }

  for (const identifier of initial ?? []) add(identifier);
  tell();
  if (isOrdered) {
    import("./drag.js").then(({ dragging }) =>
      dragging(list, (from, to) => move(/** @type {Token} */ (held[from]), to))
    );
  }
  box.input.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey) return;
    const last = held.at(-1);
    // A key that is held down for longer than the text removes no token
    if (event.key === "Backspace" && box.input.value === "" && last && !event.repeat) {
      remove(last);
      box.input.focus();
    }
  });

  return {
    ...box,
    parts: [list, movers, keys, ...box.parts],
    /** The identifiers to send. */
    value: () => held.map(({ identifier }) => identifier),
    /** @param {string} index */
    nameOf: (index) => held[Number(index)]?.text,
  };
}
