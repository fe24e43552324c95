// What the browser keeps for the page. Where a person allows it nothing, access throws, and what was to be kept
// is forgotten when the page is left.

/** @param {() => Storage} open */
function keeper(open) {
  /** @type {Map<string, string>} */
  const held = new Map();
  return {
    /** @param {string} key */
    get(key) {
      try {
        return held.get(key) ?? open().getItem(key);
      } catch {
        return null;
      }
    },
    /**
     * @param {string} key
     * @param {string} value
     */
    set(key, value) {
      held.set(key, value); // where there is no room, the former one is there still
      try {
        open().setItem(key, value);
        held.delete(key);
      } catch {
        // It is held
      }
    },
    /** @param {string} key */
    remove(key) {
      held.delete(key);
      try {
        open().removeItem(key);
      } catch {
        // Nothing was kept
      }
    },
    /** @param {string} start of the keys of all that is removed */
    removeAll(start) {
      const keys = [...held.keys()];
      try {
        keys.push(...Object.keys(open()));
      } catch {
        // Nothing was kept
      }
      for (const key of keys.filter((key) => key.startsWith(start))) this.remove(key);
    },
  };
}

/** Until the tab is closed. */
export const inTab = keeper(() => sessionStorage);

/** Until the person clears it. */
export const inBrowser = keeper(() => localStorage);
