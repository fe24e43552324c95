// Lists: filtered, sorted, counted, one page at a time.
import * as v from "valibot";
import type { Value } from "../db/sql.ts";
import type { Caller } from "../model/caller.ts";
import { claimValues } from "../model/claim.ts";
import type { Answer, Query, Resource, Service, Verb } from "../model/model.ts";
import type { Options } from "../model/options.ts";
import { mapValues } from "../model/record.ts";
import { checkedOptions, word } from "../model/word.ts";
import { filtersOf, type ListFilter } from "../statements/filter.ts";
import { leadingClaim, type ListForm, pageStatement, pageStatements } from "../statements/list.ts";
import { keySort, mayLack, type Sort, sortsOf, type Start } from "../statements/sort.ts";
import * as page from "./page.ts";

/** Lists rows, those of `sort` first for requests that name no order. */
export const list = word((options: Options["list"] = {}): Verb => {
  const { sort } = checkedOptions("list", options);
  const usualOf = (resource: Resource) => sort ?? keySort(resource);
  return {
    name: "list",
    method: "GET",
    packed: true,
    operation: ({ name, title }) => ({
      id: `list${title}s`,
      summary: `List the ${name}s`,
      answer: { status: 200, holds: "list" },
      problems: [],
    }),
    query: (resource) => {
      const sorts = Object.keys(sortsOf(resource));
      const usual = usualOf(resource);
      if (!sorts.includes(usual)) {
        throw new Error(`list takes as "sort" one of ${sorts.join(", ")}, not "${usual}"`);
      }
      return {
        limit: page.limit,
        cursor: page.cursor,
        sort: v.pipe(
          v.picklist(sorts, `one of ${sorts.join(", ")}`),
          v.metadata({ default: usual, description: "The order; a minus reads it backwards" }),
        ),
        count: page.count,
        etags: page.etags,
        ...mapValues(filtersOf(resource), ({ parameter }) => parameter),
      };
    },
    statements: (resource) =>
      typicalForms(resource, usualOf(resource)).map((form) => pageStatement(resource, form)),
    prepare(resource, path, service) {
      const listRows = lister(resource, service, usualOf(resource));
      const from = service.prefix + path;
      return ({ query, caller }) => listRows({ from, query, caller });
    },
  };
});

/** A page of a list. */
interface Asked {
  /** The path of the list. */
  from: string;
  query: Query;
  /** What narrows the list besides, by the filters of the resource. */
  within?: Query;
  caller: Caller;
}

/** Makes the function that answers with a page of rows, those of the sort `usual` first unless the query names one. */
export function lister(
  resource: Resource,
  { database }: Pick<Service, "database">,
  usual: string,
): (asked: Asked) => Promise<Answer & { body: string }> {
  const sorts = sortsOf(resource);
  const filters = Object.entries(filtersOf(resource));
  const statementOf = pageStatements(resource);
  const keySchemas = page.keySchemas(resource.identifiers.stored);
  const claim = leadingClaim(resource);
  const hasOneClaim = (caller: Caller) =>
    claim !== undefined &&
    (claimValues({ slots: [claim] }, caller)[claim.slot] as Value[]).length === 1;
  return async ({ from, query, within, caller }) => {
    const sort = sorts[String(query["sort"] ?? usual)]!;
    const identity = page.identify(from, { sort: usual, ...query });
    const after = page.cursorKey<page.CursorKey>(identity, query, keySchemas[schemaOfKey(sort)]);
    const isCounted = query["count"] === true;
    const isTagged = query["etags"] === true;
    const asked = askedFilters(filters, { ...query, ...within });
    const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
    const statement = statementOf({
      sort,
      start: startOf(after),
      filters: asked,
      size: page.sizeFor(limit),
      isCounted,
      isTagged,
      hasOneClaim: hasOneClaim(caller),
    });
    const [row] = await database.run(statement, {
      ...filterValues(asked),
      relata_limit: limit,
      ...(after && {
        relata_after_id: after[1] ?? after[0]!, // a sort by the identifier has no other key
        relata_after: after[2] && sort.descends ? after[0] + page.LAST : after[0]!,
        relata_beginning: after[0]!,
      }),
      ...claimValues(statement, caller),
    }).catch(page.refuseForeign(after));
    const { items, tags, id, key, more, count } = row!;
    const last: page.CursorKey = sort.path
      ? page.keyOfRow(key, id!, sort.path.field.isText === true)
      : [id!];
    const next = more ? page.next(identity, from, query, last) : null;
    const counted = isCounted ? `,"count":${count}` : "";
    const tagged = isTagged ? `,"etags":[${tags ?? ""}]` : "";
    const body = `{"items":[${items ?? ""}],"next":${JSON.stringify(next)}${counted}${tagged}}`;
    return { status: 200, body, next };
  };
}

/** The filters that a query has, with their values. */
export function askedFilters(
  filters: [parameter: string, filter: ListFilter][],
  query: Query,
): ListForm["filters"] {
  return filters.flatMap(([parameter, filter]): ListForm["filters"] =>
    Object.hasOwn(query, parameter) ? [[parameter, filter, query[parameter]!]] : []
  );
}

/** What their parameters get. */
export function filterValues(asked: ListForm["filters"]): Query {
  return Object.fromEntries(asked.map(([parameter, { isArray }, value]) => {
    if (parameter === "q") return [parameter, page.containing(String(value))];
    return [parameter, isArray ? [value] as Value : value];
  }));
}

function schemaOfKey(sort: Sort): keyof ReturnType<typeof page.keySchemas> {
  if (!sort.path) return "id";
  return mayLack(sort) ? "nullable" : "value";
}

function startOf(after: page.CursorKey | undefined): Start {
  if (!after) return undefined;
  if (after[0] === null) return "after no value";
  return after[2] ? "after a long value" : "after a value";
}

/** The forms that show which indexes serve a list: one for each sort, from a cursor on, one for each filter by
 * a single value, and one that counts. */
export function typicalForms(resource: Resource, usual: string): ListForm[] {
  const sorts = sortsOf(resource);
  const filters = Object.entries(filtersOf(resource));
  const first: ListForm = {
    sort: sorts[usual]!,
    start: undefined,
    filters: [],
    size: page.DEFAULT_LIMIT,
    isCounted: false,
  };
  return [
    ...Object.values(sorts).map((sort) => ({ ...first, sort, start: startOfParts(sort) })),
    ...filters.filter(([parameter, { about, compares }]) =>
      parameter === about || compares?.how === "contains"
    ).map((
      [parameter, filter],
    ): ListForm => ({ ...first, filters: [[parameter, filter, null]] })),
    { ...first, isCounted: true },
  ];
}

/** A start from which a page has two parts, if there is one. */
function startOfParts({ path, descends }: Sort): Start {
  return path?.nullable && descends ? "after no value" : "after a value";
}
