// The query parameters that narrow a list: by the fields of its rows, by those of rows that they refer to,
// by a text in the display field.
import * as v from "valibot";
import { name, raw, type Slot, slot, type Sql, sql, type Value } from "../db/sql.ts";
import { booleanText } from "../model/boolean.ts";
import type { Among, Filter, Parameter, Resource } from "../model/model.ts";
import { along, type Path, type PathStep, pathTo } from "../model/path.ts";
import { label } from "../model/relation.ts";
import { identifierOf, sentIdentifier, sentIdentifiers } from "../model/table.ts";
import { folded, searchText } from "../model/text.ts";
import { several } from "../model/values.ts";

/** A query parameter that narrows a list. */
export interface ListFilter {
  /** What it is about: a path, or the text of `q`. */
  about: string;
  /** The field that it compares, and how; `q` compares none. */
  compares?: { path: Path; how: "eq" | "in" | "contains" | "isnull" | LimitOperator };
  parameter: Parameter;
  /** Whether its value is part of the text of a statement. */
  isFixed?: boolean;
  /** Whether a statement takes its value in an array. */
  isArray?: boolean;
  /** The steps to the owned row that it is about; none if it is about the row of the list. All filters of a request
   * whose steps begin alike are about the same owned row. */
  within: readonly PathStep[];
  /** The conditions on that row. */
  conditions(row: Sql, value: Value): Sql[];
  /** How an index finds the same rows, unless the value is false. */
  lead?: Lead;
}

/** A column that has one value in all rows that a filter finds. Ordered by it first, the rows keep their order, and
 * Postgres reads them from an index that begins with it. Without it, Postgres may read them in the order of the
 * primary key, where a million other rows may come first. */
export interface Lead {
  column: Sql;
  /** In place of the conditions of the filter. Postgres drops a column that equals one value from the order, so the
   * value is in an array. */
  condition: Sql;
  /** What has the column, if that is not the row, and the identifier of the row in it. */
  joined?: { join: Sql; id: Sql };
  /** Selects the values as `relata_value.one` if there are several: the first rows of each are looked for. */
  values?: Sql;
}

/** The filters of a list, by their query parameters. */
export function filtersOf(resource: Resource): Record<string, ListFilter> {
  const { key, display, relations, filter = [] } = resource;
  const filters: Record<string, ListFilter> = {};
  const add = (more: Record<string, ListFilter>) => {
    for (const [parameter, each] of Object.entries(more)) {
      const { about } = Object.hasOwn(filters, parameter) ? filters[parameter]! : each;
      if (about !== each.about) throw ambiguous(resource, parameter, [about, each.about]);
      filters[parameter] = each;
    }
  };
  if (display !== undefined) {
    const { [display]: exact } = byPath(resource, pathTo(resource, display));
    add({ [display]: exact!, q: byText(resource, display) });
  }
  // Several fields are filtered by one by one
  if (key !== "") {
    const chosen = identifiersIn(resource, identifierOf(resource, name(resource.name)));
    add({
      [chosen.name]: {
        ...chosen,
        about: key,
        compares: { path: pathTo(resource, key), how: "in" },
        within: [],
        conditions: () => [chosen.condition],
      },
    });
  }
  for (const path of [...Object.keys(relations), ...filter]) {
    add(byPath(resource, pathTo(resource, path)));
  }
  return filters;
}

/** Those of them that are about columns of the row alone. A stream has another use for `after`. */
export function ownFilters(resource: Resource): Record<string, ListFilter> {
  return Object.fromEntries(
    Object.entries(filtersOf(resource)).filter(([parameter, { within, compares }]) =>
      parameter !== "after" &&
      within.length === 0 &&
      (!compares || compares.path.steps.length === 0 && !compares.path.field.relation?.isMany)
    ),
  );
}

/** The parameter for several identifiers, and the condition that a column is one of them. */
export function identifiersIn(resource: Resource, column: Sql) {
  const { key, identifiers } = resource;
  const parameter = `${key}__in`;
  return {
    name: parameter,
    parameter: several(identifiers.text, "One of these identifiers"),
    condition: sql`${column} = any(${
      sentIdentifiers(resource, slot(parameter, arrayOf(identifiers.sqlType)))
    })`,
  };
}

/** The type of an array; Postgres infers it if it infers that of the elements. */
function arrayOf(type: string | undefined): string | undefined {
  return type && `${type}[]`;
}

/** The limits that ordered values take. */
const limitOperators = {
  gte: { operator: ">=", words: "at least" },
  gt: { operator: ">", words: "more than" },
  lte: { operator: "<=", words: "at most" },
  lt: { operator: "<", words: "less than" },
} as const;

type LimitOperator = keyof typeof limitOperators;
const limitNames = Object.keys(limitOperators) as LimitOperator[];
type Operator = (typeof limitOperators)[LimitOperator]["operator"];

/** A condition on the row that has the field. */
type Test = (row: Sql) => Sql;

/** The filters by a field, or by the field at the end of a path. */
function byPath(resource: Resource, path: Path): Record<string, ListFilter> {
  const { text, owner, field, filter, nullable } = path;
  const { relation } = field;
  const row = name(resource.name);
  const { within, steps, column } = wayOf(resource, path);
  const isMany = relation?.isMany === true && !relation.isOwned;
  const compared = (row: Sql) => {
    const own = sql`${row}.${name(column)}`;
    return filter.compared?.(own) ?? own;
  };
  const filterBy = (
    how: "eq" | "in" | "contains" | LimitOperator,
    parameter: Parameter,
    test: Test,
  ): ListFilter => ({
    about: text,
    compares: { path, how },
    parameter,
    within,
    conditions: (row) => [along(steps, row, test, within.length + 1)],
  });
  const parameterName = (operator: string) => `${text}__${operator}`;
  const leads = within.length + steps.length === 0 && !filter.span && isIndexed(path);
  const isArray = leads || isMany;
  const arrayType = arrayOf(filter.sqlType);
  const identified = relation?.target(owner) ?? (field === owner.fields[owner.key] && owner);
  const all = (values: Slot) => identified ? sentIdentifiers(identified, values) : sql`${values}`;
  const sent = slot(text, isArray ? arrayType : filter.sqlType);
  const one = isArray ? all(sent) : identified ? sentIdentifier(identified, sent) : sql`${sent}`;
  const many = all(slot(parameterName("in"), arrayType));
  const among = (values: Sql) => (row: Sql) =>
    relation?.among?.(owner, row, values).exists ?? amongValues(filter, compared(row), values);
  const reached = leads ? relation?.among?.(owner, row, one) : undefined;
  const leadBy = (condition: Sql, values?: Sql): { lead?: Lead } =>
    leads ? { lead: { column: compared(row), condition, ...(values && { values }) } } : {};
  const [exact, any] = relation
    ? [`The identifier of its ${relation.target(owner).name}`, "One of these identifiers"]
    : [`The exact ${text}`, `${text} is one of these values`];
  const ranges = (filter.isOrdered ? limitNames : []).map((limit) => {
    const { operator, words } = limitOperators[limit];
    return [
      parameterName(limit),
      filterBy(
        limit,
        withDescription(filter.value, `${text} is ${words} this`),
        (row) =>
          limitOf(filter, compared(row), operator, slot(parameterName(limit), filter.sqlType)),
      ),
    ];
  });
  const isNull = nullable && {
    [parameterName("isnull")]: {
      about: text,
      compares: { path, how: "isnull" },
      parameter: withDescription(booleanText, `Whether ${text} is null`),
      isFixed: true,
      within,
      conditions: (row, isNull) => {
        const test: Test = (row) => sql`${row}.${name(column)} is not null`;
        const hasValue = along(steps, row, test, within.length + 1);
        return [isNull === true ? sql`not (${hasValue})` : hasValue];
      },
      ...leadBy(sql`${compared(row)} is null`),
    },
  } satisfies Record<string, ListFilter>;
  if (filter.asks === "whether it is null") {
    if (isNull) return isNull;
    throw new Error(
      `The resource "${resource.name}" filters by "${text}", which is ${field.kind} and never null: ` +
        "lists ask no more of it",
    );
  }
  if (filter.asks) {
    const contained = slot(parameterName("contains"), filter.sqlType);
    return {
      [parameterName("contains")]: filterBy(
        "contains",
        filter.value,
        (row) => sql`${compared(row)} @> ${contained}`,
      ),
      ...isNull,
    };
  }
  return {
    [text]: {
      ...filterBy(
        "eq",
        withDescription(filter.value, exact),
        isArray ? among(one) : (row) => equal(filter, compared(row), one),
      ),
      isArray,
      ...(reached ? { lead: leadOf(reached) } : leadBy(among(one)(row))),
    },
    [parameterName("in")]: {
      ...filterBy("in", several(filter.value, any), among(many)),
      ...(arrayType && !isMany && leadBy(
        sql`${compared(row)} = any(array[relata_value.one])`,
        sql`select distinct unnest(${many}) as one`,
      )),
    },
    ...Object.fromEntries(ranges),
    ...isNull,
  };
}

/** The way to the column of a path: the steps to the last owned row, those that are left, and the column. An owned field
 * at the end means the identifiers of its rows. */
function wayOf(resource: Resource, path: Path) {
  const { text, owner, field: { relation } } = path;
  const { steps, field } = relation?.isOwned
    ? pathTo(resource, `${text}__${relation.target(owner).key}`)
    : path;
  const last = steps.findLastIndex(({ isOwned }) => isOwned) + 1;
  return { within: steps.slice(0, last), steps: steps.slice(last), column: field.column };
}

/** Whether an index helps to find the rows with a value: where there are few values, it does not. */
export function isIndexed({ field, filter }: Path): boolean {
  return filter.isOrdered || filter.isSelective === true || field.relation !== undefined;
}

function leadOf({ column, condition, join, id }: Among): Lead {
  return { column, condition, joined: { join, id } };
}

function equal(filter: Filter, column: Sql, value: Sql): Sql {
  if (!filter.span) return sql`${column} = ${value}`;
  return sql`${limitOf(filter, column, ">=", value)} and ${limitOf(filter, column, "<=", value)}`;
}

function amongValues({ span }: Filter, column: Sql, values: Sql): Sql {
  if (!span) return sql`${column} = any(${values})`;
  return sql`exists (
    select
    from unnest(${values}) as relata_value
    where ${column} >= relata_value
      and ${column} < relata_value + interval ${span}
  )`;
}

/** A limit of a column. A value that lasts ends where the next one begins. */
function limitOf({ span }: Filter, column: Sql, operator: Operator, value: Sql | Slot): Sql {
  const end = span && sql`${value} + interval ${span}`;
  if (end && operator === ">") return sql`${column} >= ${end}`;
  if (end && operator === "<=") return sql`${column} < ${end}`;
  return sql`${column} ${raw(operator)} ${value}`;
}

/** Finds a text in the display field. A row that has it there also has it in its label; the first condition
 * is there for the index. */
function byText(resource: Resource, display: string): ListFilter {
  const column = sql`${name(resource.name)}.${name(resource.fields[display]!.column)}`;
  const pattern = sql`lower(${slot("q", "text")})`;
  return {
    about: "q",
    parameter: searchText(`Text that the ${display} contains, in upper or lower case`),
    within: [],
    conditions: () => [
      sql`${folded(label(resource))} like ${pattern}`,
      sql`${folded(column)} like ${pattern}`,
    ],
  };
}

function withDescription(parameter: Parameter, description: string): Parameter {
  return v.pipe(parameter, v.metadata({ description }));
}

function ambiguous({ name }: Resource, parameter: string, paths: string[]): Error {
  const [one, other] = paths.map((path) => `"${path}"`);
  return new Error(
    `The resource "${name}" filters by ${one} and ${other}: "${parameter}" would mean either`,
  );
}
