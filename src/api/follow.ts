// Follows records: a stream of server-sent events, one for each record, in an order that is the same for
// everybody.
import * as v from "valibot";
import { batched } from "../db/batch.ts";
import { sqlState } from "../db/errors.ts";
import { Problem, toProblem } from "../errors/problem.ts";
import type { Call, Resource, Service, Verb } from "../model/model.ts";
import {
  type Followed,
  followStatement,
  newestStatement,
  type Place,
  RECORDS,
} from "../statements/follow.ts";
import {
  beforeAll,
  type Event,
  eventOf,
  type EventPage,
  orderOfPlaces,
  pieceOf,
  placeAt,
  positionLine,
} from "./events.ts";
import { feeds } from "./feed.ts";
import { streamOf } from "./stream.ts";

const MEDIA_TYPE = "text/event-stream";

/** The header in which a client says how far it has come. */
const LAST_EVENT_ID = "Last-Event-ID";

/** When to come back, in milliseconds: another instance may be there at once. */
const RETRY = "retry: 1000\n";

/** The most streams in this process, and of one caller and resource. */
const [MOST, MOST_OF_ONE] = [10_000, 1000];

/** The most pages that are read at once for those who come back. */
const READS = 2;

export const follow: Verb = {
  name: "follow",
  method: "GET",
  mediaTypes: [MEDIA_TYPE],
  operation: ({ name, title }) => ({
    id: `follow${title}s`,
    summary: `Follow the ${name}s as they are created`,
    answer: { status: 200, holds: "stream" },
    problems: [],
  }),
  query: () => ({
    after: v.pipe(
      v.string(),
      v.metadata({ description: "The `id` of the event after which a stream goes on" }),
    ),
  }),
  headers: {
    [LAST_EVENT_ID]: v.pipe(
      v.string(),
      v.metadata({
        description: "The `id` of the last event that the client got; it overrides `after`",
      }),
      v.transform((position) => [position]),
    ),
  },
  statements: (resource) => [followStatement(resource), newestStatement(resource)],
  prepare(resource, _path, service) {
    const { readNewest, readAfter, follow } = following(resource, service);
    return async ({ query, headers, caller, isAllowed }) => {
      const [last = ""] = headers[LAST_EVENT_ID] ?? [];
      const position = last || query["after"];
      const start = position === undefined
        ? beforeAll(resource)
        : placeAt(resource, String(position));
      const read = position === undefined ? readNewest(null) : start && readAfter(start);
      const page = await read?.catch((error) => {
        if (!isAway(error)) throw error;
      });
      if (!start || page?.isKnown === false) throw foreign(last !== "");
      // A browser comes back where a stream ends, and never where it is refused
      const stream = page
        ? follow(start, page, caller.id, isAllowed)
        : new Blob([`${RETRY}\n`]).stream();
      return { status: 200, stream, mediaType: MEDIA_TYPE };
    };
  },
};

/** Whether the same read may succeed later: the table has the columns, and this is no standby. */
function isAway(error: unknown): boolean {
  return toProblem(error).code === "unavailable" && !/^(25|42)/.test(sqlState(error));
}

function foreign(isHeader: boolean): Problem {
  const name = isHeader ? `header "${LAST_EVENT_ID}"` : 'query parameter "after"';
  const detail = `The ${name} has no position of this stream: start again without it`;
  return new Problem(isHeader ? "invalid_header" : "invalid_parameter", detail);
}

/** Makes the reads that those who follow a resource share in this process, and the function that makes their
 * streams. */
function following(resource: Resource, { database, news, ending, metrics }: Service) {
  const statement = followStatement(resource);
  const newest = newestStatement(resource);
  /** Who they are. */
  const followers: string[] = [];
  let waitingSince: number | undefined;

  async function read(after: Place): Promise<EventPage> {
    const rows = await database.run(statement, after);
    const { isKnown, isWaiting } = rows[0]!;
    const records = rows.filter(({ id }) => id !== null) as Followed[];
    const events = records.filter(({ text }) => text !== null)
      .map((record) => eventOf(resource, record));
    const isFull = records.length === RECORDS || events.length < records.length;
    return { isKnown, isWaiting, isFull, ...contentOf(events) };
  }

  const readAfter = shared(read);
  const readNewest = shared(async (_: null): Promise<EventPage> => {
    const records = await database.run(newest, {});
    const events = records.map((record) => eventOf(resource, record));
    return { isKnown: true, isWaiting: false, isFull: false, ...contentOf(events) };
  });

  const isBefore = orderOfPlaces(resource);
  const join = feeds({
    isBefore,
    read,
    subscribe: (onNews) => news.subscribe(resource.name, onNews),
    observe(isWaiting) {
      waitingSince = isWaiting ? waitingSince ?? performance.now() : undefined;
    },
    ending,
  });

  metrics.follows(resource.name, () => ({
    followers: followers.length,
    delay: waitingSince === undefined ? 0 : (performance.now() - waitingSince) / 1000,
  }));

  return {
    readAfter,
    readNewest,
    /** The stream of one who has come to a place, with the page after it. */
    follow(start: Place, first: EventPage, caller: string, isAllowed: Call["isAllowed"]) {
      const own = followers.filter((other) => other === caller);
      if (metrics.followers() >= MOST || caller !== "" && own.length >= MOST_OF_ONE) {
        throw new Problem("unavailable", "Too many streams are open");
      }
      followers.push(caller);
      const position = first.events.length === 0 ? positionLine(resource, start) : "";
      return streamOf({
        greeting: `${RETRY}${position}\n`,
        start,
        first,
        isBefore,
        read: readAfter,
        join,
        mayGoOn: async () => !ending.aborted && await isAllowed(),
        leave: () => void followers.splice(followers.indexOf(caller), 1),
      });
    },
  };
}

function contentOf(events: Event[]): Pick<EventPage, "events" | "piece"> {
  return { events, piece: events.length > 0 ? pieceOf(events) : undefined };
}

/** Makes a read of which only a few run at once; all who ask for the same before it begins share it. */
function shared<Key>(read: (key: Key) => Promise<EventPage>): (key: Key) => Promise<EventPage> {
  const waiting = new Map<string, Promise<EventPage>>();
  const readOne = batched(
    async ([key]: Key[]) => {
      waiting.delete(JSON.stringify(key));
      return [await read(key!)];
    },
    { size: 1, inFlight: READS, observe() {} },
  );
  return (key) => {
    const text = JSON.stringify(key);
    const known = waiting.get(text);
    if (known) return known;
    const { promise, resolve } = Promise.withResolvers<EventPage>();
    waiting.set(text, promise); // the read may begin at once
    resolve(readOne(key));
    return promise;
  };
}
