// The one reader of the records of a resource for all who follow them in this process. It reads while somebody
// follows, and keeps what it read last for those who are a little behind.
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import type { Place } from "../statements/follow.ts";
import { type EventPage, type IsBefore, type Piece, pieceOf } from "./events.ts";

/** Bytes of events that are kept. */
const BACKLOG = 2 ** 20;

/** Milliseconds between two looks for records of which no news came. */
const LOOK = 1000;

/** Milliseconds between two looks while some records cannot be read yet. */
export const SOON = 100;

/** Milliseconds between two comments, by which client and server know of each other. */
const HEARTBEAT = 15_000;

/** What the reader has for those who follow. */
export interface Feed {
  /** The first events after a place that are kept; undefined if there are none yet. */
  after(place: Place): Piece | undefined;
  /** The last event that is kept no more. */
  lastDropped(): Place;
  /** How many comments were due so far. */
  heartbeats(): number;
  /** Whether there will be no more events, because all have left, the server ends, or the database is another
   * one. */
  isOver(): boolean;
  /** Resolves when any of this may have changed. */
  change(): Promise<void>;
  /** To be called once, by each who has joined. */
  leave(): void;
}

interface FeedOptions {
  isBefore: IsBefore;
  read(after: Place): Promise<EventPage>;
  /** Calls a function when there may be new records, until the function that it returns is called. */
  subscribe(onNews: () => void): () => void;
  /** Called with whether records wait that cannot be read. */
  observe(isWaiting: boolean): void;
  ending: AbortSignal;
}

/** Makes the function that joins those who follow. A feed begins at the place of the first of them. */
export function feeds(options: FeedOptions): (place: Place) => Feed {
  let feed: Feed & { join(): void } | undefined;
  return (place) => {
    if (!feed || feed.isOver()) feed = startFeed(place, options);
    feed.join();
    return feed;
  };
}

function startFeed(
  start: Place,
  { isBefore, read, subscribe, observe, ending }: FeedOptions,
): Feed & { join(): void } {
  let [lastRead, lastDropped] = [start, start];
  const kept: Piece[] = [];
  let [followers, bytes, heartbeats] = [0, 0, 0];
  let isOver = ending.aborted;
  let isDue = false;
  let wakeReader = () => {};
  let change = Promise.withResolvers<void>();

  function notifyFollowers(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  function lookNow(): void {
    isDue = true;
    wakeReader();
  }

  function end(): void {
    isOver = true;
    lookNow();
    notifyFollowers();
  }

  async function readOn(): Promise<void> {
    const unsubscribe = subscribe(lookNow);
    const heartbeat = setInterval(() => (heartbeats++, notifyFollowers()), HEARTBEAT).unref();
    ending.addEventListener("abort", end);
    while (!isOver) {
      isDue = false;
      const page = await read(lastRead).catch(() => undefined);
      const isWaiting = page?.isWaiting ?? true;
      observe(isWaiting && !isOver);
      if (page?.isKnown === false) end();
      if (page?.piece) keep(page.piece);
      if (!page?.isFull) await pause(page && isWaiting ? SOON : LOOK);
    }
    ending.removeEventListener("abort", end);
    clearInterval(heartbeat);
    unsubscribe();
    observe(false);
  }

  async function pause(milliseconds: number): Promise<void> {
    if (isDue) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wakeReader = resolve;
    const timer = setTimeout(resolve, milliseconds).unref();
    await promise;
    clearTimeout(timer);
  }

  function keep(piece: Piece): void {
    lastRead = piece.last;
    kept.push(piece);
    bytes += piece.bytes.length;
    while (bytes > BACKLOG && kept.length > 1) {
      const dropped = kept.shift()!;
      bytes -= dropped.bytes.length;
      lastDropped = dropped.last;
    }
    notifyFollowers();
  }

  readOn();
  return {
    join: () => void followers++,
    after(place) {
      const next = kept[1 + kept.findLastIndex(({ last }) => !isBefore(place, last))];
      if (!next) return undefined;
      const [first] = next.events;
      if (isBefore(place, first!.place)) return next;
      return pieceOf(next.events.filter((event) => isBefore(place, event.place)));
    },
    lastDropped: () => lastDropped,
    heartbeats: () => heartbeats,
    isOver: () => isOver,
    change: () => change.promise,
    leave() {
      followers--;
      if (followers === 0) end();
    },
  };
}
