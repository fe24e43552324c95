-- What was written under an Idempotency-Key, and what was answered.

create table relata_idempotency (
  request text primary key, -- the SHA-256 of the next four, which may be long, in hexadecimal digits
  caller text not null, -- a token, such as "token 3", or an issuer and a subject; empty where none was asked for
  method text not null,
  path text not null,
  key text not null,
  sent text not null, -- the SHA-256 of the body and the conditions
  status smallint not null,
  identifier text not null, -- of the row, or of one of them if there are several
  text text, -- the JSON that was read then, if any was
  created_at timestamptz not null default now()
);

create index relata_idempotency_created_at on relata_idempotency (created_at);

-- Takes a key for this transaction; false if another one has it, or had it and kept its answer. Each statement of the
-- function sees what was committed before it: whoever gets the lock sees what the last one to have it has kept.

create function relata_take(relata_request text) returns boolean
language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(relata_request, 0)) then
    return false;
  end if;
  return not exists (
    select
    from relata_idempotency
    where request = relata_request
  );
end
$$;
