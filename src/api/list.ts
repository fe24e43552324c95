// Lists: filtered, sorted, one page at a time. Each combination of order, filters and cursor has its own
// statement.
import * as v from "valibot";
import {
  list as listed,
  name,
  raw,
  reads,
  slot,
  type Sql,
  sql,
  type Statement,
  where,
} from "../db/sql.ts";
import { identifierText } from "../model/number.ts";
import type { Parameter, Query, Resource, Verb } from "../model/model.ts";
import { mapValues } from "../model/record.ts";
import { label } from "../model/relation.ts";
import { storedIn } from "../model/resource.ts";
import { selection } from "../model/selection.ts";
import * as page from "./page.ts";
import { bodies } from "./read.ts";

/** After this many bytes of long texts, a page takes no further row. */
const PAGE_BYTES = 1024 * 1024;

interface Item {
  id: number;
  display: string | null;
  text: string;
  /** The number of rows that were found: those of the page, and one more if there is a next page. */
  found: number;
}

export interface ListOptions {
  /** The sort of requests that name none. */
  sort: "id" | "-id";
}

export function list({ sort: usual }: ListOptions = { sort: "id" }): Verb {
  return {
    name: "list",
    method: "GET",
    operation: ({ name, title }) => ({
      id: `list${title}s`,
      summary: `List the ${name}s`,
      answer: { status: 200, holds: "list" },
      problems: [],
    }),
    query: (resource) => ({
      limit: page.limit,
      cursor: page.cursor,
      sort: v.pipe(
        v.picklist(sorts(resource), `one of ${sorts(resource).join(", ")}`),
        v.metadata({ default: usual, description: "The order; a minus reads it backwards" }),
      ),
      ...filterParameters(resource),
    }),
    statements: (resource) =>
      sorts(resource).map((sort) =>
        listStatement(resource, {
          sort,
          filters: Object.keys(filterParameters(resource)),
          after: true,
        })
      ),
    prepare(resource, path, { database, prefix }) {
      const statementOf = formsOf(resource);
      const show = bodies(resource);
      const from = prefix + path;
      return async ({ query }) => {
        const sort = String(query["sort"] ?? usual);
        const identity = page.identify(from, { sort: usual, ...query });
        const after = page.start<page.Key>(
          identity,
          query,
          isById(sort) ? page.idKey : page.textKey,
        );
        const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
        const rows = await database.run(statementOf(sort, query, after !== undefined), {
          ...query,
          ...(query["q"] !== undefined && { q: page.containing(String(query["q"])) }),
          limit: limit + 1,
          ...(after && { relata_after_id: after.at(-1)!, relata_after_text: after[0]! }),
        });
        const items = rows.slice(0, limit);
        const last = items.at(-1);
        const next = last && items.length < last.found
          ? page.next(identity, from, query, isById(sort) ? [last.id] : [last.display!, last.id])
          : null;
        const body = items.map(({ text }) => show(text)).join(",");
        return { status: 200, body: `{"items":[${body}],"next":${JSON.stringify(next)}}`, next };
      };
    },
  };
}

/** The sorts of a list: by identifier, or by the display field and then by identifier. */
function sorts({ display }: Resource): string[] {
  return (display ? ["id", display] : ["id"]).flatMap((field) => [field, `-${field}`]);
}

function isById(sort: string): boolean {
  return sort === "id" || sort === "-id";
}

/** The query parameters that filter a list. */
function filterParameters(resource: Resource): Record<string, Parameter> {
  const { display, relations } = resource;
  return {
    ...(display && { [display]: page.searchText(`The exact ${display}`), q: page.q }),
    ...mapValues(
      relations,
      (relation) => {
        const { name } = relation.target(resource);
        return v.pipe(identifierText, v.metadata({ description: `The identifier of its ${name}` }));
      },
    ),
  };
}

/** The form of a request: its sort, its filters, and whether it has a cursor. */
interface Form {
  sort: string;
  filters: string[];
  after: boolean;
}

/** Makes the function that gives the statement of a form. */
function formsOf(resource: Resource) {
  const filters = Object.keys(filterParameters(resource));
  const known = new Map<string, ReturnType<typeof listStatement>>();
  return (sort: string, query: Query, after: boolean) => {
    const asked = filters.filter((filter) => query[filter] !== undefined);
    const form = [sort, ...asked, after].join();
    const statement = known.get(form) ?? listStatement(resource, { sort, filters: asked, after });
    known.set(form, statement);
    return statement;
  };
}

/** The statement that reads a page. It finds the rows by an index first, then reads their fields. */
function listStatement(resource: Resource, form: Form): Statement<Query, Item> {
  const { name: table, key, display } = resource;
  const rows = raw(isLong(resource) ? "relata_fitting" : "relata_page");
  const shownKey = sql`item.${name(key)}`;
  const shownText = display ? sql`item.${name(display)}` : sql`null`;
  return reads(
    `list ${table} by ${form.sort}`,
    sql`
      with relata_page as (
        ${pageOf(resource, form)}
      )${fitting(resource, form)}
      select
        ${shownKey} as id,
        ${shownText} as display,
        row_to_json(item.*)::text as text,
        (select count(*) from relata_page) as found
      from (
        ${selection(resource, sql`${rows} as ${name(table)}`)}
      ) as item
      order by ${order(form, shownKey, shownText)}`,
    { replans: form.filters.includes("q") },
  );
}

function pageOf(resource: Resource, form: Form): Sql {
  const { name: table, fields, display } = resource;
  const column = display ? name(fields[display]!.column) : sql`null`;
  return sql`
    select ${columnsOf(resource)}
    from ${name(table)}${where(conditions(resource, form))}
    order by ${order(form, sql`id`, column)}
    limit ${slot("limit", "integer")}`;
}

function conditions(resource: Resource, { sort, filters, after }: Form): Sql[] {
  const { fields, display } = resource;
  const id = slot("relata_after_id", "bigint");
  const than = raw(sort.startsWith("-") ? "<" : ">");
  const text = (field: string) => sql`${name(fields[field]!.column)}`;
  return [
    ...filters.flatMap((filter) => {
      if (filter === "q") return containing(resource);
      if (filter === display) return sql`${text(filter)} collate "C" = ${slot(filter, "text")}`;
      return sql`${text(filter)} = ${slot(filter, "bigint")}`;
    }),
    ...(!after ? [] : isById(sort) ? [sql`id ${than} ${id}`] : [
      sql`(${text(display!)} collate "C", id) ${than} (${
        slot("relata_after_text", "text")
      }, ${id})`,
    ]),
  ];
}

/** A row whose display field contains a text also has it in its label; the first condition is there for
 * the index. */
function containing(resource: Resource): Sql[] {
  const column = name(resource.fields[resource.display!]!.column);
  const pattern = sql`lower(${slot("q", "text")})`;
  return [sql`lower(${label(resource)}) like ${pattern}`, sql`lower(${column}) like ${pattern}`];
}

/** The rows that fit into a page if they may be long; the first one always does. */
function fitting(resource: Resource, form: Form): Sql {
  if (!isLong(resource)) return sql``;
  const { fields, display } = resource;
  const long = Object.values(fields).filter(({ isLong }) => isLong);
  const bytes = listed(
    long.map(({ column }) => sql`coalesce(octet_length(${name(column)}), 0)`),
    " + ",
  );
  const ordered = order(form, sql`id`, display ? name(fields[display]!.column) : sql`null`);
  return sql`,
    relata_fitting as (
      select ${columnsOf(resource)}
      from (
        select
          ${columnsOf(resource)},
          sum(${bytes}) over (order by ${ordered} rows unbounded preceding) - (${bytes})
            as relata_bytes_before
        from relata_page
      ) as page
      where relata_bytes_before < ${PAGE_BYTES}
    )`;
}

function isLong({ fields }: Resource): boolean {
  return Object.values(fields).some(({ isLong }) => isLong);
}

function order({ sort }: Form, id: Sql, text: Sql): Sql {
  const direction = raw(sort.startsWith("-") ? "desc" : "asc");
  return isById(sort)
    ? sql`${id} ${direction}`
    : sql`${text} collate "C" ${direction}, ${id} ${direction}`;
}

function columnsOf({ fields }: Resource): Sql {
  return listed(storedIn(fields).map(({ column }) => name(column)));
}
