// The stream of one who follows: first what was missed, read for it alone, then what the feed has. It goes on
// when the client has taken what came before, so that nothing gathers here.
import { Buffer } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import type { Place } from "../statements/follow.ts";
import type { EventPage, IsBefore, Piece } from "./events.ts";
import { type Feed, SOON } from "./feed.ts";

interface StreamOptions {
  /** What it begins with. */
  greeting: string;
  /** The place that the client has come to, and the page after it. */
  start: Place;
  first: EventPage;
  isBefore: IsBefore;
  read(after: Place): Promise<EventPage>;
  join(place: Place): Feed;
  /** What the client gets of some events; no bytes if it sees none of them. */
  show(piece: Piece): Bytes | Promise<Bytes>;
  /** The comment by which client and server know of each other. */
  comment(place: Place): Bytes;
  /** Whether it may still go on: the server may end, or a token have been revoked. */
  mayGoOn(): Promise<boolean>;
  /** Called when it ends. */
  leave(): void;
}

type Bytes = Uint8Array<ArrayBuffer>;

export function streamOf(
  { greeting, start, first, isBefore, read, join, show, comment, mayGoOn, leave }: StreamOptions,
): ReadableStream<Bytes> {
  let place = start;
  let page: EventPage | false = first;
  let feed: Feed | undefined;
  let isOver = false;

  function end(): void {
    if (isOver) return;
    isOver = true;
    feed?.leave();
    leave();
  }

  async function* events(): AsyncGenerator<Bytes> {
    yield Buffer.from(greeting);
    yield* missed();
    page = false; // not kept in memory: the stream may last for days
    if (feed) yield* live(feed);
  }

  /** Reads page by page, until the feed still has all that comes next. */
  async function* missed(): AsyncGenerator<Bytes> {
    /** The last event that the feed had dropped before the page was read. */
    let lastDropped = start;
    for (; page && page.isKnown && !isOver; page = await nextPage()) {
      if (page.piece) {
        place = page.piece.last;
        const bytes = await show(page.piece);
        yield bytes.length > 0 ? bytes : comment(place);
      } else if (isBefore(place, lastDropped)) {
        // What is between may come when it can be read; else it is gone from the table
        if (page.isWaiting) await delay(SOON, undefined, { ref: false });
        else place = lastDropped;
      }
      if (page.isFull || isOver) continue;
      feed = join(place);
      lastDropped = feed.lastDropped();
      if (!isBefore(place, lastDropped)) return;
      feed.leave(); // it went on meanwhile
      feed = undefined;
    }
  }

  async function nextPage(): Promise<EventPage | false> {
    return await mayGoOn() && await read(place);
  }

  async function* live(feed: Feed): AsyncGenerator<Bytes> {
    let heartbeats = feed.heartbeats();
    // Who is too slow is cut off
    while (!isOver && !feed.isOver() && !isBefore(place, feed.lastDropped())) {
      const piece = feed.after(place);
      if (feed.heartbeats() > heartbeats) {
        heartbeats = feed.heartbeats();
        if (!await mayGoOn()) return;
        yield comment(place);
      } else if (piece) {
        place = piece.last;
        yield show(piece);
      } else await feed.change();
    }
  }

  const source = events();
  return new ReadableStream({
    async pull(controller) {
      let next;
      do {
        next = await source.next().catch((error) => {
          end();
          throw error;
        });
      } while (next.value?.length === 0); // in a body in chunks, an empty one would be the last
      if (!next.done) return controller.enqueue(next.value);
      end();
      controller.close();
    },
    cancel: end,
  }, { highWaterMark: 0 });
}
