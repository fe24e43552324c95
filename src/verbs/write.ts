// Creating, replacing, changing and deleting a row. The check of the relations, the write and the
// reading of what was written are one statement. It is written for any number of rows, each with
// its place, and gives the outcome of each; a lone request is a row alone.
import type { Handler, Resource, Service, Statements, Verb } from "../declaration/declaration.ts";
import { holds } from "../declaration/relation.ts";
import { type Fragment, list, type Sql } from "../database/sql.ts";
import { invalid, Problem } from "../problem.ts";
import { failure, input, type Row } from "./input.ts";
import { absent, read } from "./read.ts";
import { representation } from "./representation.ts";

/** What became of a row. */
interface Outcome {
  /** The relations that did not hold, by field, comma-separated; then nothing was written. */
  refused: string;
  /** The identifier of what was written; null where there was no such row. */
  id: number | null;
  /** The row as it is read now; null where what it refers to came after the statement began. */
  text: string | null;
}

type Write = "create" | "update";

export const create: Verb = {
  method: "POST",
  accepts: ["application/json"],
  prepare(resource, _path, service) {
    const locate = locator(resource, service.prefix);
    const write = writer(resource, service, "create");
    return async ({ body }) => {
      const { id, body: text } = await write(await input(service.sql, resource, "write", body));
      return { status: 201, body: text, location: locate(id) };
    };
  },
};

/** Replaces a whole row; never creates one. */
export const replace: Verb = {
  method: "PUT",
  accepts: ["application/json"],
  prepare: (resource, _path, service) => updater(resource, service, "write"),
};

/** Changes the fields that are sent and keeps the others (RFC 7396). */
export const merge: Verb = {
  method: "PATCH",
  accepts: ["application/merge-patch+json", "application/json"],
  prepare: (resource, _path, service) => updater(resource, service, "patch"),
};

/** Deletes a row, unless another refers to it, which is the foreign key's to say. */
export const remove: Verb = {
  method: "DELETE",
  prepare(resource, _path, { sql }) {
    const statement = declared(resource, resource.statements(sql), "delete");
    return async ({ identifier }) => {
      const deleted = await sql`
        with input as (
          select ${identifier}::bigint as id
        )
        ${statement}`;
      if (deleted.length === 0) throw absent(resource, identifier);
      return { status: 204 };
    };
  },
};

function updater(resource: Resource, service: Service, shape: "write" | "patch"): Handler {
  const write = writer(resource, service, "update");
  return async ({ identifier, body }) => {
    const row = await input(service.sql, resource, shape, body);
    return { status: 200, body: (await write(row, identifier)).body };
  };
}

/** Writes one row and says what came of it: the identifier and representation, or a problem. */
function writer(resource: Resource, service: Service, write: Write) {
  const { sql } = service;
  const compose = composer(resource, sql, write);
  const represent = representation(resource);
  const readAgain = read.prepare(resource, "", service);

  async function run(row: Row, identifier: number): Promise<Outcome> {
    for (let attempt = 1;; attempt++) {
      try {
        const [outcome] = await compose([identifier], [row]);
        return outcome!;
      } catch (error) {
        const { code, constraint_name: constraint } = error as Record<string, unknown>;
        if (code === "23503") {
          return { refused: referring(resource, constraint), id: null, text: null };
        }
        if (constraint !== `${resource.name}_pkey` || attempt === 3) throw error;
        await advanceIdentifiers(sql, resource);
      }
    }
  }

  return async (row: Row, identifier = 0): Promise<{ id: number; body: string }> => {
    const { refused, id, text } = await run(row, identifier);
    if (refused) {
      const fields = refused.split(",");
      throw invalid(fields.map((name) => failure(resource, name, "does_not_exist", row[name])));
    }
    if (id === null) throw absent(resource, identifier);
    if (text !== null) return { id, body: represent(text) };
    const answer = await readAgain({ identifier: id, query: {}, body: undefined });
    return { id, body: (answer as { body: string }).body };
  };
}

/** The statement that writes rows. `sent` is what the client sent, and which relations fail;
 * `input` what of it may be written; `written` what was. */
function composer(resource: Resource, sql: Sql, write: Write) {
  const statements = resource.statements(sql);
  const statement = declared(resource, statements, write);
  const fields = Object.keys(resource.sent);
  const columns = list(sql, write === "create" ? fields : ["id", ...fields]);
  const id = write === "create" ? sql`nextval(${sequence(sql, resource)})` : sql`sent.id`;
  const refusals = Object.entries(resource.relations).map(([field, relation]) =>
    sql`case when not ${holds(sql, field, relation)} then ${sql.unsafe(`'${field}'`)} end`
  );
  const written = statements.read(sql`written`);

  return (identifiers: number[], rows: Row[]) => {
    const values = Object.entries(resource.sent).map(([field, { sqlType }]) =>
      sql`${rows.map((row) => row[field]!)}::${sql.unsafe(sqlType)}[]`
    );
    if (write === "update") values.unshift(sql`${identifiers}::bigint[]`);
    return sql<Outcome[]>`
      with sent as (
        select
          ${columns},
          place,
          concat_ws(',', ${list(sql, [sql`null`, ...refusals])}) as refused
        from unnest(${list(sql, values)}) with ordinality as sent (${columns}, place)
      ),
      input as (
        select
          ${id} as id,
          ${list(sql, fields)},
          place
        from (
          select
            ${columns},
            place
          from sent
          where refused = ''
          order by place
        ) as sent
      ),
      written as (
        ${statement}
      )
      select
        sent.refused,
        written.id,
        row_to_json(item)::text as text
      from sent
      left join input
        on input.place = sent.place
      left join written
        on written.id = input.id
      left join (${written}) as item
        on item.${sql(resource.key)} = written.id
      order by sent.place`;
  };
}

/** The relation whose foreign key failed: its target went away while the row was being written. */
function referring({ name, relations }: Resource, constraint: unknown): string {
  const field = Object.keys(relations)
    .find((field) => constraint === `${name}_${relations[field]!.column}_fkey`);
  if (!field) throw new Problem("internal", `No relation of ${name} has the key "${constraint}"`);
  return field;
}

/** Moves the sequence past identifiers that somebody inserted by hand, as plain SQL allows. */
async function advanceIdentifiers(sql: Sql, resource: Resource): Promise<void> {
  await sql`
    select setval(${sequence(sql, resource)}, greatest(
      (select max(id) from ${sql(resource.name)}),
      (select last_value from ${sql(`${resource.name}_id_seq`)})
    ))`;
}

/** The sequence that Postgres makes for the identity column `id`. */
function sequence(sql: Sql, { name }: Resource): Fragment {
  return sql`${sql.unsafe(`'${name}_id_seq'`)}`;
}

function declared(resource: Resource, statements: Statements, write: Write | "delete"): Fragment {
  const statement = statements[write];
  if (statement) return statement;
  throw new Error(`The resource "${resource.name}" declares no statement "${write}"`);
}

/** From an identifier to the path where the row is read. */
function locator({ name, routes }: Resource, prefix: string): (id: number) => string {
  const path = Object.keys(routes).find((path) => routes[path]!.includes(read));
  if (!path) throw new Error(`The resource "${name}" has no route that reads one row`);
  return (id) => prefix + path.replace(/\{\w+\}/, String(id));
}
