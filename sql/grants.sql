-- What the role that serves may do: read everything, write what requests write, and nothing else. Who
-- owns the tables runs this, and again after every migration, since new tables are granted by it:
--   psql -v ON_ERROR_STOP=1 -1 -v role=relata_server -f sql/grants.sql
-- The schema "public" is taken for Relata's own: keep what the role must not see in another.

revoke create on schema public from public;
revoke all on schema public from :"role";
revoke all on all tables in schema public from :"role";
revoke all on all sequences in schema public from :"role";

grant usage on schema public to :"role";
grant select, insert, update, delete on all tables in schema public to :"role";
grant select, update on all sequences in schema public to :"role";

-- What was recorded stays as it is.
revoke update, delete on colere, bottage from :"role";

-- Keys are kept and forgotten, never changed: to lock a row takes the right to update a column of it.
revoke update on relata_idempotency from :"role";
grant update (created_at) on relata_idempotency to :"role";

-- Who migrates writes the history, and makes and revokes tokens.
revoke insert, update, delete on relata_migration, relata_token from :"role";
revoke update on sequence relata_token_id_seq from :"role";
