-- Trigrams find a text of three characters and more anywhere in what a person knows a row by. Case is
-- folded by lower() in the collation of the database, here and in the search, so both agree whatever folds
-- case in this database, and whatever collation a column has.
-- A server that lacks trigrams, or does not let this role have them, searches row by row instead.

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;

    create index bar_text on bar
    using gin (lower(coalesce(nullif(name, ''), 'bar ' || id::text) collate "default") gin_trgm_ops);

    create index foo_text on foo
    using gin (lower(coalesce(nullif(name, ''), 'foo ' || id::text) collate "default") gin_trgm_ops);

    create index colere_text on colere
    using gin (lower(coalesce(nullif(name, ''), 'colere ' || id::text) collate "default") gin_trgm_ops);
  end if;
exception
  when insufficient_privilege or undefined_object then
    raise notice 'Searches go row by row: %', sqlerrm;
end
$$;
