// The choices of a relation, for forms: a map from identifier to display text. Only these two are read,
// never whole objects.
import * as v from "valibot";
import { claimValues } from "../model/claim.ts";
import type { Verb } from "../model/model.ts";
import { relationAt, titleOf, withArticle } from "../model/resource.ts";
import { searchText } from "../model/text.ts";
import { describeValue, word } from "../model/word.ts";
import { choicesStatement, choicesStatements, chosenOf } from "../statements/choices.ts";
import * as page from "./page.ts";

/** Lists the candidates of the relation that is this field, or that is in the rows of a field: `lines/product`. */
export const choices = word((field: string): Verb => {
  if (typeof field !== "string") {
    throw new Error(`choices takes the name of a field, not ${describeValue(field)}`);
  }
  return {
    name: "choices",
    method: "GET",
    packed: true,
    operation: (resource) => ({
      id: `list${resource.title}${field.split("/").map(titleOf).join("")}Choices`,
      summary: `List what the ${field.split("/").reverse().join(" of the ")} of ${
        withArticle(resource)
      } can refer to`,
      answer: { status: 200, holds: "choices" },
      candidatesOf: field,
      problems: [],
    }),
    query: (resource) => {
      const chosen = chosenOf(resource, field);
      return {
        limit: page.limit,
        cursor: page.cursor,
        q: searchText("Text that the display text contains, in upper or lower case"),
        [chosen.name]: chosen.parameter,
      };
    },
    statements: (resource) =>
      [false, true].flatMap((isChosen) =>
        [false, true].map((contains) =>
          choicesStatement(resource, field, {
            contains,
            isChosen,
            isAfter: true,
            size: page.DEFAULT_LIMIT,
          })
        )
      ),
    prepare(resource, path, { database, prefix }) {
      const statementOf = choicesStatements(resource, field);
      const chosen = chosenOf(resource, field).name;
      const { text, stored } = relationAt(resource, field).target.identifiers;
      const keySchema = page.keySchemas(stored).id;
      const from = prefix + path;
      return async ({ query, caller }) => {
        const { q } = query;
        const identity = page.identify(from, query);
        const limit = Number(query["limit"] ?? page.DEFAULT_LIMIT);
        const [after] = page.cursorKey(identity, query, keySchema) ?? [];
        const statement = statementOf({
          contains: q !== undefined,
          isChosen: Object.hasOwn(query, chosen),
          isAfter: after !== undefined,
          size: page.sizeFor(limit),
        });
        const found = await database.run(statement, {
          ...query,
          ...(after !== undefined && { after }),
          ...(q !== undefined && { q: page.containing(String(q)) }),
          ...claimValues(statement, caller),
        }).catch(page.refuseForeign(after));
        // The last ones may have identifiers that a write refuses
        const rows = found.filter(({ id }) => v.is(text, id));
        const shown = rows.slice(0, limit).filter(({ text }) => text !== null);
        const last = shown.at(-1);
        const next = last && rows.length > shown.length
          ? page.next(identity, from, query, [last.id])
          : null;
        // A JavaScript object lists the keys that are small integers in ascending order, then the others as they
        // came: in the order of choices, but for those below 0, which any reader in JavaScript has last
        const choices = Object.fromEntries(shown.map(({ id, text }) => [id, text]));
        return { status: 200, body: JSON.stringify({ choices, next }), next };
      };
    },
  };
});
