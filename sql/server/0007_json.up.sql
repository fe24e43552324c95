-- What a JSON merge patch (RFC 7396) makes of a target: the members of its objects replace those of the target, null
-- takes them away, and anything but an object takes the place of the target.

create function relata_merge_patch(relata_target jsonb, relata_patch jsonb) returns jsonb
language plpgsql immutable as $$
begin
  if jsonb_typeof(relata_patch) <> 'object' then
    return relata_patch;
  end if;
  if jsonb_typeof(relata_target) is distinct from 'object' then
    relata_target := '{}';
  end if;
  return (
    select coalesce(jsonb_object_agg(key, value), '{}')
    from (
      select
        key,
        value
      from jsonb_each(relata_target)
      where not relata_patch ? key
      union all
      select
        key,
        relata_merge_patch(relata_target -> key, value)
      from jsonb_each(relata_patch)
      where jsonb_typeof(value) <> 'null'
    ) as member
  );
end
$$;

-- JSON of either type as `jsonb`, for lists that ask what it contains. The first is inlined, so that an index on the
-- column serves; the second is null for what only `json` holds, such as U+0000.

create function relata_jsonb(value jsonb) returns jsonb
language sql immutable
return value;

create function relata_jsonb(value json) returns jsonb
language plpgsql immutable as $$
begin
  return value::jsonb;
exception
  when data_exception or program_limit_exceeded then
    return null;
end
$$;
