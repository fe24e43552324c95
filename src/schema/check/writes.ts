// The plainest writes of what requests write: into each table, the columns that it has there.
import { join, name, type Sql, sql, type Statement, tableName, writes } from "../../db/sql.ts";
import { linksOf } from "../../model/links.ts";
import type { Resource, RowWrite } from "../../model/model.ts";
import { storedIn } from "../../model/resource.ts";
import { levelsOf, ownerColumns } from "../levels.ts";

/** Statements that write rows as they are. They are for `explain` alone. */
export function plainWrites(resource: Resource): Statement[] {
  return levelsOf(resource).flatMap((level) => {
    const { resource: { table, writable }, writes } = level;
    const stored = storedIn(writable).map(({ column }) => column);
    const columns = [...new Set([...stored, ...ownerColumns(level)])];
    const ofLinks: RowWrite[] = writes.length > 0 ? ["insert", "delete"] : [];
    return [
      ...writes.map((write) => plainWrite(write, table, columns)),
      ...linksOf(level.resource).filter(({ isWritable }) => isWritable)
        .flatMap(({ table, from, to }) =>
          ofLinks.map((write) => plainWrite(write, table, [from, to]))
        ),
    ];
  });
}

function plainWrite(write: RowWrite, table: string, columns: string[]): Statement {
  return writes(`${write} ${table}`, writing[write](tableName(table), columns.map(name)));
}

const writing: Record<RowWrite, (table: Sql, columns: Sql[]) => Sql> = {
  insert: (table, columns) =>
    columns.length === 0
      ? sql`insert into ${table} default values`
      : sql`insert into ${table} (${join(columns)}) select ${join(columns)} from ${table}`,
  update: (table, columns) =>
    sql`update ${table} set ${join(columns.map((column) => sql`${column} = ${column}`))}`,
  delete: (table) => sql`delete from ${table}`,
};
