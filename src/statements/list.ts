// The forms of a list: each combination of sort, start, filters, size and count has its own statement. It
// finds the rows of the page by an index first, then reads their fields, and gives them as one text. In
// test/statements.sql it is called `list foo by name with bar, count`.
import {
  join,
  name,
  reads,
  slot,
  type Sql,
  sql,
  type Statement,
  type Value,
  where,
} from "../db/sql.ts";
import type { ClaimSlot } from "../model/claim.ts";
import type { Query, Resource } from "../model/model.ts";
import { type Located, together } from "../model/path.ts";
import { columnsOf } from "../model/selection.ts";
import { identifierColumns, namedTableOf, rowsOf, stagedIdentifier } from "../model/table.ts";
import { comparedWithClaim, type Member } from "../model/view.ts";
import { isIndexed, type Lead, type ListFilter } from "./filter.ts";
import { forms } from "./forms.ts";
import { shownIfItFits } from "./long.ts";
import {
  boundsOf,
  joinsOf,
  orderOf,
  type Part,
  partsOf,
  type Sort,
  sortColumn,
  type Start,
} from "./sort.ts";
import { rowTag } from "./tag.ts";

export interface ListForm {
  sort: Sort;
  start: Start;
  /** The filters with their values, by their query parameters. */
  filters: [parameter: string, filter: ListFilter, value: Value][];
  /** The most rows that are found. It is part of the text: with a limit that is not known before it runs Postgres
   * would plan for a tenth of the table, and so make a new plan for each run. */
  size: number;
  isCounted: boolean;
  /** Whether the entity tags of the items are told. */
  isTagged?: boolean;
  /** Whether the claim by which the rule of the callers finds rows has one value. */
  hasOneClaim?: boolean;
}

interface Page {
  /** The items as JSON, separated by commas; null if there are none. */
  items: string | null;
  /** Their entity tags, in the same form; if they are told. */
  tags?: string | null;
  /** The identifier of the last item. */
  id: string | null;
  /** What it was sorted by, as Postgres writes it. */
  key: string | null;
  /** Whether there is a next page. */
  more: boolean;
  /** The rows that match, on whatever page, if they are counted. */
  count: number | null;
}

type PageStatement = Statement<Query, Page>;

/** The most items of a page. It is a parameter: the rows that were found beyond it and one more are not shown. */
const LIMIT = slot("relata_limit", "integer");

/** A text that tells the filters of a statement from those of others. */
export function filterForm(filters: ListForm["filters"]): string {
  return filters.map(([parameter, { isFixed }, value]) =>
    isFixed ? `${parameter}=${value}` : parameter
  ).join();
}

export function pageStatements(resource: Resource): (form: ListForm) => PageStatement {
  return forms(({ sort, start, filters, size, isCounted, isTagged, hasOneClaim }) => {
    return [sort.text, start, size, isCounted, isTagged, hasOneClaim, filterForm(filters)].join();
  }, (form) => pageStatement(resource, form));
}

export function pageStatement(resource: Resource, form: ListForm): PageStatement {
  const { sort, filters, isCounted } = form;
  const row = name(resource.name);
  const key = sql`${row}.relata_key`;
  const order = orderOf(sort, key, identifierColumns(resource, row));
  const last = sql`least(count(text), ${LIMIT})`;
  // The rows of the inner select are sorted, and arrays keep their order
  return reads(
    listName(resource, form),
    sql`
      select
        array_to_string((array_agg(text))[1 : ${LIMIT}], ',') as items,${tagsOf(form)}
        (array_agg(id))[${last}]::text as id,
        ${sort.path ? sql`(array_agg(relata_key))[${last}]::text` : sql`null`} as key,
        count(*) > ${last} as more,
        ${isCounted ? countOf(resource, form) : sql`null`} as count
      from (
        select
          ${stagedIdentifier(resource, row)} as id,
          ${sort.path ? key : sql`null`} as relata_key,
          ${shownIfItFits(resource, order)} as text
        from (
          ${foundRows(resource, form)}
        ) as ${row}
        order by ${order}
        limit ${LIMIT} + 1
      ) as page`,
    { replans: filters.some(([parameter]) => parameter === "q"), isForm: true },
  );
}

function listName(resource: Resource, { sort, filters, isCounted, isTagged }: ListForm): string {
  const asked = [
    ...filters.map(([parameter]) => parameter),
    ...(isCounted ? ["count"] : []),
    ...(isTagged ? ["etags"] : []),
  ];
  const by = `list ${resource.name} by ${sort.text}`;
  return asked.length > 0 ? `${by} with ${asked.join(", ")}` : by;
}

/** The tags of the items, each in quotes as the header has it, as JSON. */
function tagsOf({ isTagged }: ListForm): Sql {
  if (!isTagged) return sql``;
  const quoted = sql`'"' || ${rowTag(sql`text`)} || '"'`;
  return sql`
        array_to_string((array_agg(to_json(${quoted})))[1 : ${LIMIT}], ',') as tags,`;
}

/** The rows of the page, and one more, to know whether there is a next one. */
function foundRows(resource: Resource, form: ListForm): Sql {
  const size = sql`${form.size + 1}`;
  const [first, second] = partsOf(form.sort, form.start);
  const rows = partOf(resource, form, first!, size);
  if (!second) return rows;
  return sql`
    with relata_part as (
      ${rows}
    )
    select *
    from relata_part
    union all (
      ${partOf(resource, form, second, sql`${size} - (select count(*) from relata_part)`)}
    )`;
}

function partOf(
  resource: Resource,
  { sort, filters, hasOneClaim = false }: ListForm,
  part: Part,
  size: Sql,
): Sql {
  const row = name(resource.name);
  const leader = leaderOf(sort, filters);
  const byRule = filters.length === 0 && !sort.path ? leadOfRule(resource, hasOneClaim) : undefined;
  const { column, condition, joined, values } = leader?.[1].lead ?? byRule ?? {};
  const id = joined ? [joined.id] : identifierColumns(resource, row);
  const key = sortColumn(sort, row);
  const columns = [columnsOf(resource, row), sort.path && sql`${key} as relata_key`];
  const joins = [joined?.join, ...joinsOf(sort, part, row)];
  const conditions = [
    condition,
    ...filterConditions(row, filters.filter((each) => each !== leader)),
    ...boundsOf(resource, sort, part, id),
  ];
  // A table of links without a key may link a row twice
  const distinct = joined ? sql`distinct on (${join([column!, ...id], ", ")})` : sql``;
  const rows = sql`
    select ${distinct}
      ${join(columns, ",\n")}
    from ${byRule ? namedTableOf(resource) : rowsOf(resource)}
    ${join(joins, "\n")}
    ${where(conditions)}
    order by ${orderOf(sort, key, id, column)}
    limit ${size}`;
  if (!values) return rows;
  return sql`
    select ${row}.*
    from (
      ${values}
    ) as relata_value
    cross join lateral (
      ${rows}
    ) as ${row}
    order by ${orderOf(sort, sql`${row}.relata_key`, id)}
    limit ${size}`;
}

/** The filter by whose column the rows are ordered first. Links are in the order of identifiers alone. Several
 * values are looked for one by one, which is slow where another filter finds the rows sooner. */
function leaderOf({ path }: Sort, filters: ListForm["filters"]) {
  if (path && path.steps.length > 0) return undefined;
  return filters.find(([, { lead }, value]) =>
    lead && value !== false && !(lead.joined && path) && !(lead.values && filters.length > 1)
  );
}

/** The member of the rule of the callers by which an index finds their rows, if a claim tells what is in a column. */
function leadingMember({ view }: Resource): Member | undefined {
  return view?.rule("read").members.find(({ path, slot }) =>
    slot && path.steps.length === 0 && !path.filter.span && isIndexed(path)
  );
}

/** The claim that tells it. */
export function leadingClaim(resource: Resource): ClaimSlot | undefined {
  return leadingMember(resource)?.slot;
}

/** How that index finds them: as by a filter, so that a page costs the same whoever asks. */
function leadOfRule(resource: Resource, hasOneClaim: boolean): Lead | undefined {
  const leader = leadingMember(resource);
  if (!leader) return undefined;
  const row = name(resource.name);
  const { path: { filter, field }, slot } = leader;
  const column = comparedWithClaim(filter, sql`${row}.${name(field.column)}`);
  const found = hasOneClaim
    ? sql`${column} = any(${slot!})`
    : sql`${column} = any(array[relata_value.one])`;
  const others = resource.view!.rule("read").members.filter((each) => each !== leader);
  return {
    column,
    condition: join([found, ...others.map(({ holds }) => holds(row))], "\n  and "),
    ...(!hasOneClaim && { values: sql`select distinct unnest(${slot!}) as one` }),
  };
}

/** How many rows match, whatever the cursor. */
function countOf(resource: Resource, { filters }: ListForm): Sql {
  return sql`
    (
      select count(*)
      from ${rowsOf(resource)}
      ${where(filterConditions(name(resource.name), filters))}
    )`;
}

function filterConditions(row: Sql, filters: ListForm["filters"]): Sql[] {
  const all = filters.map(([, { within, conditions }, value]): Located => ({
    steps: within,
    conditions: (row) => conditions(row, value),
  }));
  return together(all, row);
}
