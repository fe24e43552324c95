-- The order of records that are followed: by epoch, by transaction, by identifier. A row bears the first two
-- by the defaults `relata_epoch()` and `pg_current_xact_id()`.

-- Transactions are numbered in one history of one database. A new start of Postgres begins an epoch, because
-- it may be that of a copy, an older backup or a standby, where the same numbers come again. The number of an
-- epoch is the time when it began, in milliseconds, so that it comes after those of rows that were copied here
-- without this table.

create table relata_epoch (
  epoch bigint primary key,
  started timestamptz not null, -- when Postgres did
  database oid not null, -- a copy in the same Postgres has another one
  mark uuid not null default gen_random_uuid() unique, -- what positions know it by: no other history has it
  transaction xid8 not null default pg_current_xact_id(), -- prepared ones may be older, and still commit
  unique (started, database)
);

-- Finds the epoch of now, or begins it. Whoever inserts a row may need to.

create function relata_begin_epoch() returns bigint
language plpgsql security definer set search_path from current as $$
declare
  here constant oid := (select oid from pg_database where datname = current_database());
  found bigint;
  is_own boolean;
begin
  loop
    select epoch, transaction is not distinct from pg_current_xact_id_if_assigned()
    into found, is_own
    from relata_epoch
    where started = pg_postmaster_start_time() and database = here;
    exit when found is not null;
    insert into relata_epoch (epoch, started, database)
    select
      greatest(max(epoch) + 1, extract(epoch from clock_timestamp()) * 1000),
      pg_postmaster_start_time(),
      here
    from relata_epoch
    on conflict do nothing; -- another session began it, and has committed
  end loop;
  -- Until this transaction ends, if it began the epoch: once prepared, it may still be rolled back
  perform set_config('relata.epoch', found::text, is_own);
  return found;
end
$$;

-- The epoch of now, which a session remembers: it ends before its Postgres does.

create function relata_epoch() returns bigint
language sql volatile
return coalesce(nullif(current_setting('relata.epoch', true), '')::bigint, relata_begin_epoch());
