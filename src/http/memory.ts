// A bounded memory of what is known for some time.

interface Kept<Value> {
  value: Value;
  until: number;
}

export interface Memory<Value> {
  get(key: string): Value | undefined;
  /** Keeps a value until a time on the clock of `performance.now()`. */
  set(key: string, value: Value, until: number): void;
  clear(): void;
}

/** Makes a memory of at most so many values. Those that were not used for longest go, half of them at a time: to keep
 * their whole order would cost more than the rest of a look. */
export function memory<Value>(most: number): Memory<Value> {
  let used = new Map<string, Kept<Value>>();
  let unused = new Map<string, Kept<Value>>(); // since there are so many in `used`

  function use(key: string, kept: Kept<Value>): void {
    if (used.size >= most / 2) [used, unused] = [new Map(), used];
    unused.delete(key);
    used.set(key, kept);
  }

  return {
    get(key) {
      const recent = used.get(key);
      const found = recent ?? unused.get(key);
      if (!found || found.until <= performance.now()) return undefined;
      if (!recent) use(key, found);
      return found.value;
    },
    set: (key, value, until) => use(key, { value, until }),
    clear() {
      used.clear();
      unused.clear();
    },
  };
}
