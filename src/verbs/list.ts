// The lists: filtered, sorted, one page at a time.
import * as v from "valibot";
import type { Parameter, Query, Resource, Verb } from "../declaration/declaration.ts";
import { identifierText } from "../declaration/field.ts";
import { label } from "../declaration/relation.ts";
import { type Fragment, listed, planned, type Sql } from "../database/sql.ts";
import * as page from "./page.ts";
import { bodies } from "./representation.ts";

/** Bytes of text after which a page takes no further row. */
const PAGE_BYTES = 1024 * 1024;

interface Item {
  id: number;
  display: string | null;
  text: string;
  /** The rows there are, up to one more than the limit. */
  found: number;
}

export interface ListOptions {
  /** The sort of a request that names none. */
  sort: "id" | "-id";
}

export function list({ sort }: ListOptions = { sort: "id" }): Verb {
  return {
    name: "list",
    method: "GET",
    operation: ({ name, title }) => ({
      id: `list${title}s`,
      summary: `List the ${name}s`,
      answer: { status: 200, holds: "list" },
      problems: [],
    }),
    query: (resource) => parameters(resource, sort),
    prepare(resource, path, { sql, prefix }) {
      const compose = composer(resource, sql);
      const show = bodies(resource);
      const from = prefix + path;
      return async ({ query }) => {
        const order = ordering(String(query["sort"] ?? sort));
        const identity = page.identify(from, { sort, ...query });
        const after = page.start<page.Key>(identity, query, order.schema);
        const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
        const rows = await compose(query, order, after, limit);
        const items = rows.slice(0, limit);
        const last = items.at(-1);
        const next = last && items.length < last.found
          ? page.next(identity, from, query, order.key(last))
          : null;
        const body = items.map(({ text }) => show(text)).join(",");
        return { status: 200, body: `{"items":[${body}],"next":${JSON.stringify(next)}}`, next };
      };
    },
  };
}

/** The query parameters of a resource's list. */
function parameters(
  { display, relations }: Resource,
  sort: ListOptions["sort"],
): Record<string, Parameter> {
  const fields = display ? ["id", display] : ["id"];
  const sorts = fields.flatMap((field) => [field, `-${field}`]);
  return {
    limit: page.limit,
    cursor: page.cursor,
    sort: v.pipe(
      v.picklist(sorts, `one of ${sorts.join(", ")}`),
      v.metadata({ default: sort, description: "The order; a minus reads it backwards" }),
    ),
    ...(display ? { [display]: page.searchText(`The exact ${display}`), q: page.q } : {}),
    ...Object.fromEntries(
      Object.entries(relations).map(([name, { target }]) => [
        name,
        v.pipe(identifierText, v.metadata({ description: `The identifier of its ${target.name}` })),
      ]),
    ),
  };
}

/** An order of rows: by identifier, or by the display field and then by identifier. */
function ordering(sort: string) {
  const byDisplay = sort !== "id" && sort !== "-id";
  return {
    byDisplay,
    descending: sort.startsWith("-"),
    key: ({ id, display }: Item): page.Key => byDisplay ? [display!, id] : [id],
    schema: byDisplay ? page.textKey : page.idKey,
  };
}

/** The statement that reads a page: its rows by index first, then, for those that fit, the rest. */
function composer(resource: Resource, sql: Sql) {
  const { name, key, display, columns, fields, relations } = resource;
  const table = sql`${sql(name)}`;
  const selected = listed(sql, Object.values(columns));
  const size = Object.keys(fields)
    .filter((field) => fields[field]!.kind === "text")
    .map((field) => sql`octet_length(${sql(columns[field]!)})`)
    .reduce((sum, length) => sql`${sum} + ${length}`, sql`0`);
  const items = resource.statements(sql).read(sql`relata_fitting`);
  const shown = display ? sql`item.${sql(display)}` : sql`null`;

  return (query: Query, order: Order, after: page.Key | undefined, limit: number) => {
    const direction = order.descending ? sql`desc` : sql`asc`;
    const sorted = (id: Fragment, text: Fragment) =>
      order.byDisplay
        ? sql`${text} collate "C" ${direction}, ${id} ${direction}`
        : sql`${id} ${direction}`;
    const stored = sorted(sql`id`, display ? sql`${sql(columns[display]!)}` : sql`null`);
    const statement = sql<Item[]>`
      with relata_page as (
        select ${selected}
        from ${table}
        where ${conditions(query, order, after)}
        order by ${stored}
        limit ${limit + 1}
      ),
      relata_fitting as (
        select ${selected}
        from (
          select
            ${selected},
            sum(${size}) over (order by ${stored} rows unbounded preceding) - (${size})
              as "bytes before"
          from relata_page
        ) as page
        where "bytes before" < ${PAGE_BYTES}
      )
      select
        item.${sql(key)} as id,
        ${shown} as display,
        row_to_json(item.*)::text as text,
        (select count(*) from relata_page) as found
      from (${items}) as item
      order by ${sorted(sql`item.${sql(key)}`, shown)}`;
    return query["q"] === undefined ? statement : planned(statement);
  };

  function conditions(query: Query, order: Order, after: page.Key | undefined): Fragment {
    const conditions = [sql`true`];
    for (const [field, { column }] of Object.entries(relations)) {
      if (query[field] !== undefined) conditions.push(sql`${sql(column)} = ${query[field]}`);
    }
    if (display) {
      const column = sql`${sql(columns[display]!)}`;
      const { [display]: exact, q } = query;
      if (exact !== undefined) conditions.push(sql`${column} collate "C" = ${exact}`);
      if (q !== undefined) {
        const pattern = page.containing(String(q));
        // What the column contains, its label does: the first condition is for the index.
        conditions.push(
          sql`${label(sql, resource)} ilike ${pattern} and ${column} ilike ${pattern}`,
        );
      }
    }
    if (after) {
      const than = order.descending ? sql`<` : sql`>`;
      conditions.push(
        order.byDisplay
          ? sql`(${sql(columns[display!]!)} collate "C", id) ${than} (${after[0]!}, ${after[1]!})`
          : sql`id ${than} ${after[0]!}`,
      );
    }
    return conditions.reduce((all, condition) => sql`${all} and ${condition}`);
  }
}

type Order = ReturnType<typeof ordering>;
