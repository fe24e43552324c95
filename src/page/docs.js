// The frame: an address → a view, beside the list of resources. A view is a function in the table `views`
// below. It gets a `Context` and gives at once a `View`: the head, which stays if the rest fails, and a promise
// of the rest. What it throws is shown by the frame: a 401 asks for a token in the place of the rows, any other
// refusal is told with its status.
import { pageAddress, placeOf, viewAt } from "./address.js";
import { mayDo, readCaller } from "./caller.js";
import { readAhead, token } from "./client.js";
import { readContract } from "./contract.js";
import { beginAt, h, isolated, note, present, say } from "./dom.js";
import { bones, failed, unanswered } from "./states.js";
import { keepDraft, keptDraft } from "./drafts.js";
import { drawSide } from "./side.js";
import { finishSignIn, issuer, signIn, signOut } from "./sign-in.js";
import { row } from "./row.js";
import { lastSeen, leaveList, listAddress, requestOfList } from "./trail.js";

/**
 * @typedef {object} View
 * @property {import("./dom.js").Children} head
 * @property {import("./dom.js").Children} [bones] stands for the body where it takes long
 * @property {import("./dom.js").Children | Promise<import("./dom.js").Children>} body
 */

/** @typedef {(context: Context) => View} Draw */

/**
 * What a view gets. `resource` is there in every view but home, token and absent.
 * @typedef {object} Context
 * @property {import("./contract.js").Contract} contract
 * @property {import("./contract.js").Resource} resource
 * @property {string} path that of the request, with the prefix
 * @property {URLSearchParams} query
 * @property {string} view the name after !
 * @property {string} part the identifier of the element to begin at; "" for the whole view
 * @property {string | undefined} identifier that of the row in the path
 * @property {string} list the address of the list that this tab saw last, as it was narrowed and sorted: there one goes
 *   back to
 * @property {Record<string, string>} given what the path of an action has for the names in it
 * @property {(verb: string, resource?: import("./contract.js").Resource) => boolean} may whether there is
 *   such an operation, and the token may do it
 * @property {any} draft what was typed here before somebody signed in, as the view gave it
 * @property {string[] | undefined} saved the fields that were saved just now
 * @property {import("./undo.js").Undo | undefined} undo what takes back what was done just now
 * @property {string | undefined} entered the identifier of the field in which a form is begun
 * @property {boolean} isNext whether the page before this one of a list is where Back leads
 * @property {AbortSignal} signal aborts when the view is left
 * @property {(address: string, state?: object) => void} go to another view; `{ saved: ["price"] }` marks
 *   fields in a row, `{ isNext: true }` is the next page of a list, `{ done: "Deleted: Two" }` is said above,
 *   `{ entered: "field-price" }` has the focus there
 * @property {(address: string, state?: object) => void} leave to another view, from one that is no place to come back
 *   to: Back leads to where one was before it
 * @property {(hasChanges: () => boolean, draft?: () => unknown) => void} guard asks before the view is left with
 *   changes; where there is a draft, it is kept while somebody signs in
 * @property {() => void} again draws the view again
 * @property {(() => void) | undefined} signIn leaves to sign in, and comes back here; undefined where nobody can
 * @property {() => void} signOut forgets who asks, and what they typed
 * @property {(pasted: string) => Promise<boolean>} useToken sends a token from now on; whether the server
 *   knows it
 */

/**
 * The views, each in a file of its own. What they import a browser has, too: all is one script (`assets/joined.ts`).
 * @type {Record<string, (context: Context) => View | Promise<View>>}
 */
const views = {
  row,
  list: async (context) => (await import("./list.js")).listView(context),
  action: async (context) => (await import("./action.js")).actionView(context),
  report: async (context) => (await import("./report.js")).reportView(context),
  unlisted: async (context) => (await import("./unlisted.js")).unlisted(context),
  absent: async (context) => (await import("./absent.js")).absent(context),
  home: async (context) => (await import("./home.js")).home(context),
  token: async (context) => (await import("./token.js")).tokenView(context),
  new: async (context) => (await import("./form.js")).form(context),
  import: async (context) => (await import("./import.js")).importView(context),
  edit: async (context) => (await import("./form.js")).form(context),
  delete: async (context) => (await import("./remove.js")).removeView(context),
  reference: async (context) => (await import("./reference.js")).referenceView(context),
  shared: async (context) => (await import("./shared-rules.js")).sharedRules(context),
  json: async (context) => (await import("./as-json.js")).asJson(context),
};

/** Milliseconds until bones stand where the rest is awaited. */
const PATIENCE = 200;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** @type {import("./contract.js").Contract} */
let contract;
/** @type {import("./caller.js").Caller | undefined} */
let caller;
/**
 * Why nobody was signed in by what the issuer answered; it is told once.
 * @type {string | undefined}
 */
let trouble;
let leaving = new AbortController();
let hasChanges = () => false;
/** @type {(() => unknown) | undefined} */
let draftOf;
/** Offers what was typed here before. @type {HTMLElement | undefined} */
let offered;
/** The address that is shown. */
let shown = "";
/**
 * The place that is shown.
 * @type {import("./address.js").Place | undefined}
 */
let here;
/**
 * What a view that was left leaves to the one that Back leads to.
 * @type {{ address: string, state: object } | undefined}
 */
let brought;
let isFirst = true;

const mayLeave = () => !hasChanges() || confirm("Leave, and lose what you changed?");

async function draw() {
  if (brought) {
    const state = { ...history.state, left: undefined, y: 0, ...brought.state };
    history.replaceState(state, "", brought.address);
    brought = undefined;
  }
  const hash = location.hash;
  if (hash !== shown && !mayLeave()) {
    return history.pushState(null, "", shown || "#/");
  }
  if (hash !== shown) forgetTyped();
  leaving.abort();
  leaving = new AbortController();
  hasChanges = () => false;
  draftOf = undefined;
  const { signal } = leaving;
  const { saved, undo, isNext = false, done, draft, entered, from = shown, ...state } =
    history.state ?? {};
  // What was done is told once, not again after Back
  history.replaceState({ ...state, isNext, from }, "");
  const place = placeOf(contract, hash);
  if (here?.resource && viewAt(here) === "list") leaveList(here.resource, scrollY);
  const { left, y = 0 } = { ...leftAt(place, hash), ...state };
  here = place;
  const isNew = shown !== hash;
  const isSamePlace = shown.split(/[?!]/)[0] === hash.split(/[?!]/)[0];
  shown = hash;
  /** @type {Context} */
  const context = {
    ...place,
    resource: /** @type {import("./contract.js").Resource} */ (place.resource),
    contract,
    list: place.resource ? listAddress(place.resource) : "#/",
    may: (verb, resource = context.resource) => mayDo(caller, resource, verb),
    draft,
    saved,
    undo,
    entered,
    isNext,
    signal,
    go(address, state) {
      if (signal.aborted) return; // an answer that comes after the view was left moves nobody
      hasChanges = () => false;
      forgetTyped();
      history.pushState(state ?? null, "", address);
      draw();
    },
    leave(address, state = {}) {
      if (signal.aborted) return;
      hasChanges = () => false;
      forgetTyped();
      if (from === address) {
        brought = { address, state };
        return history.back();
      }
      history.replaceState({ from, ...state }, "", address);
      draw();
    },
    guard(changes, draft) {
      if (signal.aborted) return;
      hasChanges = changes;
      draftOf = draft;
    },
    again: draw,
    signIn: issuer && leaveFor.bind(undefined, issuer),
    signOut() {
      if (!mayLeave()) return;
      hasChanges = () => false;
      draftOf = undefined;
      signOut();
    },
    useToken,
  };
  drawSide(context, caller);

  /** @type {import("./dom.js").Children} */
  let head = [];
  // The button of another page of a list is left at the end of the one before
  const focused = isSamePlace && !document.activeElement?.matches(".pages .button")
    ? document.activeElement?.id
    : "";
  /** @param {import("./dom.js").Children} rest below the head */
  const put = (rest) => {
    if (signal.aborted) return;
    const above = present([head]);
    const last = /** @type {Node | undefined} */ (above.at(-1));
    if (last?.parentNode !== main) main.replaceChildren(...above);
    // A head that is there stays: somebody may be typing in it already
    while (main.lastChild !== (last ?? null)) main.lastChild?.remove();
    main.append(...present([rest]));
    const names = new Set([main.querySelector("h1")?.textContent, contract.title]);
    document.title = [...names].filter(Boolean).join(" · ");
    if (isNew) scrollTo(0, y);
    if (!enter(entered) && !isFirst) {
      focus(left ? `a[href="${CSS.escape(left)}"]` : focused && `#${CSS.escape(focused)}`);
    }
    isFirst = false;
    // Back scrolls to where the view was left
    if (place.part && !left) beginAt(place.part);
  };
  let timer;
  try {
    // Before the view, whose body is awaited at once
    const back = undo && (await import("./undo.js")).undoButton(context, undo);
    const made = await views[viewAt(place) ?? "absent"]?.(context);
    offered = draft ? undefined : keptDraft(hash, (kept) => {
      history.replaceState({ ...history.state, draft: kept }, "");
      draw();
    });
    head = present([
      made?.head,
      done && note("good", isolated(done), back),
      trouble && note("bad", "Nobody is signed in", h("p", {}, isolated(trouble))),
      offered,
    ]);
    trouble = undefined;
    timer = setTimeout(() => put(made?.bones ?? bones()), PATIENCE);
    put(await made?.body);
  } catch (error) {
    // It is told once the row can be read
    if (!signal.aborted) history.replaceState({ ...history.state, saved, undo, entered }, "");
    put(failed(context, /** @type {Error} */ (error)));
  } finally {
    clearTimeout(timer);
    // After what the view has to say: of the two it is the news
    if (done && !signal.aborted) say(done);
  }
}

/**
 * How a list was left from which one went to its rows, by whatever way one comes back: the row that one comes from, and
 * how far it was scrolled.
 * @param {import("./address.js").Place} place
 * @param {string} hash
 */
function leftAt({ resource }, hash) {
  if (!here || !resource || here.resource !== resource || viewAt(here) === "list") return {};
  const seen = lastSeen(resource);
  if (seen?.address !== hash) return {};
  return { y: seen.y, ...(here.identifier && { left: pageAddress(here.path) }) };
}

/**
 * Begins a form in one of its fields; gives whether it is there.
 * @param {string} [id]
 */
function enter(id = "") {
  const field = document.getElementById(id);
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
  return field !== null;
}

/**
 * Gives the focus to what had it, if that is there again, else to the name of the view.
 * @param {string | undefined} selector
 */
function focus(selector) {
  const { activeElement } = document;
  // Somebody is at work already, or narrows the resources; but the name of the view may have it from the bones
  const isAtWork = main.contains(activeElement)
    ? activeElement?.tagName !== "H1"
    : activeElement?.matches("input");
  if (isAtWork) return;
  const had = selector ? main.querySelector(selector) : null;
  // What is closed now has the focus at what opens it
  const opener = had?.closest("details:not([open])")?.querySelector("summary");
  const found = /** @type {HTMLElement | null} */ (opener ?? had ?? main.querySelector("h1"));
  found?.focus({ preventScroll: true });
  if (had) found?.scrollIntoView({ block: "nearest" });
}

/** @param {import("./sign-in.js").Issuer} issuer */
function leaveFor(issuer) {
  const draft = draftOf?.();
  hasChanges = () => false;
  return signIn(issuer, draft);
}

/** @param {string} pasted */
async function useToken(pasted) {
  token.set(pasted);
  caller = await readCaller(contract.isSecured);
  return caller === undefined || caller.scopes.length > 0;
}

async function start() {
  try {
    await finishSignIn().catch(({ message }) => trouble = message);
    contract = await readContract();
    // The rows do not wait until it is known who asks
    const place = placeOf(contract, location.hash);
    const { resource, query } = place;
    if (resource && viewAt(place) === "list") readAhead(requestOfList(resource, query));
    caller = await readCaller(contract.isSecured);
    // A click on a link, Back and Forward, and an address that was typed
    addEventListener("popstate", draw);
    await draw();
  } catch (error) {
    const failure = /** @type {Error} */ (error);
    main.replaceChildren(
      unanswered("The contract cannot be read", failure, () => location.reload()),
    );
  }
}

// After Back, the focus is where the view was left; this is noted before the link itself goes on
main.addEventListener("click", ({ target }) => {
  const left = /** @type {Element} */ (target).closest("a")?.getAttribute("href");
  if (left?.startsWith("#/")) history.replaceState({ ...history.state, left, y: scrollY }, "");
}, { capture: true });
/** Keeps what is typed, in the place of what is offered. */
function keepTyped() {
  if (!draftOf) return; // nothing can be typed yet
  if (hasChanges()) {
    keepDraft(shown, draftOf());
    offered?.remove();
  } else forgetTyped();
}
/** Of what is offered nobody has said yet that it may go. */
function forgetTyped() {
  if (!offered?.isConnected) keepDraft(shown, undefined);
}
// Whoever changes something without an input leaves in order
for (const event of ["input", "pagehide"]) addEventListener(event, keepTyped);
addEventListener("beforeunload", (event) => hasChanges() && event.preventDefault());
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // what follows # is an address here
  main.focus();
});
start();
