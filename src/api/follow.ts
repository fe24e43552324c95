// Follows records: a stream of server-sent events, one for each record, in an order that is the same for
// everybody.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { batched } from "../db/batch.ts";
import { sqlState } from "../db/errors.ts";
import { Problem, toProblem } from "../errors/problem.ts";
import type { Identifier } from "../model/key.ts";
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
  bytesOf,
  type Event,
  eventOf,
  type EventPage,
  orderOfPlaces,
  pieceOf,
  placeAt,
  positionLine,
} from "./events.ts";
import { feeds } from "./feed.ts";
import { finder } from "./read.ts";
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
    const { readNewest, readAfter, follow } = followingOf(
      resource.view?.declared ?? resource,
      service,
    );
    const find = resource.view && finder(resource, service);
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
        ? follow(start, page, caller.id, isAllowed, find && ((id) => find(id, caller)))
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

/** Those of each resource that somebody follows, whoever does: all share one reader. */
const known = new WeakMap<Service, Map<Resource, ReturnType<typeof following>>>();

function followingOf(resource: Resource, service: Service): ReturnType<typeof following> {
  const those = known.get(service) ?? new Map();
  known.set(service, those);
  const made = those.get(resource) ?? following(resource, service);
  those.set(resource, made);
  return made;
}

/** Finds a record as a caller sees it. */
type FindRecord = (id: Identifier) => Promise<{ body: string } | undefined>;

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
      .map((record) => eventOf(resource, record, record.text!));
    const isFull = records.length === RECORDS || events.length < records.length;
    return { isKnown, isWaiting, isFull, ...contentOf(events) };
  }

  const readAfter = shared(read);
  const readNewest = shared(async (_: null): Promise<EventPage> => {
    const records = await database.run(newest, {});
    const events = records.map((record) => eventOf(resource, record, record.text!));
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
    /** The stream of one who has come to a place, with the page after it; where there are rules, with what `find` finds
     * when it is sent. */
    follow(
      start: Place,
      first: EventPage,
      caller: string,
      isAllowed: Call["isAllowed"],
      find?: FindRecord,
    ) {
      const own = followers.filter((other) => other === caller);
      if (metrics.followers() >= MOST || caller !== "" && own.length >= MOST_OF_ONE) {
        throw new Problem("unavailable", "Too many streams are open");
      }
      followers.push(caller);
      const position = find || first.events.length === 0 ? positionLine(resource, start) : "";
      return streamOf({
        greeting: `${RETRY}${position}\n`,
        start,
        first,
        isBefore,
        read: readAfter,
        join,
        show: ({ bytes, events }) => find ? shownTo(find, resource, events).then(bytesOf) : bytes,
        // Who sees few records has a position to go on from
        comment: (place) => Buffer.from(`${find ? positionLine(resource, place) : ""}:\n\n`),
        mayGoOn: async () => !ending.aborted && await isAllowed(),
        leave: () => void followers.splice(followers.indexOf(caller), 1),
      });
    },
  };
}

/** The events that a caller sees, as it sees them. */
async function shownTo(find: FindRecord, resource: Resource, events: Event[]): Promise<Event[]> {
  const found = await Promise.all(events.map(({ place }) => find(place.id)));
  return found.flatMap((one, index) =>
    one ? [eventOf(resource, events[index]!.place, one.body)] : []
  );
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
