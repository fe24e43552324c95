// Dragging an element of a list to another place in it: with a mouse at once, with a finger that rested on it, because
// one that does not scrolls. A line shows where it will stand; Escape gives up.

/** Pixels that a mouse goes before it drags, and that a finger that rests may tremble. */
const SLACK = 5;

/** Milliseconds that a finger rests on what it will drag. */
const REST = 300;

/** Pixels from an edge of the window from where on it scrolls, and how far it does in a frame. */
const MARGIN = 80;
const STEP = 12;

/**
 * @param {HTMLElement} list
 * @param {(from: number, to: number) => void} drop to a place among the others, counted without it
 */
export function dragging(list, drop) {
  let isDragging = false;
  /** Whether the last press became a drag: the click at its end presses nothing. */
  let wasDrag = false;

  list.addEventListener("pointerdown", (event) => {
    const handle = /** @type {Element} */ (event.target).closest(".handle");
    wasDrag = false;
    if (handle && event.button === 0 && list.children.length > 1) {
      hold(/** @type {Element} */ (handle.parentElement), event);
    }
  });
  list.addEventListener("click", (event) => wasDrag && event.stopPropagation(), { capture: true });
  // These have to be there before the finger is
  for (const name of ["touchmove", "contextmenu"]) {
    list.addEventListener(name, (event) => isDragging && event.preventDefault(), {
      passive: false,
    });
  }

  /** @param {Element} element @param {PointerEvent} pressed */
  function hold(element, pressed) {
    const over = new AbortController();
    const { signal } = over;
    const all = [...list.children];
    const others = all.filter((one) => one !== element);
    const from = all.indexOf(element);
    const rest = pressed.pointerType === "mouse" ? undefined : setTimeout(start, REST);
    let at = pressed;
    let to = from;
    /** @type {Element | undefined} */
    let marked;

    function start() {
      isDragging = wasDrag = true;
      list.setPointerCapture(pressed.pointerId);
      element.classList.add("dragged");
      scroll();
    }
    function end() {
      clearTimeout(rest);
      over.abort();
      isDragging = false;
      element.classList.remove("dragged");
      unmark();
    }
    const unmark = () => marked?.classList.remove("line-before", "line-after");

    /** Shows where it would stand: beside the one that is nearest. */
    function track() {
      const { clientX: x, clientY: y } = at;
      const boxes = others.map((one) => one.getBoundingClientRect());
      const distances = boxes.map(({ left, right, top, bottom }) =>
        // What is in the same line is nearer than any in another
        Math.max(top - y, 0, y - bottom) * innerWidth + Math.max(left - x, 0, x - right)
      );
      const index = distances.indexOf(Math.min(...distances));
      const { left, width } = /** @type {DOMRect} */ (boxes[index]);
      const isAfter = x > left + width / 2;
      to = isAfter ? index + 1 : index;
      unmark();
      marked = others[index];
      marked?.classList.add(isAfter ? "line-after" : "line-before");
    }

    function scroll() {
      if (signal.aborted) return;
      const isBelow = at.clientY > innerHeight - MARGIN;
      if (isBelow || at.clientY < MARGIN) {
        scrollBy(0, isBelow ? STEP : -STEP);
        track();
      }
      requestAnimationFrame(scroll);
    }

    document.addEventListener("pointermove", (event) => {
      const { clientX, clientY } = at = event;
      const isFar = Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) > SLACK;
      if (!isDragging && isFar && rest !== undefined) return end(); // it scrolls
      if (!isDragging && isFar) start();
      if (isDragging) track();
    }, { signal });
    document.addEventListener("pointerup", () => {
      if (isDragging) drop(from, to);
      end();
    }, { signal });
    document.addEventListener("pointercancel", end, { signal });
    document.addEventListener("keydown", (event) => {
      if (!isDragging || event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      end();
    }, { signal, capture: true });
  }
}
