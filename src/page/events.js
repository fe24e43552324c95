// Server-sent events over fetch, which unlike EventSource can send a token. When the connection ends, it is
// opened again where it ended.
import { authorization, root } from "./client.js";

/** Milliseconds until the next try, unless the stream says otherwise. */
const RETRY = 3000;

/**
 * Hears every event of a stream until the signal aborts, or the token is refused.
 * @param {string} path with the prefix
 * @param {AbortSignal} signal
 * @param {(data: any, isFirst: boolean) => void | Promise<void>} onEvent gets the JSON of each event, one after
 *   the other, and whether it is the newest, with which a stream without a position begins; it gets the event
 *   again if it rejects
 * @param {(isThere: boolean) => void} onConnection told when the connection is there, and when it has ended
 */
export async function listenTo(path, signal, onEvent, onConnection) {
  let position = "";
  let retry = RETRY;
  while (!signal.aborted) {
    let id = "";
    try {
      const response = await fetch(new URL(path, root), {
        headers: {
          ...authorization(),
          accept: "text/event-stream",
          ...(position && { "last-event-id": position }),
        },
        signal,
      });
      if (response.status === 401) return; // the token has run out
      if (response.status === 400) position = ""; // not of this stream: it starts again
      if (response.ok && response.body) {
        onConnection(true);
        for await (const [name, value] of fieldsOf(response.body)) {
          if (name === "id") id = value;
          else if (name === "retry") retry = Number(value);
          else if (name === "data") {
            await onEvent(JSON.parse(value), position === "");
            position = id; // an event that did not arrive whole comes again
          }
        }
      }
    } catch {
      // The connection broke, or the view was left
    }
    if (signal.aborted) return;
    onConnection(false);
    await new Promise((resolve) => setTimeout(resolve, retry));
  }
}

/**
 * The fields of the lines of a stream. An event of this server has its data in one line.
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<[name: string, value: string]>}
 */
async function* fieldsOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, name = "", value = ""] = line.match(/^(\w+): ?(.*?)\r?$/s) ?? [];
        if (name) yield [name, value];
      }
    }
  } finally {
    // What nobody reads on would hold its connection, of which a browser has six; one that broke has none
    await reader.cancel().catch(() => {});
  }
}
