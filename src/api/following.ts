// Streams of server-sent events, one for each row of a resource, in an order that is the same for everybody. Those who
// follow a resource in this process share what is read.
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { batched } from "../db/batch.ts";
import { sqlState } from "../db/errors.ts";
import { Problem, toProblem } from "../errors/problem.ts";
import type { Call, Handler, Header, Parameter, Resource, Service } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { ownFilters } from "../statements/filter.ts";
import {
  type Followed,
  followStatement,
  newestStatement,
  type Place,
  RECORDS,
} from "../statements/follow.ts";
import {
  bytesOf,
  type Event,
  type EventPage,
  orderOfPlaces,
  pieceOf,
  placeAt,
  positionLine,
} from "./events.ts";
import { feeds } from "./feed.ts";
import { streamOf } from "./stream.ts";

export const MEDIA_TYPE = "text/event-stream";

/** The header in which a client says how far it has come. */
const LAST_EVENT_ID = "Last-Event-ID";

/** The position before all that is kept. */
const START = "start";

/** When to come back, in milliseconds: another instance may be there at once. */
const RETRY = "retry: 1000\n";

/** The most streams in this process, and of one caller and resource. */
const [MOST, MOST_OF_ONE] = [10_000, 1000];

/** The most pages that are read at once for those who come back. */
const READS = 2;

const after: Parameter = v.pipe(
  v.string(),
  v.metadata({
    description:
      `The \`id\` of the event after which a stream goes on; \`${START}\` for all that is kept`,
  }),
);

/** The query parameters of a stream: where it goes on, and the filters by columns of the row. */
export function streamQuery(resource: Resource): Record<string, Parameter> {
  return { after, ...mapValues(ownFilters(resource), ({ parameter }) => parameter) };
}

export const streamHeaders: Record<string, Header> = {
  [LAST_EVENT_ID]: v.pipe(
    v.string(),
    v.metadata({
      description: "The `id` of the last event that the client got; it overrides `after`",
    }),
    v.transform((position) => [position]),
  ),
};

/** What a stream tells of the rows of a resource. */
export interface StreamSource {
  rows: Resource;
  /** Their events, in their order: one each, without a text if there is nothing to tell. */
  eventsOf(rows: (Followed & { text: string })[]): Event[] | Promise<Event[]>;
  /** The place before all that is kept. */
  start(): Place | Promise<Place>;
}

/** What of some events one who follows gets. */
export type Sees = (events: Event[]) => Promise<Event[]>;

/** Makes the handler of a stream. A call may see its events otherwise than all do. */
export function streaming(
  source: StreamSource,
  service: Service,
  seesOf: (call: Call) => Sees | undefined,
): Handler {
  const { readNewest, readAfter, follow } = followingOf(source, service);
  const { rows } = source;

  /** Where a stream begins, and the page from there; undefined if the position is none that it still has. */
  async function begin(
    position: string | undefined,
    sees: Sees | undefined,
  ): Promise<{ start: Place; page: EventPage } | undefined> {
    if (position === undefined) {
      const page = await readNewest(null);
      const start = page.piece?.last ?? await source.start();
      const isSeen = await canBeSeen(page, sees);
      return { start, page: isSeen ? page : { ...page, ...contentOf([]) } };
    }
    const start = position === START ? await source.start() : placeAt(rows, position);
    const page = start && await readAfter(start);
    if (!page?.isKnown || !await canBeSeen(page, sees)) return undefined;
    return { start: start!, page };
  }

  return async (call) => {
    const [last = ""] = call.headers[LAST_EVENT_ID] ?? [];
    const sees = seesOf(call);
    const begun = await begin(last || call.query["after"] as string | undefined, sees)
      .catch((error) => {
        if (isAway(error)) return "away" as const;
        throw error;
      });
    if (!begun) throw foreign(last !== "", rows);
    // A browser comes back where a stream ends, and never where it is refused
    const stream = begun === "away"
      ? new Blob([`${RETRY}\n`]).stream()
      : follow(begun.start, begun.page, call, sees);
    return { status: 200, stream, mediaType: MEDIA_TYPE };
  };
}

/** Whether it can be told what one who follows sees of a page. Since a migration, columns may not hold what they held at the
 * time of a change. */
async function canBeSeen({ events }: EventPage, sees: Sees | undefined): Promise<boolean> {
  try {
    await sees?.(events);
    return true;
  } catch (error) {
    if (/^2[23]/.test(sqlState(error))) return false;
    throw error;
  }
}

/** Whether the same read may succeed later: the table has the columns, and this is no standby. */
function isAway(error: unknown): boolean {
  return toProblem(error).code === "unavailable" && !/^(25|42)/.test(sqlState(error));
}

function foreign(isHeader: boolean, { changesOf }: Resource): Problem {
  const name = isHeader ? `header "${LAST_EVENT_ID}"` : 'query parameter "after"';
  const which = changesOf ? "that this stream still has" : "of this stream";
  const detail = `The ${name} has no position ${which}: start again without it`;
  return new Problem(isHeader ? "invalid_header" : "invalid_parameter", detail);
}

/** Those of each resource that somebody follows, whoever does: all share one reader. */
const known = new WeakMap<Service, Map<Resource, ReturnType<typeof following>>>();

function followingOf(source: StreamSource, service: Service): ReturnType<typeof following> {
  const those = known.get(service) ?? new Map();
  known.set(service, those);
  const made = those.get(source.rows) ?? following(source, service);
  those.set(source.rows, made);
  return made;
}

/** Makes the reads that those who follow a resource share in this process, and the function that makes their
 * streams. */
function following({ rows: resource, eventsOf }: StreamSource, service: Service) {
  const { database, news, ending, metrics } = service;
  const statement = followStatement(resource);
  const newest = newestStatement(resource);
  /** Who they are. */
  const followers: string[] = [];
  let waitingSince: number | undefined;

  async function read(after: Place): Promise<EventPage> {
    const found = await database.run(statement, after);
    const { isKnown, isWaiting } = found[0]!;
    const rows = found.filter(({ id }) => id !== null) as Followed[];
    const events = await eventsOf(rows.filter(hasText));
    const isFull = rows.length === RECORDS || events.length < rows.length;
    return { isKnown, isWaiting, isFull, ...contentOf(events) };
  }

  const readAfter = shared(read);
  const readNewest = shared(async (_: null): Promise<EventPage> => {
    const rows = await database.run(newest, {});
    const events = await eventsOf(rows.filter(hasText));
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
    follow(
      start: Place,
      first: EventPage,
      { caller: { id: caller }, isAllowed }: Call,
      sees: Sees | undefined,
    ) {
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
        show: ({ bytes, events }) => sees ? sees(events).then(bytesOf) : bytes,
        // Who is told of few events has a position to go on from
        comment: (place) => Buffer.from(`${positionLine(resource, place)}:\n\n`),
        mayGoOn: async () => !ending.aborted && await isAllowed(),
        leave: () => void followers.splice(followers.indexOf(caller), 1),
      });
    },
  };
}

function hasText(row: Followed): row is Followed & { text: string } {
  return row.text !== null;
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
