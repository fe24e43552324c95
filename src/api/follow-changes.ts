// Follows what becomes of rows: a stream with an event for each that is created, changed or deleted, with the row as it is
// read when the event is sent. Who may read some rows only, or asks for some, is told when one comes to be among these,
// and when it is no more.
import { everybody } from "../model/caller.ts";
import { changesOf, type ChangeVerb } from "../model/history.ts";
import type { Identifier } from "../model/key.ts";
import type { Call, Resource, Service, Verb } from "../model/model.ts";
import { declaredOf, identifierFrom, keyMembers } from "../model/resource.ts";
import { isNarrowed } from "../model/table.ts";
import {
  type Followed,
  followStatement,
  newestStatement,
  type Place,
} from "../statements/follow.ts";
import { startStatement } from "../statements/history.ts";
import { type Passes, seenStatement } from "../statements/narrow.ts";
import { beforeAll, type Event, eventOf, type RowChange } from "./events.ts";
import {
  MEDIA_TYPE,
  type Sees,
  streamHeaders,
  streaming,
  streamQuery,
  type StreamSource,
} from "./following.ts";
import { judging, narrowing } from "./narrowing.ts";
import { finder } from "./read.ts";

export const followChanges: Verb = {
  name: "followChanges",
  method: "GET",
  mediaTypes: [MEDIA_TYPE],
  operation: ({ name, title }) => ({
    id: `follow${title}Changes`,
    summary: `Follow the ${name}s as they are created, changed and deleted`,
    answer: { status: 200, holds: "changes" },
    problems: [],
  }),
  query: streamQuery,
  headers: streamHeaders,
  statements: (resource) => [
    followStatement(changesOf(resource)),
    newestStatement(changesOf(resource)),
    startStatement(declaredOf(resource)),
    ...isNarrowed(resource) ? [seenStatement(resource)] : [],
  ],
  prepare(resource, _path, service) {
    const source = sourceOf(declaredOf(resource), service);
    return streaming(source, service, seeing(resource, service));
  },
};

/** What the row of a change says. */
interface KeptChange {
  verb: ChangeVerb;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Makes the reader of the changes of a resource, which all who follow share. */
function sourceOf(resource: Resource, service: Service): StreamSource {
  const rows = changesOf(resource);
  const find = finder(resource, service);
  const statement = startStatement(resource);

  async function eventFor({ text, ...place }: Followed & { text: string }): Promise<Event> {
    const { verb, before, after }: KeptChange = JSON.parse(text);
    const id = identifierFrom(resource, (after ?? before)!);
    const read = await find(id, everybody);
    const change = { verb, id, body: read?.body };
    return {
      ...isThereAgain(change) ? nothing(place) : told(resource, place, verb, change),
      change,
    };
  }

  return {
    rows,
    eventsOf: (found) => Promise.all(found.map(eventFor)),
    async start() {
      const [forgotten] = await service.database.run(statement, {});
      return forgotten ?? beforeAll(rows);
    },
  };
}

/** Makes the function that tells how a caller sees changes, if not all as they are: by its rules, and by the filters of
 * its stream. */
function seeing(resource: Resource, service: Service): (call: Call) => Sees | undefined {
  const { view } = resource;
  const { among, passing } = narrowing(declaredOf(resource), service);
  const find = view && finder(resource, service);
  const judge = isNarrowed(resource) ? judging(resource, service) : undefined;
  return ({ query, caller }) => {
    const pass = passing(query);
    if (!pass && !find) return undefined;
    const passNow = among(query);
    const isSeenNow = async (id: Identifier) =>
      (!passNow || (await passNow([String(id)])).size > 0) &&
      (!find || await find(id, caller) !== undefined);
    return async (events) => {
      const passed = await pass?.(events.map(({ place }) => place.id));
      const seen = await Promise.all(events.map(async ({ place, change }) => {
        const { verb, id, body } = change!;
        const all = [passed?.get(place.id), await judge?.(place.id, caller)].filter(isThere);
        const was = verb !== "created" && all.every(({ was }) => was);
        const is = verb !== "deleted" && all.every(({ is }) => is);
        const becomes = is ? was ? "changed" : "created" : was ? "deleted" : undefined;
        if (!becomes || isThereAgain(change!) && await isSeenNow(id)) return [];
        const read = is && find ? (await find(id, caller))?.body : body;
        return [told(resource, place, becomes, { id, body: read })];
      }));
      return seen.flat();
    };
  };
}

/** Whether a row that was deleted is there: it was created again by a change that is told in its place, also before this
 * one, because a create may have its place before it waits for the deletion of a row with the same key. */
function isThereAgain({ verb, body }: RowChange): boolean {
  return verb === "deleted" && body !== undefined;
}

function nothing(place: Place): Event {
  return { place, text: "" };
}

/** The event of what a row becomes; without a text, if it is gone by now. Of one that is deleted, it has the key. */
function told(
  resource: Resource,
  place: Place,
  verb: ChangeVerb,
  { id, body }: Pick<RowChange, "id" | "body">,
): Event {
  const data = verb === "deleted" ? JSON.stringify(keyMembers(resource, id)) : body;
  return data === undefined ? nothing(place) : eventOf(changesOf(resource), place, verb, data);
}

function isThere(passes: Passes | undefined): passes is Passes {
  return passes !== undefined;
}
