// The tables in which tools for migrations keep what they have done: no API shows them.

const BOOKKEEPING = [
  "__diesel_schema_migrations",
  "__drizzle_migrations",
  "__efmigrationshistory",
  "_prisma_migrations",
  "_sqlx_migrations",
  "alembic_version",
  "ar_internal_metadata",
  "atlas_schema_revisions",
  "databasechangelog",
  "databasechangeloglock",
  "diesel_schema_migrations",
  "django_migrations",
  "flyway_schema_history",
  "goose_db_version",
  "knex_migrations",
  "knex_migrations_lock",
  "mikro_orm_migrations",
  "pgmigrations",
  "phinxlog",
  "schema_migrations",
  "schema_version",
  "seaql_migrations",
  "sequelizemeta",
  "typeorm_metadata",
];

/** Whether a table is such a one, by its name without the schema. */
export function isBookkeeping(title: string): boolean {
  return BOOKKEEPING.includes(title.toLowerCase());
}
