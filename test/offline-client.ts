// A client that keeps a copy of a resource, works without the net, sends what it wrote when it can, and follows what
// others write. It needs `fetch` alone, and is made to be copied: the chapter "Offline" of the guide explains it.

type Fields = Record<string, unknown>;

/** A row as it is read. Its identifier is a UUID, which the client gives. */
export type Row = Fields & { id: string };

/** A write that has no answer yet. */
export interface Write {
  /** Its Idempotency-Key: the same each time that it is sent, so that it is carried out once. */
  key: string;
  method: "PUT" | "PATCH" | "DELETE";
  id: string;
  fields: Fields;
  /** The tag of the row that it was made for; without it, there was none. */
  tag?: string | undefined;
  /** The tag of the row that its fields were merged with, where that had changed. */
  merged?: string | undefined;
}

/** All that a client has: plain data, to be kept where the device keeps things. */
export interface State {
  /** How far the copy has come; undefined if there is no copy yet. */
  position?: string | undefined;
  copy: Record<string, { row: Row; tag: string }>;
  /** In the order in which they were made. */
  outbox: Write[];
}

export interface Options {
  /** The path of the collection. */
  path: string;
  /** Sends a request to the server, with a token. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Gives the fields to send for a write whose row has been changed meanwhile; undefined drops the write. */
  merge(write: Write, current: Row): Fields | undefined;
  /** Told of each write that the server refuses for good: its row is gone, or the problem says why. */
  lost(write: Write, problem: Fields): void;
  state?: State;
}

export function offlineClient(
  { path, fetch, merge, lost, state = { copy: {}, outbox: [] } }: Options,
) {
  const { outbox } = state;
  let sending: Promise<void> | undefined;
  let reading = Promise.resolve();

  /** The rows as the user left them: those of the copy, with what waits in the outbox. */
  function rows(): Row[] {
    const shown = new Map(Object.entries(state.copy).map(([id, { row }]) => [id, row]));
    for (const { method, id, fields } of outbox) {
      const row = shown.get(id);
      if (method === "DELETE") shown.delete(id);
      else if (row || method === "PUT") shown.set(id, { ...row, ...fields, id });
    }
    return [...shown.values()];
  }

  function write(method: Write["method"], id: string, fields: Fields = {}): void {
    // What comes after another write to the row gets its tag from the answer to that
    const isNext = outbox.some((other) => other.id === id);
    const tag = isNext ? undefined : state.copy[id]?.tag;
    outbox.push({ key: crypto.randomUUID(), method, id, fields, tag });
  }

  /** Sends what waits, in its order. Rejects if some of it has to be sent again; then call it again. */
  function send(): Promise<void> {
    return sending ??= sendAll().finally(() => sending = undefined);
  }

  async function sendAll(): Promise<void> {
    for (let [write] = outbox; write; [write] = outbox) {
      const { id, tag } = write;
      const { problem, found } = await request(write);
      const fields = problem?.current && merge(write, problem.current);
      if (fields) {
        outbox[0] = { ...write, key: crypto.randomUUID(), fields, merged: found };
        continue;
      }
      await refresh([id]); // the answer to what was sent again may be older than the copy
      if (problem && !problem.current) lost(write, problem);
      outbox.shift();
      const next = outbox.find((other) => other.id === id);
      // What was made before a conflict was known is a conflict, too
      if (next) next.tag = problem || write.merged ? tag : found;
    }
  }

  /** Sends a write; gives the tag that its row has now, and the problem if the server refuses it for good. */
  async function request({ key, method, id, fields, tag, merged = tag }: Write) {
    const condition = merged ? { "if-match": merged } : { "if-none-match": "*" };
    const headers = { "content-type": "application/json", "idempotency-key": key, ...condition };
    const body = method === "DELETE" ? null : JSON.stringify(fields);
    const answer = await fetch(`${path}${id}/`, { method, headers, body });
    const text = await answer.text();
    if (isForLater(answer, text)) throw new Error(text);
    const found = answer.headers.get("etag") ?? tag;
    return { problem: answer.ok ? undefined : JSON.parse(text), found };
  }

  /** Makes the copy anew: a position, then the list; what is written meanwhile comes after the position. */
  async function sync(): Promise<void> {
    const stream = events();
    const { value } = await stream.next();
    await stream.return();
    if (!value) throw new Error("The stream has no position yet");
    state.copy = await list();
    state.position = value.position;
  }

  /** Follows what is written, until the stream ends; gives the identifiers of what is to be shown anew. */
  async function* follow(): AsyncGenerator<string[], void> {
    if (state.position === undefined) {
      await sync();
      yield Object.keys(state.copy);
    }
    for await (const { position, ids } of events(state.position)) {
      await refresh(ids);
      state.position = position;
      yield ids;
    }
  }

  /** The events after a position, those at once that come together: how far they go, and which rows they name. */
  async function* events(
    after?: string,
  ): AsyncGenerator<{ position: string; ids: string[] }, void> {
    const headers = { accept: "text/event-stream", ...after && { "last-event-id": after } };
    const answer = await fetch(`${path}changes/`, { headers });
    if (answer.status === 400) state.position = undefined; // older than what the server keeps
    if (!answer.ok || !answer.body) throw new Error(await answer.text());
    let rest = "";
    for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop()!;
      const lines = blocks.join("\n").split("\n");
      const valuesOf = (field: string) =>
        lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length));
      const position = valuesOf("id: ").at(-1);
      const ids = new Set(valuesOf("data: ").map((data) => JSON.parse(data).id as string));
      if (position) yield { position, ids: [...ids] };
    }
  }

  /** Reads rows of the copy again, after those that are being read: so the newest is read last. */
  function refresh(ids: string[]): Promise<void> {
    return reading = reading.catch(() => {}).then(async () => {
      for (let start = 0; start < ids.length; start += 100) { // the most that a list takes
        const some = ids.slice(start, start + 100);
        const found = await list(`&id__in=${some}`);
        for (const id of some) delete state.copy[id];
        Object.assign(state.copy, found);
      }
    });
  }

  /** The rows of a list with their tags, from all its pages. */
  async function list(query = ""): Promise<State["copy"]> {
    const copy: State["copy"] = {};
    let page: string | null = `${path}?limit=200&etags=true${query}`;
    while (page) {
      const answer: Response = await fetch(page);
      if (!answer.ok) throw new Error(await answer.text());
      const { items, etags, next } = await answer.json();
      for (const [place, row] of items.entries()) copy[row.id] = { row, tag: etags[place] };
      page = next;
    }
    return copy;
  }

  return { state, rows, write, send, sync, follow };
}

/** Whether a write is to be sent again as it is. */
function isForLater({ status }: Response, text: string): boolean {
  return [401, 408, 429].includes(status) || status >= 500 ||
    status === 409 && JSON.parse(text).type.endsWith("/in_progress");
}
