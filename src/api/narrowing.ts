// What of followed rows passes the filters of a stream, and what of changes passes those and the rules of a caller.
import { batched, sharing } from "../db/batch.ts";
import { type Caller } from "../model/caller.ts";
import { claimValues } from "../model/claim.ts";
import type { Query, Resource, Service } from "../model/model.ts";
import { ownFilters } from "../statements/filter.ts";
import { forms } from "../statements/forms.ts";
import {
  amongStatement,
  type Passes,
  passingStatement,
  seenStatement,
} from "../statements/narrow.ts";
import { askedFilters, filterValues } from "./list.ts";

/** Gives those of some rows that pass; of the changes with these identifiers, what passes. */
type Among = (ids: string[]) => Promise<Set<string>>;
type Passing = (changes: string[]) => Promise<Map<string, Passes>>;

/** Makes the functions that narrow by the filters of a query; they give undefined if it has none. */
export function narrowing(resource: Resource, { database }: Pick<Service, "database">) {
  const filters = Object.entries(ownFilters(resource));
  const textOf = (asked: ReturnType<typeof askedFilters>) =>
    asked.map(([parameter, { isFixed }, value]) => isFixed ? `${parameter}=${value}` : parameter)
      .join();
  const amongOf = forms(textOf, (asked) => amongStatement(resource, asked));
  const passingOf = forms(textOf, (asked) => passingStatement(resource, asked));
  return {
    among(query: Query): Among | undefined {
      const asked = askedFilters(filters, query);
      if (asked.length === 0) return undefined;
      const values = filterValues(asked);
      return async (ids) => {
        const found = await database.run(amongOf(asked), { ...values, relata_ids: ids });
        return new Set(found.map(({ id }) => id));
      };
    },
    passing(query: Query): Passing | undefined {
      const asked = askedFilters(filters, query);
      if (asked.length === 0) return undefined;
      const values = filterValues(asked);
      return async (changes) => {
        const found = await database.run(passingOf(asked), { ...values, relata_ids: changes });
        return new Map(found.map(({ id, was, is }) => [id, { was, is }]));
      };
    },
  };
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
