-- What statements need of columns whose type they do not know.

-- A text in the type of a column.
create function relata_cast(relata_sent text, relata_like anyelement) returns anyelement
language plpgsql stable as $$
begin
  return relata_sent;
end
$$;

-- The same; null if the column cannot hold it.
create function relata_key(relata_sent text, relata_like anyelement) returns anyelement
language plpgsql stable as $$
begin
  relata_like := relata_sent; -- what is returned would be converted after the exception is caught
  return relata_like;
exception
  when data_exception or check_violation then
    return null;
end
$$;

-- The value that a column has in a row which gives it none: that of its default, or the next one of its identity.
create function relata_default(relata_table text, relata_column text, relata_like anyelement)
returns anyelement
language plpgsql volatile as $$
declare
  found text;
begin
  select coalesce(
    pg_get_expr(adbin, adrelid),
    format('nextval(%L)', pg_get_serial_sequence(relata_table, relata_column))
  )
  into found
  from pg_attribute
  left join pg_attrdef
    on adrelid = attrelid
    and adnum = attnum
  where attrelid = relata_table::regclass
    and attname = relata_column;
  execute 'select ' || found into relata_like;
  return relata_like;
end
$$;

-- Whether a type takes a text, in whatever way Postgres says that it does not. What a domain says of a value of its type
-- is left to the write, which tells it as it tells any check; that the system is at its limits, or another session in the
-- way, is about no text.
create function relata_takes(relata_type text, relata_sent text) returns boolean
language plpgsql stable strict as $$
begin
  execute format('select from json_to_record($1) as relata_typed (value %s)', relata_type)
  using json_build_object('value', relata_sent);
  return true;
exception
  when check_violation or not_null_violation then
    return true;
  when others or assert_failure then
    if sqlstate ~ '^(40|53|55|57|58)' then
      raise;
    end if;
    return false;
end
$$;
