-- Runs a statement that makes one row for each row of an array, in one transaction: a row that fails takes back
-- nothing but itself. The statement has one parameter, JSON, and returns an identifier and a text. The session
-- keeps it prepared.
-- In a trial the first row that fails is the last, and all is taken back: the detail of the error tells its ordinal and
-- its error, or nothing if none fails.

create function relata_each(
  relata_statement text,
  relata_rows json,
  relata_is_trial boolean,
  out ordinal integer,
  out id json,
  out text text,
  out error json
) returns setof record
language plpgsql as $$
declare
  prepared constant text := 'relata_' || md5(relata_statement);
  -- Each row makes them immediate at its end: what was deferred is to be so for the next one, and nothing else
  deferred constant text := (
    select case
      when bool_and(condeferred) then 'all'
      else string_agg(format('%I.%I', nspname, conname), ', ') filter (where condeferred and not exists (
        select
        from pg_constraint as other
        where other.connamespace = pg_constraint.connamespace
          and other.conname = pg_constraint.conname
          and not other.condeferred
      ))
    end
    from pg_constraint
    join pg_namespace
      on pg_namespace.oid = connamespace
    where condeferrable
  );
  element json;
  made record;
  state text;
  message text;
  detail text;
  context text;
  in_schema text;
  in_table text;
  in_column text;
  of_constraint text;
  of_type text;
begin
  if not exists (select from pg_prepared_statements where name = prepared) then
    execute format('prepare %I(json) as %s', prepared, relata_statement);
  end if;
  ordinal := 0;
  for element in select value from json_array_elements(relata_rows) loop
    ordinal := ordinal + 1;
    error := null;
    begin
      execute format('execute %I(%L)', prepared, element) into made;
      id := row_to_json(made) -> 'id'; -- a session keeps the type of made.id, which differs by resource
      text := made.text;
      if deferred is not null then
        set constraints all immediate;
        execute format('set constraints %s deferred', deferred);
      end if;
    exception
      when others or assert_failure then
        get stacked diagnostics
          state = returned_sqlstate,
          message = message_text,
          detail = pg_exception_detail,
          context = pg_exception_context,
          in_schema = schema_name,
          in_table = table_name,
          in_column = column_name,
          of_constraint = constraint_name,
          of_type = pg_datatype_name;
        if state ~ '^(53|58)' then -- the system is at its limits, which is about no row
          raise;
        end if;
        id := null;
        text := null;
        error := json_strip_nulls(json_build_object(
          'code', state,
          'message', message,
          'detail', nullif(detail, ''),
          'where', context,
          'schema_name', nullif(in_schema, ''),
          'table_name', nullif(in_table, ''),
          'column_name', nullif(in_column, ''),
          'constraint_name', nullif(of_constraint, ''),
          'data type_name', nullif(of_type, '')
        ));
    end;
    return next;
    exit when relata_is_trial and error is not null;
  end loop;
  if relata_is_trial then
    raise 'Relata has tried it' using
      errcode = 'RL001',
      detail = json_build_object('ordinal', ordinal, 'error', error);
  end if;
end
$$;
