// The resource files for existing tables.
import type { Table } from "../catalogue.ts";
import { isBookkeeping } from "./bookkeeping.ts";
import { fieldsOf } from "./fields.ts";
import { circlesOf } from "./graph.ts";
import { commentOf, sourceCode } from "./source.ts";
import { summaryOfColumns, summaryOfTables } from "./summary.ts";
import { divided, type Left, shortName } from "./tables.ts";

interface Files {
  files: { name: string; text: string }[];
  /** A comment for each table that is in none. */
  comments: string[];
  /** What became of the tables, and of their columns. */
  tables: string;
  columns: string | undefined;
}

/** The files for all tables of a database but the bookkeeping of tools. */
export function filesOfAll(tables: Table[]): Files {
  const [own = [], kept = []] = [false, true].map((isKept) =>
    tables.filter(({ title }) => isBookkeeping(title) === isKept)
  );
  return filesOf(
    own,
    [],
    kept.map((table) => ({ table, reason: "a tool for migrations keeps it" })),
  );
}

/** The files for tables, and for those that link two of them. */
export function filesOf(tables: Table[], linking: Table[], others: Left[] = []): Files {
  const { resources, left: own } = divided(tables, linking);
  const left = [...own, ...others];
  const circles = circlesOf(resources);
  const declared = resources.map((resource) => ({
    resource,
    fields: fieldsOf(resource, circles),
  }));
  return {
    files: declared.map(({ resource, fields }) => ({
      name: `${resource.name}.ts`,
      text: sourceCode(resource, fields, circles),
    })),
    comments: left.map(({ table, reason }) =>
      commentOf(`The table "${shortName(table)}" is in no resource: ${reason}`)
    ),
    tables: summaryOfTables(resources, left),
    columns: summaryOfColumns(declared.flatMap(({ fields }) => fields)),
  };
}

/** The files as one text: each after a comment with its path, and before them the comments. Where there is no file,
 * the reasons are counted. */
export function printed({ files, comments, tables }: Files): string {
  const first = [...comments, ...files.length === 0 ? [commentOf(tables)] : []];
  return [...first.length > 0 ? [first.join("\n")] : [], ...files.map(({ text }) => text)]
    .join("\n\n");
}
