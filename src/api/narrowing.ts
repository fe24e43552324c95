// What of followed rows passes the filters of a stream, and what of changes passes those and the rules of a caller.
import { batched, sharing } from "../db/batch.ts";
import type { Statement } from "../db/sql.ts";
import type { Caller } from "../model/caller.ts";
import { claimValues } from "../model/claim.ts";
import type { Query, Resource, Service } from "../model/model.ts";
import { ownFilters } from "../statements/filter.ts";
import { forms } from "../statements/forms.ts";
import { filterForm, type ListForm } from "../statements/list.ts";
import {
  amongStatement,
  type Passes,
  passingStatement,
  seenStatement,
} from "../statements/narrow.ts";
import { askedFilters, filterValues } from "./list.ts";

/** Makes the functions that narrow by the filters of a query: rows, or changes, to those that statements give of some
 * identifiers, by these. They give undefined if the query has none. */
export function narrowing(resource: Resource, { database }: Pick<Service, "database">) {
  const filters = Object.entries(ownFilters(resource));
  function by<Row extends { id: string }>(
    make: (resource: Resource, asked: ListForm["filters"]) => Statement<Query, Row>,
  ) {
    const statementOf = forms(filterForm, (asked) => make(resource, asked));
    return (query: Query) => {
      const asked = askedFilters(filters, query);
      if (asked.length === 0) return undefined;
      const values = filterValues(asked);
      return async (ids: string[]): Promise<Map<string, Row>> => {
        const found = await database.run(statementOf(asked), { ...values, relata_ids: ids });
        return new Map(found.map((row) => [row.id, row]));
      };
    };
  }
  return { among: by(amongStatement), passing: by(passingStatement) };
}

/** Makes the function that judges the row of a change by the rules of a caller; those who ask at once share a
 * statement. */
export function judging(resource: Resource, { database, metrics }: Service) {
  const statement = seenStatement(resource);
  const judgeAll = async (asked: { change: string; caller: Caller }[]): Promise<Passes[]> => {
    const rows = await database.run(statement, {
      asked: JSON.stringify(asked.map(({ change, caller }) => ({
        change,
        ...claimValues({ slots: statement.claims }, caller),
      }))),
    });
    const found = new Map(rows.map(({ ordinal, was, is }) => [ordinal, { was, is }]));
    return asked.map((_, index) => found.get(index + 1) ?? { was: false, is: false });
  };
  const judge = batched(judgeAll, {
    ...sharing(database, "reads"),
    observe: metrics.batches(statement.name),
  });
  return (change: string, caller: Caller): Promise<Passes> => judge({ change, caller });
}
