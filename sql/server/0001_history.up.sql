-- Which migrations are applied: those of the server itself, and those of the project that it serves. Whoever
-- applies one writes the history, `relata migrate up` or the SQL of `relata migrate print`.

do $$
begin
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'Relata needs a database whose encoding is "UTF8", but the encoding of this one is "%"',
      current_setting('server_encoding');
  end if;
end
$$;

create table relata_migration (
  owner text not null,
  number integer not null,
  name text not null,
  applied_at timestamptz not null default now(),
  checksum text, -- of the up file; null accepts any
  primary key (owner, number),
  constraint relata_migration_owner_known check (owner in ('server', 'project'))
);
