// What the role that serves may do: read everything, write what requests write, and nothing else.
import { tableName } from "../db/sql.ts";
import type { Resource, Verb } from "../model/model.ts";
import { linksOf } from "../model/resource.ts";

type Right = "insert" | "update" | "delete";

/** The rights on the table of a resource, and on the tables of its links, that a verb needs. */
const needed: Partial<Record<Verb["name"], { row: Right[]; links: Right[] }>> = {
  create: { row: ["insert"], links: ["insert"] },
  batch: { row: ["insert"], links: ["insert"] },
  replace: { row: ["update"], links: ["insert", "update", "delete"] },
  patch: { row: ["update"], links: ["insert", "update", "delete"] },
  delete: { row: ["delete"], links: ["delete"] },
};

/** The schema of tables that name none. */
const USUAL = "public";

/** The SQL, for psql with a variable `role`. It takes away all rights that the role has there, so it can be run
 * again. */
export function grantsFor(resources: Resource[]): string {
  const written = {
    insert: new Set<string>(),
    update: new Set<string>(),
    delete: new Set<string>(),
  };
  const schemas = new Set([USUAL]);
  for (const resource of resources) {
    const links = linksOf(resource).map(([, { table }]) => table);
    for (const table of [resource.table, ...links]) schemas.add(schemaOf(table));
    for (const { name } of Object.values(resource.routes).flat()) {
      const rights = needed[name];
      for (const right of rights?.row ?? []) written[right].add(quoted(resource.table));
      for (const right of rights?.links ?? []) {
        for (const table of links) written[right].add(quoted(table));
      }
    }
  }
  const inSchemas = [...schemas].map((schema) => `
revoke all on schema ${schema} from :"role";
revoke all on all tables in schema ${schema} from :"role";
revoke all on all sequences in schema ${schema} from :"role";

grant usage on schema ${schema} to :"role";
grant select on all tables in schema ${schema} to :"role";
grant select, update on all sequences in schema ${schema} to :"role";
`);
  const onTables = Object.entries(written).flatMap(([right, tables]) =>
    tables.size === 0 ? [] : `grant ${right} on ${[...tables].join(", ")} to :"role";\n`
  );
  return `${HEAD}${inSchemas.join("")}
-- What requests write.
${onTables.join("")}${OWN}`;
}

const HEAD =
  `-- What the role that serves may do: read everything, write what requests write, and nothing else. Who owns
-- the tables runs this, and again after every migration, since new tables are granted by it:
--   relata migrate grants | psql -v ON_ERROR_STOP=1 -1 -v role=relata_server -f -
-- Each schema is taken for the project's own: keep what the role must not see in another.

revoke create on schema ${USUAL} from public;
`;

const OWN = `
-- Keys are kept and forgotten, never changed: to lock a row takes the right to update a column of it.
grant insert, delete on relata_idempotency to :"role";
grant update (created_at) on relata_idempotency to :"role";

-- Who migrates makes and revokes tokens.
revoke update on sequence relata_token_id_seq from :"role";`;

function schemaOf(table: string): string {
  return table.includes(".") ? quoted(table.split(".")[0]!) : USUAL;
}

function quoted(table: string): string {
  return tableName(table).texts.join("");
}
