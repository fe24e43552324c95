-- Spreads the tables over the workers of Citus. No test here runs this file: it is the order of
-- statements that worked by hand on Citus 13.2.2 (see "Past one primary" in deploy/README.md for what
-- it costs).
--
-- Before: the database has the extension citus and knows its workers, the roles were made in that
-- database, and `relata migrate up` has run. The owner of the tables runs it once, while no server
-- uses them:
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f deploy/citus.sql

-- 0. Nobody can follow records: each node numbers its own transactions. Drop the columns for it, which
-- came after the trial.
alter table bottage drop column relata_epoch, drop column relata_transaction;

-- 1. Drop the foreign keys first. In other orders Citus refused: "cannot complete operation on a table
-- with identity column".
alter table foo drop constraint foo_bar_id_fkey;
alter table bottage drop constraint bottage_colere_id_fkey;

-- 2. Every node has a copy of the tables that others refer to.
select create_reference_table('bar');
select create_reference_table('colere');

-- 3. The tables that grow are distributed by their identifier.
select create_distributed_table('foo', 'id');
select create_distributed_table('bottage', 'id');

-- 4. The foreign keys again, under the same names.
alter table foo add constraint foo_bar_id_fkey foreign key (bar_id) references bar (id);
alter table bottage add constraint bottage_colere_id_fkey foreign key (colere_id) references colere (id);

-- 5. Do nothing to relata_idempotency: it stays local. With the keys distributed Citus refused: "could
-- not run distributed query with FOR UPDATE/SHARE commands".
