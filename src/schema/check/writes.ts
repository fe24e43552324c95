// The plainest writes of what requests write: into each table, the columns that it has there.
import { join, name, type Sql, sql, type Statement, tableName, writes } from "../../db/sql.ts";
import { linksOf } from "../../model/links.ts";
import type { Resource } from "../../model/model.ts";
import { storedIn, writesOf } from "../../model/resource.ts";

type Write = ReturnType<typeof writesOf>[number];

/** Statements that write rows as they are. They are for `explain` alone. */
export function plainWrites(resource: Resource): Statement[] {
  const own = writesOf(resource);
  const columns = storedIn(resource.writable).map(({ column }) => column);
  const ofLinks: Write[] = own.length > 0 ? ["insert", "delete"] : [];
  return [
    ...own.map((write) => plainWrite(write, resource.table, columns)),
    ...linksOf(resource).filter(({ isWritable }) => isWritable)
      .flatMap(({ table, from, to }) =>
        ofLinks.map((write) => plainWrite(write, table, [from, to]))
      ),
  ];
}

function plainWrite(write: Write, table: string, columns: string[]): Statement {
  return writes(`${write} ${table}`, writing[write](tableName(table), columns.map(name)));
}

const writing: Record<Write, (table: Sql, columns: Sql[]) => Sql> = {
  insert: (table, columns) =>
    columns.length === 0
      ? sql`insert into ${table} default values`
      : sql`insert into ${table} (${join(columns)}) select ${join(columns)} from ${table}`,
  update: (table, columns) =>
    sql`update ${table} set ${join(columns.map((column) => sql`${column} = ${column}`))}`,
  delete: (table) => sql`delete from ${table}`,
};
