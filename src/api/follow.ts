// Follows records: a stream with an event for each, in an order that is the same for everybody.
import type { Verb } from "../model/model.ts";
import { declaredOf } from "../model/resource.ts";
import { followStatement, newestStatement } from "../statements/follow.ts";
import { beforeAll, eventOf } from "./events.ts";
import {
  MEDIA_TYPE,
  type Sees,
  streamHeaders,
  streaming,
  streamQuery,
  type StreamSource,
} from "./following.ts";
import { narrowing } from "./narrowing.ts";
import { finder } from "./read.ts";

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
  query: streamQuery,
  headers: streamHeaders,
  statements: (resource) => [followStatement(resource), newestStatement(resource)],
  prepare(resource, _path, service) {
    const rows = declaredOf(resource);
    const source: StreamSource = {
      rows,
      eventsOf: (found) => found.map((each) => eventOf(rows, each, rows.name, each.text)),
      start: () => beforeAll(rows),
    };
    const find = resource.view && finder(resource, service);
    const { among } = narrowing(rows, service);
    return streaming(source, service, ({ query, caller }): Sees | undefined => {
      const pass = among(query);
      if (!pass && !find) return undefined;
      return async (events) => {
        const passed = await pass?.(events.map(({ place }) => place.id));
        const those = events.filter(({ place }) => !passed || passed.has(place.id));
        if (!find) return those;
        const found = await Promise.all(those.map(({ place }) => find(place.id, caller)));
        return those.flatMap(({ place }, index) =>
          found[index] ? [eventOf(rows, place, rows.name, found[index].body)] : []
        );
      };
    });
  },
};
