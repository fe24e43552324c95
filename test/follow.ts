// One who follows records, as a client does: reads the events of a stream, and comes back where it ended.

export interface Event {
  /** The position after it. */
  id: string;
  event: string;
  // deno-lint-ignore no-explicit-any
  data: any;
}

export interface Following {
  status: number;
  headers: Headers;
  /** The next event; undefined when the stream has ended. */
  next(): Promise<Event | undefined>;
  /** So many events. */
  take(count: number): Promise<Event[]>;
  /** The position that was got last, also without an event. */
  position(): string;
  /** How many comments came. */
  comments(): number;
  /** The whole text so far. */
  text(): string;
  close(): Promise<void>;
}

/** Milliseconds to wait for an event, while comments come: many times what it takes on a busy machine. */
const PATIENCE = 90_000;

/** Follows the body of a response. */
export function following({ status, headers, body }: Response): Following {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  const events: Event[] = [];
  let [text, rest, position, comments, isOver] = ["", "", "", 0, false];

  /** Reads an event stream as the HTML Standard says, section 9.2.6. */
  function take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === "") comments++;
      else fields.set(name, value);
    }
    position = fields.get("id") ?? position;
    const data = fields.get("data");
    if (data === undefined) return;
    events.push({ id: position, event: fields.get("event") ?? "", data: JSON.parse(data) });
  }

  async function next(): Promise<Event | undefined> {
    const until = performance.now() + PATIENCE;
    while (events.length === 0 && !isOver) {
      if (performance.now() > until) throw new Error("Waited in vain for an event");
      const { done, value } = await reader.read();
      isOver = done;
      const piece = decoder.decode(value, { stream: !done });
      text += piece;
      const blocks = (rest + piece).split("\n\n");
      rest = blocks.pop()!;
      blocks.forEach(take);
    }
    return events.shift();
  }

  return {
    status,
    headers,
    next,
    async take(count) {
      const taken: Event[] = [];
      while (taken.length < count) {
        const event = await next();
        if (!event) throw new Error(`The stream ended after ${taken.length} of ${count} events`);
        taken.push(event);
      }
      return taken;
    },
    position: () => position,
    comments: () => comments,
    text: () => text,
    close: () => reader.cancel(),
  };
}
