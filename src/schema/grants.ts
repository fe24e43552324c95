// What the role that serves may do: read everything, write what requests write, and nothing else.
import { name, tableName, textOf } from "../db/sql.ts";
import type { Action, Resource } from "../model/model.ts";
import { keeperOf } from "../model/history.ts";
import { linksOf } from "../model/links.ts";
import { writesOf, writtenTables } from "../model/resource.ts";
import { keyColumnsOf } from "../model/table.ts";
import { ownFunctions, signatureOf } from "./functions.ts";
import { levelsOf, type RowLevel } from "./levels.ts";

/** The schema of tables that name none. */
const USUAL = "public";

/** The SQL, for psql with a variable `role`. It takes away all rights that the role has there, so it can be run again.
 * What an action does to the tables that it names, only its SQL knows. */
export function grantsFor(resources: Resource[], actions: Action[] = []): string {
  const ofActions = actions.flatMap(({ tables }) => tables);
  const rights = [
    ...resources.flatMap(rightsOn).filter(([, { length }]) => length > 0),
    ...[...new Set(ofActions)].map((table) => [table, ["insert", "update", "delete"]] as const),
  ];
  const written = [...resources.flatMap(writtenTables), ...ofActions];
  const schemas = new Set([USUAL, ...written.map(schemaName)]);
  const inSchemas = [...schemas].map((schema) => `
revoke all on schema ${schema} from :"role";
revoke all on all tables in schema ${schema} from :"role";
revoke all on all sequences in schema ${schema} from :"role";

grant usage on schema ${schema} to :"role";
grant select on all tables in schema ${schema} to :"role";
grant select, update on all sequences in schema ${schema} to :"role";
`);
  const onTables = rights.map(([table, those]) =>
    `grant ${those.join(", ")} on ${textOf(tableName(table))} to :"role";\n`
  );
  return `${HEAD}${inSchemas.join("")}
-- What requests write.
${[...new Set(onTables)].join("")}${OWN_GRANTS}`;
}

/** What the routes of a resource do to its table, to those of the rows that it owns and to those of links, besides
 * reading. */
export function rightsOn(resource: Resource): [table: string, rights: string[]][] {
  const levels = levelsOf(resource);
  // A row is locked before rows that it owns are written at their own path
  const isHeld = levels.slice(1).some(({ resource }) => writesOf(resource).length > 0);
  const isKept = keeperOf(resource) !== undefined && writesOf(resource).length > 0;
  return [
    ...levels.flatMap((level, depth) => rightsOnLevel(level, isHeld && depth === 0)),
    ...isKept ? rightsOnHistory : [],
  ];
}

/** Changes are kept, completed and, each under a lock, forgotten. */
const rightsOnHistory: [table: string, rights: string[]][] = [
  ["relata_change", ["insert", "update (after)", "delete"]],
  ["relata_forgotten", ["insert", "update"]],
];

function rightsOnLevel(
  { resource, writes }: RowLevel,
  isHeld: boolean,
): [table: string, rights: string[]][] {
  const [stores, changes] = [writes.some((one) => one !== "delete"), writes.includes("update")];
  const locks = (isHeld || writes.includes("delete")) && !changes; // a row is locked before it goes
  const own = [...writes, ...locks ? [updateOf(keyColumnsOf(resource)[0]!)] : []];
  // What is sent replaces the links of the row, and moves those that stay
  const links = linksOf(resource).map(({ table, order, isWritable }): [string, string[]] => {
    const replaces = stores && isWritable;
    return [table, [
      ...replaces ? ["insert"] : [],
      ...replaces && order !== undefined ? [updateOf(order)] : [],
      ...replaces || writes.includes("delete") ? ["delete"] : [],
    ]];
  });
  return [[resource.table, own], ...links];
}

function updateOf(column: string): string {
  return `update (${textOf(name(column))})`;
}

const HEAD =
  `-- What the role that serves may do: read everything, write what requests write, and nothing else. Who owns
-- the tables runs this, and again after every migration, since new tables are granted by it:
--   relata migrate grants | psql -v ON_ERROR_STOP=1 -1 -v role=relata_server -f -
-- Each schema is taken for the project's own: keep what the role must not see in another.

revoke create on schema ${USUAL} from public;
`;

const OWN_GRANTS = `
-- Keys are kept and forgotten, never changed: to lock a row takes the right to update a column of it.
grant insert, delete on relata_idempotency to :"role";
grant update (created_at) on relata_idempotency to :"role";

-- For a database that took them from public.
grant execute on function
  ${ownFunctions.map(signatureOf).join(",\n  ")}
to :"role";

-- Who migrates makes and revokes tokens.
revoke update on sequence relata_token_id_seq from :"role";`;

function schemaName(table: string): string {
  return table.includes(".") ? textOf(name(table.split(".")[0]!)) : USUAL;
}
