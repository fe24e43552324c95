-- list foo by id: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    null as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id"
    from "foo"
    where "foo"."id" > :'relata_after_id'::bigint
    order by "foo"."id" asc
    limit 51
  ) as "foo"
  order by "foo"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by -id: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    null as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id"
    from "foo"
    where "foo"."id" < :'relata_after_id'::bigint
    order by "foo"."id" desc
    limit 51
  ) as "foo"
  order by "foo"."id" desc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by name: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  (array_agg(relata_key))[least(count(text), :'relata_limit'::integer)]::text as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    "foo".relata_key as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id",
      "foo"."name" as relata_key
    from "foo"
    where ("foo"."name" collate "C", "foo"."id") > (:'relata_after', :'relata_after_id'::bigint)
    order by "foo"."name" collate "C" asc, "foo"."id" asc
    limit 51
  ) as "foo"
  order by "foo".relata_key collate "C" asc, "foo"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by -name: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  (array_agg(relata_key))[least(count(text), :'relata_limit'::integer)]::text as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    "foo".relata_key as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id",
      "foo"."name" as relata_key
    from "foo"
    where ("foo"."name" collate "C", "foo"."id") < (:'relata_after', :'relata_after_id'::bigint)
    order by "foo"."name" collate "C" desc, "foo"."id" desc
    limit 51
  ) as "foo"
  order by "foo".relata_key collate "C" desc, "foo"."id" desc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by id with name: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    null as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id"
    from "foo"
    where "foo"."name" collate "C" = any(:'name')
    order by "foo"."name" collate "C" asc, "foo"."id" asc
    limit 51
  ) as "foo"
  order by "foo"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by id with q: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    null as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id"
    from "foo"
    where lower(coalesce(nullif("foo"."name", ''), 'foo ' || "foo"."id"::text) collate "default") like lower(:'q'::text)
      and lower("foo"."name" collate "default") like lower(:'q'::text)
    order by "foo"."id" asc
    limit 51
  ) as "foo"
  order by "foo"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by id with bar: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "foo"."id" as id,
    null as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id"
    from "foo"
    where "foo"."bar_id" = any(:'bar'::bigint[])
    order by "foo"."bar_id" asc, "foo"."id" asc
    limit 51
  ) as "foo"
  order by "foo"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- list foo by id with count: GET /api/foos/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  (
    select count(*)
    from "foo"
  ) as count
from (
  select
    "foo"."id" as id,
    null as relata_key,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
      ) as item
    ) as text
  from (
    select
      "foo"."id", "foo"."name", "foo"."bar_id"
    from "foo"
    order by "foo"."id" asc
    limit 51
  ) as "foo"
  order by "foo"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- create foo: POST /api/foos/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."bar_id" is not null
        and (
          select true
          from (
            select
              "bar"."id" as id,
              coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
            from "bar"
          ) as candidate
          where candidate.id = sent."bar_id"
        ) is null
        then 'bar:does_not_exist'
      end
    ) as relata_refused
  from json_to_record(:'row'::json) as sent (
    "name" text,
    "bar_id" bigint
  )
),
relata_written as (
  insert into "foo" ("name", "bar_id")
  select "name", "bar_id"
  from relata_sent
  where relata_refused = ''
  returning "foo"."id", "foo"."name", "foo"."bar_id"
)
select
  coalesce(
    "foo"."id",
    current_setting('relata_refused(' || relata_refused || ')')::bigint
  ) as id,
  (
    select row_to_json(item.*)::text
    from (
      select
        "foo"."id" as "id",
        "foo"."name" as "name",
        row_to_json("relata$bar") as "bar"
      from (select "foo".*) as "foo"
      left join (
        select
          "bar"."id" as "id",
          "bar"."name" as "name"
        from "bar"
      ) as "relata$bar"
        on "relata$bar"."id" = "foo"."bar_id"
      where ("foo"."bar_id" is null or "relata$bar"."id" is not null)
    ) as item
  ) as text
from relata_sent
left join relata_written as "foo"
  on true;

-- create foo once: POST /api/foos/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."bar_id" is not null
        and (
          select true
          from (
            select
              "bar"."id" as id,
              coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
            from "bar"
          ) as candidate
          where candidate.id = sent."bar_id"
        ) is null
        then 'bar:does_not_exist'
      end
    ) as relata_refused
  from json_to_record(case
    when relata_take(:'request'::text)
    then :'row'::json
    else current_setting('relata_refused(' || 'key' || ')')::json
  end) as sent (
    "name" text,
    "bar_id" bigint
  )
),
relata_written as (
  insert into "foo" ("name", "bar_id")
  select "name", "bar_id"
  from relata_sent
  where relata_refused = ''
  returning "foo"."id", "foo"."name", "foo"."bar_id"
),
relata_made as (
  select
    coalesce(
      "foo"."id",
      current_setting('relata_refused(' || relata_refused || ')')::bigint
    ) as id,
    coalesce(
      (
        select row_to_json(item.*)::text
        from (
          select
            "foo"."id" as "id",
            "foo"."name" as "name",
            row_to_json("relata$bar") as "bar"
          from (select "foo".*) as "foo"
          left join (
            select
              "bar"."id" as "id",
              "bar"."name" as "name"
            from "bar"
          ) as "relata$bar"
            on "relata$bar"."id" = "foo"."bar_id"
          where ("foo"."bar_id" is null or "relata$bar"."id" is not null)
        ) as item
      ),
      current_setting('relata_refused(' || 'unseen' || ')')
    ) as text
  from relata_sent
  left join relata_written as "foo"
    on true
),
relata_kept as (
  insert into relata_idempotency (
    request, caller, method, path, key, sent, status, identifier, text
  )
  select
    :'request'::text,
    :'caller'::text,
    :'method'::text,
    :'path'::text,
    :'key'::text,
    :'sent'::text,
    201,
    id::text,
    text
  from relata_made
)
select
  id,
  text
from relata_made;

-- create foo shared: POST /api/foos/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."bar_id" is not null
        and (
          select true
          from (
            select
              "bar"."id" as id,
              coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
            from "bar"
          ) as candidate
          where candidate.id = sent."bar_id"
        ) is null
        then 'bar:does_not_exist'
      end
    ) as relata_refused
  from rows from (
    json_to_recordset(:'rows'::json) as (
      "name" text,
      "bar_id" bigint
    )
  ) with ordinality as sent ("name", "bar_id", relata_ordinal)
),
relata_input as materialized (
  select *
  from relata_sent
  where relata_refused = ''
  order by relata_ordinal
),
relata_written as (
  insert into "foo" ("name", "bar_id")
  select "name", "bar_id"
  from relata_input
  where set_config('relata.ordinal', relata_ordinal::text, true) is not null
  returning
    "foo"."id", "foo"."name", "foo"."bar_id",
    current_setting('relata.ordinal')::bigint as relata_ordinal
)
select
  relata_ordinal as ordinal,
  relata_refused as refused,
  null::bigint as id,
  null as text
from relata_sent
where relata_refused <> ''
union all
select
  relata_ordinal,
  '',
  "foo"."id",
  (
    select row_to_json(item.*)::text
    from (
      select
        "foo"."id" as "id",
        "foo"."name" as "name",
        row_to_json("relata$bar") as "bar"
      from (select "foo".*) as "foo"
      left join (
        select
          "bar"."id" as "id",
          "bar"."name" as "name"
        from "bar"
      ) as "relata$bar"
        on "relata$bar"."id" = "foo"."bar_id"
      where ("foo"."bar_id" is null or "relata$bar"."id" is not null)
    ) as item
  )
from relata_written as "foo"
where (
  select case
    when count("foo"."id") < greatest((select count(*) from relata_input), 1)
    then current_setting('relata_refused(' || '' || ')')
  end
  from relata_written as "foo"
) is null;

-- mend the sequence of foo: POST /api/foos/, POST /api/foos/batch/, PUT /api/foos/{foo_id}/, PATCH /api/foos/{foo_id}/
with relata_next as (
  select
    sequence,
    nextval(sequence) as next
  from (
    select (
      select min(seqrelid)::regclass
      from (
        select refobjid as sequence
        from pg_attrdef
        join pg_depend
          on classid = 'pg_attrdef'::regclass
          and objid = pg_attrdef.oid
          and refclassid = 'pg_class'::regclass
        where adrelid = own.attrelid and adnum = own.attnum
        union all
        select objid
        from pg_depend
        where classid = 'pg_class'::regclass
          and refclassid = 'pg_class'::regclass
          and refobjid = own.attrelid
          and refobjsubid = own.attnum
          and deptype in ('a', 'i')
      ) as used
      join pg_sequence
        on seqrelid = sequence
    ) as sequence
    from pg_index
    join pg_class as index
      on index.oid = indexrelid
    join pg_attribute as indexed
      on indexed.attrelid = indrelid
      and indexed.attname = 'id'
    join pg_attribute as own
      on own.attrelid = coalesce(pg_partition_root(indrelid), indrelid)
      and own.attname = 'id'
    where own.attrelid = '"foo"'::regclass
      and index.relname = :'constraint'::text
      and indkey::text = indexed.attnum::text
  ) as identifier
)
select case
  when relata_kept.largest > next then setval(sequence, relata_kept.largest)
  else next
end as set
from relata_next
cross join lateral (
  select max(kept."id")::bigint as largest
  from "foo" as kept
  where kept."id" <= (relata_next.next + 9007199254740991) / 2
) as relata_kept;

-- check foo: POST /api/foos/, POST /api/foos/batch/, PUT /api/foos/{foo_id}/, PATCH /api/foos/{foo_id}/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."bar_id" is not null
        and (
          select true
          from (
            select
              "bar"."id" as id,
              coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
            from "bar"
          ) as candidate
          where candidate.id = sent."bar_id"
        ) is null
        then 'bar:does_not_exist'
      end
    ) as relata_refused
  from rows from (
    json_to_recordset(:'rows'::json) as (
      "name" text,
      "bar_id" bigint
    )
  ) with ordinality as sent ("name", "bar_id", relata_ordinal)
)
select
  relata_ordinal as ordinal,
  relata_refused as refused
from relata_sent
where relata_refused <> '';

-- probe foo: POST /api/foos/, POST /api/foos/batch/, PUT /api/foos/{foo_id}/, PATCH /api/foos/{foo_id}/, DELETE /api/foos/{foo_id}/
select json_populate_record(
  (
    select relata_row
    from "foo" as relata_row
    limit 1
  ),
  :'row'::json
) is null as empty;

-- read foo: POST /api/foos/, POST /api/foos/batch/, GET /api/foos/{foo_id}/, PUT /api/foos/{foo_id}/, PATCH /api/foos/{foo_id}/, DELETE /api/foos/{foo_id}/
select
  "foo"."id" as id,
  (
    select row_to_json(item.*)::text
    from (
      select
        "foo"."id" as "id",
        "foo"."name" as "name",
        row_to_json("relata$bar") as "bar"
      from (select "foo".*) as "foo"
      left join (
        select
          "bar"."id" as "id",
          "bar"."name" as "name"
        from "bar"
      ) as "relata$bar"
        on "relata$bar"."id" = "foo"."bar_id"
    ) as item
  ) as text
from "foo"
where "foo"."id" = any((select :'ids'::bigint[])::bigint[]);

-- create foo batch: POST /api/foos/batch/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."bar_id" is not null
        and (
          select true
          from (
            select
              "bar"."id" as id,
              coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
            from "bar"
          ) as candidate
          where candidate.id = sent."bar_id"
        ) is null
        then 'bar:does_not_exist'
      end
    ) as relata_refused
  from rows from (
    json_to_recordset(:'rows'::json) as (
      "name" text,
      "bar_id" bigint
    )
  ) with ordinality as sent ("name", "bar_id", relata_ordinal)
),
relata_input as materialized (
  select *
  from relata_sent
  where relata_refused = ''
    and not exists (select from relata_sent where relata_refused <> '')
  order by relata_ordinal
),
relata_written as (
  insert into "foo" ("name", "bar_id")
  select "name", "bar_id"
  from relata_input
  where set_config('relata.ordinal', relata_ordinal::text, true) is not null
  returning
    "foo"."id", "foo"."name", "foo"."bar_id",
    current_setting('relata.ordinal')::bigint as relata_ordinal
)
select
  coalesce(
    case when count(id) = (select count(*) from relata_sent) then (array_agg(id))[1] end,
    current_setting('relata_refused(' || (
      select coalesce(json_agg(
        json_build_array(relata_ordinal - 1, relata_refused) order by relata_ordinal
      )::text, '')
      from relata_sent
      where relata_refused <> ''
    ) || ')')::bigint
  ) as id,
  case when bool_and(text is not null)
    then '[' || string_agg(text, ',' order by ordinal) || ']'
    else json_agg(id order by ordinal)::text
  end as text
from (
  select
    relata_ordinal as ordinal,
    "foo"."id" as id,
    (
      select row_to_json(item.*)::text
      from (
        select
          "foo"."id" as "id",
          "foo"."name" as "name",
          row_to_json("relata$bar") as "bar"
        from (select "foo".*) as "foo"
        left join (
          select
            "bar"."id" as "id",
            "bar"."name" as "name"
          from "bar"
        ) as "relata$bar"
          on "relata$bar"."id" = "foo"."bar_id"
        where ("foo"."bar_id" is null or "relata$bar"."id" is not null)
      ) as item
    ) as text
  from relata_written as "foo"
) as made;

-- lock foo for no key update: PUT /api/foos/{foo_id}/, PATCH /api/foos/{foo_id}/
select
from "foo" as relata_row
where relata_row."id" = :'id'::bigint
for no key update;

-- change foo: PUT /api/foos/{foo_id}/, PATCH /api/foos/{foo_id}/
with relata_free as (
  select
  from "foo" as relata_row
  where relata_row."id" = :'id'::bigint
  for no key update skip locked
),
relata_locked as (
  select
    "foo"."id" as id,
    "foo".relata_row,
    relata_waited,
    (:'tags'::json is null or not relata_waited and relata_version = (
      select relata_seen.xmin
      from "foo" as relata_seen
      where relata_seen."id" = "foo"."id"
    )) as relata_is_current,
    case when :'tags'::json is null then true else (
      left(encode(sha256(convert_to((
        select row_to_json(item.*)::text
        from (
          select
            "foo"."id" as "id",
            "foo"."name" as "name",
            row_to_json("relata$bar") as "bar"
          from (select "foo".*) as "foo"
          left join (
            select
              "bar"."id" as "id",
              "bar"."name" as "name"
            from "bar"
          ) as "relata$bar"
            on "relata$bar"."id" = "foo"."bar_id"
        ) as item
      ), 'UTF8')), 'hex'), 32)
      in (select json_array_elements_text(:'tags'::json))
    ) = :'isOneOf'::boolean end as relata_matches
  from (
    select
      relata_row."id", relata_row."name", relata_row."bar_id",
      relata_row,
      relata_row.xmin as relata_version,
      relata_probe.relata_waited
    from (select count(*) = 0 as relata_waited from relata_free) as relata_probe
    join "foo" as relata_row
      on relata_row."id" = :'id'::bigint
    for no key update of relata_row
  ) as "foo"
),
relata_sent as (
  select
    concat_ws(
      ',',
      null,
      case when sent."bar_id" is not null
        and (
          select true
          from (
            select
              "bar"."id" as id,
              coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
            from "bar"
          ) as candidate
          where candidate.id = sent."bar_id"
        ) is null
        then 'bar:does_not_exist'
      end
    ) as relata_refused
  from json_to_record(:'row'::json) as sent (
    "name" text,
    "bar_id" bigint
  )
),
relata_updated as (
  update "foo"
  set
    "name" = relata_changed."name",
    "bar_id" = relata_changed."bar_id"
  from relata_locked
  cross join relata_sent
  cross join json_populate_record(
    relata_row,
    case when relata_refused = '' then :'row'::json end
  ) as relata_changed
  where "foo"."id" = :'id'::bigint
    and relata_is_current and relata_matches
    and relata_refused = ''
  returning "foo"."id", "foo"."name", "foo"."bar_id"
),
relata_written as (
  select *
  from relata_updated
  union all
  select (relata_row)."id", (relata_row)."name", (relata_row)."bar_id"
  from relata_locked
  cross join relata_sent
  where relata_is_current and relata_matches
    and not exists (select from relata_updated)
    and case when relata_refused = '' then
      relata_row *= json_populate_record(relata_row, :'row'::json)
    end
)
select
  relata_is_current as "isCurrent",
  relata_matches as "matches",
  coalesce(
    "foo"."id",
    current_setting('relata_refused(' || case
      when relata_refused <> '' or (relata_is_current and relata_matches)
      then relata_refused
      when exists (
        select
        from pg_trigger
        where tgrelid = any(array['"foo"']::text[]::regclass[])
          and tgtype & 1 = 0
      )
      then json_build_object('isCurrent', relata_is_current, 'matches', relata_matches)::text
    end || ')')::bigint
  ) as id,
  case when not relata_locked.relata_waited then (
    select row_to_json(item.*)::text
    from (
      select
        "foo"."id" as "id",
        "foo"."name" as "name",
        row_to_json("relata$bar") as "bar"
      from (select "foo".*) as "foo"
      left join (
        select
          "bar"."id" as "id",
          "bar"."name" as "name"
        from "bar"
      ) as "relata$bar"
        on "relata$bar"."id" = "foo"."bar_id"
      where ("foo"."bar_id" is null or "relata$bar"."id" is not null)
    ) as item
  ) end as text
from relata_sent
left join relata_locked
  on true
left join relata_written as "foo"
  on true;

-- lock foo for update: DELETE /api/foos/{foo_id}/
select
from "foo" as relata_row
where relata_row."id" = :'id'::bigint
for update;

-- delete foo: DELETE /api/foos/{foo_id}/
with relata_free as (
  select
  from "foo" as relata_row
  where relata_row."id" = :'id'::bigint
  for update skip locked
),
relata_locked as (
  select
    "foo"."id" as id,
    "foo".relata_row,
    relata_waited,
    (:'tags'::json is null or not relata_waited and relata_version = (
      select relata_seen.xmin
      from "foo" as relata_seen
      where relata_seen."id" = "foo"."id"
    )) as relata_is_current,
    case when :'tags'::json is null then true else (
      left(encode(sha256(convert_to((
        select row_to_json(item.*)::text
        from (
          select
            "foo"."id" as "id",
            "foo"."name" as "name",
            row_to_json("relata$bar") as "bar"
          from (select "foo".*) as "foo"
          left join (
            select
              "bar"."id" as "id",
              "bar"."name" as "name"
            from "bar"
          ) as "relata$bar"
            on "relata$bar"."id" = "foo"."bar_id"
        ) as item
      ), 'UTF8')), 'hex'), 32)
      in (select json_array_elements_text(:'tags'::json))
    ) = :'isOneOf'::boolean end as relata_matches
  from (
    select
      relata_row."id", relata_row."name", relata_row."bar_id",
      relata_row,
      relata_row.xmin as relata_version,
      relata_probe.relata_waited
    from (select count(*) = 0 as relata_waited from relata_free) as relata_probe
    join "foo" as relata_row
      on relata_row."id" = :'id'::bigint
    for update of relata_row
  ) as "foo"
),
relata_deleted as (
  delete from "foo"
  using relata_locked
  where "foo"."id" = :'id'::bigint
    and relata_is_current and relata_matches
  returning "foo"."id" as id
)
select
  relata_is_current as "isCurrent",
  relata_matches as "matches",
  coalesce(
    deleted.id,
    current_setting('relata_refused(' || case
      when relata_is_current and relata_matches
      then ''
      when exists (
        select
        from pg_trigger
        where tgrelid = any(array['"foo"']::text[]::regclass[])
          and tgtype & 1 = 0
      )
      then json_build_object('isCurrent', relata_is_current, 'matches', relata_matches)::text
    end || ')')::bigint
  ) as id
from (select) as relata_asked
left join relata_locked
  on true
left join relata_deleted as deleted
  on true;

-- choices of bar: GET /api/foos/choices/bar/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "bar"."id" as id,
      coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
    from "bar"
  ) as candidate
  where candidate.id > :'after'::bigint
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;

-- choices of bar that contain a text: GET /api/foos/choices/bar/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "bar"."id" as id,
      coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
    from "bar"
  ) as candidate
  where candidate.id > :'after'::bigint
    and lower(candidate.text collate "default") like lower(:'q'::text)
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;

-- choices of bar with some identifiers: GET /api/foos/choices/bar/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "bar"."id" as id,
      coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
    from "bar"
  ) as candidate
  where candidate.id > :'after'::bigint
    and candidate.id = any(:'id__in'::bigint[])
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;

-- choices of bar that contain a text with some identifiers: GET /api/foos/choices/bar/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "bar"."id" as id,
      coalesce(nullif("bar"."name", ''), 'bar ' || "bar"."id"::text) as text
    from "bar"
  ) as candidate
  where candidate.id > :'after'::bigint
    and lower(candidate.text collate "default") like lower(:'q'::text)
    and candidate.id = any(:'id__in'::bigint[])
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;
-- list bottage by id: GET /bottage/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "bottage"."id" as id,
    null as relata_key,
    case
      when coalesce(sum(coalesce(octet_length("bottage"."cul"), 0)) over (
        order by "bottage"."id" asc
        rows between unbounded preceding and 1 preceding
      ), 0) < 1048576
      then (
        select row_to_json(item.*)::text
        from (
          select
            "bottage"."id" as "bottage",
            "bottage"."cul" as "cul",
            "bottage"."colere_id" as "colere",
            case
              when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
              then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
            end as "date"
          from (select "bottage".*) as "bottage"
        ) as item
      )
    end as text
  from (
    select
      "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at"
    from "bottage"
    where "bottage"."id" > :'relata_after_id'::bigint
    order by "bottage"."id" asc
    limit 51
  ) as "bottage"
  order by "bottage"."id" asc
  limit :'relata_limit'::integer + 1
) as page;

-- list bottage by -id: GET /bottage/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "bottage"."id" as id,
    null as relata_key,
    case
      when coalesce(sum(coalesce(octet_length("bottage"."cul"), 0)) over (
        order by "bottage"."id" desc
        rows between unbounded preceding and 1 preceding
      ), 0) < 1048576
      then (
        select row_to_json(item.*)::text
        from (
          select
            "bottage"."id" as "bottage",
            "bottage"."cul" as "cul",
            "bottage"."colere_id" as "colere",
            case
              when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
              then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
            end as "date"
          from (select "bottage".*) as "bottage"
        ) as item
      )
    end as text
  from (
    select
      "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at"
    from "bottage"
    where "bottage"."id" < :'relata_after_id'::bigint
    order by "bottage"."id" desc
    limit 51
  ) as "bottage"
  order by "bottage"."id" desc
  limit :'relata_limit'::integer + 1
) as page;

-- list bottage by -id with colere: GET /bottage/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  null as count
from (
  select
    "bottage"."id" as id,
    null as relata_key,
    case
      when coalesce(sum(coalesce(octet_length("bottage"."cul"), 0)) over (
        order by "bottage"."id" desc
        rows between unbounded preceding and 1 preceding
      ), 0) < 1048576
      then (
        select row_to_json(item.*)::text
        from (
          select
            "bottage"."id" as "bottage",
            "bottage"."cul" as "cul",
            "bottage"."colere_id" as "colere",
            case
              when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
              then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
            end as "date"
          from (select "bottage".*) as "bottage"
        ) as item
      )
    end as text
  from (
    select
      "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at"
    from "bottage"
    where "bottage"."colere_id" = any(:'colere'::bigint[])
    order by "bottage"."colere_id" desc, "bottage"."id" desc
    limit 51
  ) as "bottage"
  order by "bottage"."id" desc
  limit :'relata_limit'::integer + 1
) as page;

-- list bottage by -id with count: GET /bottage/
select
  array_to_string((array_agg(text))[1 : :'relata_limit'::integer], ',') as items,
  (array_agg(id))[least(count(text), :'relata_limit'::integer)]::text as id,
  null as key,
  count(*) > least(count(text), :'relata_limit'::integer) as more,
  (
    select count(*)
    from "bottage"
  ) as count
from (
  select
    "bottage"."id" as id,
    null as relata_key,
    case
      when coalesce(sum(coalesce(octet_length("bottage"."cul"), 0)) over (
        order by "bottage"."id" desc
        rows between unbounded preceding and 1 preceding
      ), 0) < 1048576
      then (
        select row_to_json(item.*)::text
        from (
          select
            "bottage"."id" as "bottage",
            "bottage"."cul" as "cul",
            "bottage"."colere_id" as "colere",
            case
              when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
              then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
            end as "date"
          from (select "bottage".*) as "bottage"
        ) as item
      )
    end as text
  from (
    select
      "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at"
    from "bottage"
    order by "bottage"."id" desc
    limit 51
  ) as "bottage"
  order by "bottage"."id" desc
  limit :'relata_limit'::integer + 1
) as page;

-- create bottage: POST /bottage/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."colere_id" is not null
        and (
          select true
          from (
            select
              "colere"."id" as id,
              coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
            from "colere"
          ) as candidate
          where candidate.id = sent."colere_id"
        ) is null
        then 'colere:does_not_exist'
      end
    ) as relata_refused
  from json_to_record(:'row'::json) as sent (
    "cul" text,
    "colere_id" bigint
  )
),
relata_written as (
  insert into "bottage" ("cul", "colere_id")
  select "cul", "colere_id"
  from relata_sent
  where relata_refused = ''
  returning "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at"
)
select
  coalesce(
    "bottage"."id",
    current_setting('relata_refused(' || relata_refused || ')')::bigint
  ) as id,
  (
    select row_to_json(item.*)::text
    from (
      select
        "bottage"."id" as "bottage",
        "bottage"."cul" as "cul",
        "bottage"."colere_id" as "colere",
        case
          when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
          then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
        end as "date"
      from (select "bottage".*) as "bottage"
    ) as item
  ) as text
from relata_sent
left join relata_written as "bottage"
  on true;

-- create bottage once: POST /bottage/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."colere_id" is not null
        and (
          select true
          from (
            select
              "colere"."id" as id,
              coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
            from "colere"
          ) as candidate
          where candidate.id = sent."colere_id"
        ) is null
        then 'colere:does_not_exist'
      end
    ) as relata_refused
  from json_to_record(case
    when relata_take(:'request'::text)
    then :'row'::json
    else current_setting('relata_refused(' || 'key' || ')')::json
  end) as sent (
    "cul" text,
    "colere_id" bigint
  )
),
relata_written as (
  insert into "bottage" ("cul", "colere_id")
  select "cul", "colere_id"
  from relata_sent
  where relata_refused = ''
  returning "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at"
),
relata_made as (
  select
    coalesce(
      "bottage"."id",
      current_setting('relata_refused(' || relata_refused || ')')::bigint
    ) as id,
    coalesce(
      (
        select row_to_json(item.*)::text
        from (
          select
            "bottage"."id" as "bottage",
            "bottage"."cul" as "cul",
            "bottage"."colere_id" as "colere",
            case
              when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
              then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
            end as "date"
          from (select "bottage".*) as "bottage"
        ) as item
      ),
      current_setting('relata_refused(' || 'unseen' || ')')
    ) as text
  from relata_sent
  left join relata_written as "bottage"
    on true
),
relata_kept as (
  insert into relata_idempotency (
    request, caller, method, path, key, sent, status, identifier, text
  )
  select
    :'request'::text,
    :'caller'::text,
    :'method'::text,
    :'path'::text,
    :'key'::text,
    :'sent'::text,
    201,
    id::text,
    text
  from relata_made
)
select
  id,
  text
from relata_made;

-- create bottage shared: POST /bottage/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."colere_id" is not null
        and (
          select true
          from (
            select
              "colere"."id" as id,
              coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
            from "colere"
          ) as candidate
          where candidate.id = sent."colere_id"
        ) is null
        then 'colere:does_not_exist'
      end
    ) as relata_refused
  from rows from (
    json_to_recordset(:'rows'::json) as (
      "cul" text,
      "colere_id" bigint
    )
  ) with ordinality as sent ("cul", "colere_id", relata_ordinal)
),
relata_input as materialized (
  select *
  from relata_sent
  where relata_refused = ''
  order by relata_ordinal
),
relata_written as (
  insert into "bottage" ("cul", "colere_id")
  select "cul", "colere_id"
  from relata_input
  where set_config('relata.ordinal', relata_ordinal::text, true) is not null
  returning
    "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at",
    current_setting('relata.ordinal')::bigint as relata_ordinal
)
select
  relata_ordinal as ordinal,
  relata_refused as refused,
  null::bigint as id,
  null as text
from relata_sent
where relata_refused <> ''
union all
select
  relata_ordinal,
  '',
  "bottage"."id",
  (
    select row_to_json(item.*)::text
    from (
      select
        "bottage"."id" as "bottage",
        "bottage"."cul" as "cul",
        "bottage"."colere_id" as "colere",
        case
          when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
          then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
        end as "date"
      from (select "bottage".*) as "bottage"
    ) as item
  )
from relata_written as "bottage"
where (
  select case
    when count("bottage"."id") < greatest((select count(*) from relata_input), 1)
    then current_setting('relata_refused(' || '' || ')')
  end
  from relata_written as "bottage"
) is null;

-- mend the sequence of bottage: POST /bottage/, POST /bottage/batch/
with relata_next as (
  select
    sequence,
    nextval(sequence) as next
  from (
    select (
      select min(seqrelid)::regclass
      from (
        select refobjid as sequence
        from pg_attrdef
        join pg_depend
          on classid = 'pg_attrdef'::regclass
          and objid = pg_attrdef.oid
          and refclassid = 'pg_class'::regclass
        where adrelid = own.attrelid and adnum = own.attnum
        union all
        select objid
        from pg_depend
        where classid = 'pg_class'::regclass
          and refclassid = 'pg_class'::regclass
          and refobjid = own.attrelid
          and refobjsubid = own.attnum
          and deptype in ('a', 'i')
      ) as used
      join pg_sequence
        on seqrelid = sequence
    ) as sequence
    from pg_index
    join pg_class as index
      on index.oid = indexrelid
    join pg_attribute as indexed
      on indexed.attrelid = indrelid
      and indexed.attname = 'id'
    join pg_attribute as own
      on own.attrelid = coalesce(pg_partition_root(indrelid), indrelid)
      and own.attname = 'id'
    where own.attrelid = '"bottage"'::regclass
      and index.relname = :'constraint'::text
      and indkey::text = indexed.attnum::text
  ) as identifier
)
select case
  when relata_kept.largest > next then setval(sequence, relata_kept.largest)
  else next
end as set
from relata_next
cross join lateral (
  select max(kept."id")::bigint as largest
  from "bottage" as kept
  where kept."id" <= (relata_next.next + 9007199254740991) / 2
) as relata_kept;

-- check bottage: POST /bottage/, POST /bottage/batch/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."colere_id" is not null
        and (
          select true
          from (
            select
              "colere"."id" as id,
              coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
            from "colere"
          ) as candidate
          where candidate.id = sent."colere_id"
        ) is null
        then 'colere:does_not_exist'
      end
    ) as relata_refused
  from rows from (
    json_to_recordset(:'rows'::json) as (
      "cul" text,
      "colere_id" bigint
    )
  ) with ordinality as sent ("cul", "colere_id", relata_ordinal)
)
select
  relata_ordinal as ordinal,
  relata_refused as refused
from relata_sent
where relata_refused <> '';

-- probe bottage: POST /bottage/, POST /bottage/batch/
select json_populate_record(
  (
    select relata_row
    from "bottage" as relata_row
    limit 1
  ),
  :'row'::json
) is null as empty;

-- read bottage: POST /bottage/, POST /bottage/batch/, GET /bottage/{bottage}
select
  "bottage"."id" as id,
  (
    select row_to_json(item.*)::text
    from (
      select
        "bottage"."id" as "bottage",
        "bottage"."cul" as "cul",
        "bottage"."colere_id" as "colere",
        case
          when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
          then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
        end as "date"
      from (select "bottage".*) as "bottage"
    ) as item
  ) as text
from "bottage"
where "bottage"."id" = any((select :'ids'::bigint[])::bigint[]);

-- follow bottage: GET /bottage/
with relata_now as materialized (
  select
    epoch,
    unfinished.transaction
  from relata_epoch
  cross join (
    select coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot())) as transaction
    from pg_snapshot_xip(pg_current_snapshot()) as running
    where (
      running::xid in (
        select backend_xid
        from pg_stat_activity
        where datname <> current_database()
        union all
        select transaction
        from pg_prepared_xacts
        where database <> current_database()
      )
    ) is not true
  ) as unfinished
  where epoch = (select relata_epoch())
    and relata_epoch.transaction <= unfinished.transaction
),
relata_told as (
  select
    coalesce(
      (
        select mark::text
        from relata_epoch
        where epoch = :'epoch'::bigint
      ),
      ''
    ) = :'mark'::text
      and (:'epoch'::bigint, :'transaction'::xid8) < (
        (select relata_epoch()),
        pg_snapshot_xmax(pg_current_snapshot())
      ) as "isKnown",
    not exists (select from relata_now) or coalesce(
      (
        select not ("bottage".relata_epoch, "bottage".relata_transaction) < (
          select epoch, transaction
          from relata_now
        )
        from "bottage"
        order by "bottage".relata_epoch desc, "bottage".relata_transaction desc, "bottage"."id" desc
        limit 1
      ),
      false
    ) as "isWaiting"
)
select
  "isKnown",
  "isWaiting",
  page.*
from relata_told
left join (
  select
    "bottage".relata_epoch as epoch,
    coalesce(
      (
        select mark::text
        from relata_epoch
        where epoch = "bottage".relata_epoch
      ),
      ''
    ) as mark,
    "bottage".relata_transaction::text as transaction,
    "bottage"."id"::text as id,
    case
      when coalesce(sum(coalesce(octet_length("bottage"."cul"), 0)) over (
        order by "bottage".relata_epoch, "bottage".relata_transaction, "bottage"."id"
        rows between unbounded preceding and 1 preceding
      ), 0) < 1048576
      then (
        select row_to_json(item.*)::text
        from (
          select
            "bottage"."id" as "bottage",
            "bottage"."cul" as "cul",
            "bottage"."colere_id" as "colere",
            case
              when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
              then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
            end as "date"
          from (select "bottage".*) as "bottage"
        ) as item
      )
    end as text
  from (
    select
      "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at",
      "bottage".relata_epoch,
      "bottage".relata_transaction
    from "bottage"
    where ("bottage".relata_epoch, "bottage".relata_transaction, "bottage"."id") > (:'epoch'::bigint, :'transaction'::xid8, :'id'::bigint)
      and ("bottage".relata_epoch, "bottage".relata_transaction) < (
        select epoch, transaction
        from relata_now
      )
    order by "bottage".relata_epoch, "bottage".relata_transaction, "bottage"."id"
    limit 100
  ) as "bottage"
) as page
  on "isKnown"
order by page.epoch, page.transaction::xid8, page.id::bigint;

-- newest bottage: GET /bottage/
with relata_now as materialized (
  select
    epoch,
    unfinished.transaction
  from relata_epoch
  cross join (
    select coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot())) as transaction
    from pg_snapshot_xip(pg_current_snapshot()) as running
    where (
      running::xid in (
        select backend_xid
        from pg_stat_activity
        where datname <> current_database()
        union all
        select transaction
        from pg_prepared_xacts
        where database <> current_database()
      )
    ) is not true
  ) as unfinished
  where epoch = (select relata_epoch())
    and relata_epoch.transaction <= unfinished.transaction
)
select
  "bottage".relata_epoch as epoch,
  coalesce(
    (
      select mark::text
      from relata_epoch
      where epoch = "bottage".relata_epoch
    ),
    ''
  ) as mark,
  "bottage".relata_transaction::text as transaction,
  "bottage"."id"::text as id,
  case
    when coalesce(sum(coalesce(octet_length("bottage"."cul"), 0)) over (
      order by "bottage".relata_epoch, "bottage".relata_transaction, "bottage"."id"
      rows between unbounded preceding and 1 preceding
    ), 0) < 1048576
    then (
      select row_to_json(item.*)::text
      from (
        select
          "bottage"."id" as "bottage",
          "bottage"."cul" as "cul",
          "bottage"."colere_id" as "colere",
          case
            when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
            then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
          end as "date"
        from (select "bottage".*) as "bottage"
      ) as item
    )
  end as text
from (
  select
    "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at",
    "bottage".relata_epoch,
    "bottage".relata_transaction
  from "bottage"
  where ("bottage".relata_epoch, "bottage".relata_transaction) < (
    select epoch, coalesce(transaction, '0')
    from relata_epoch() as epoch
    left join relata_now using (epoch)
  )
  order by "bottage".relata_epoch desc, "bottage".relata_transaction desc, "bottage"."id" desc
  limit 1
) as "bottage";

-- create bottage batch: POST /bottage/batch/
with relata_sent as (
  select
    sent.*,
    concat_ws(
      ',',
      null,
      case when sent."colere_id" is not null
        and (
          select true
          from (
            select
              "colere"."id" as id,
              coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
            from "colere"
          ) as candidate
          where candidate.id = sent."colere_id"
        ) is null
        then 'colere:does_not_exist'
      end
    ) as relata_refused
  from rows from (
    json_to_recordset(:'rows'::json) as (
      "cul" text,
      "colere_id" bigint
    )
  ) with ordinality as sent ("cul", "colere_id", relata_ordinal)
),
relata_input as materialized (
  select *
  from relata_sent
  where relata_refused = ''
    and not exists (select from relata_sent where relata_refused <> '')
  order by relata_ordinal
),
relata_written as (
  insert into "bottage" ("cul", "colere_id")
  select "cul", "colere_id"
  from relata_input
  where set_config('relata.ordinal', relata_ordinal::text, true) is not null
  returning
    "bottage"."id", "bottage"."cul", "bottage"."colere_id", "bottage"."created_at",
    current_setting('relata.ordinal')::bigint as relata_ordinal
)
select
  coalesce(
    case when count(id) = (select count(*) from relata_sent) then (array_agg(id))[1] end,
    current_setting('relata_refused(' || (
      select coalesce(json_agg(
        json_build_array(relata_ordinal - 1, relata_refused) order by relata_ordinal
      )::text, '')
      from relata_sent
      where relata_refused <> ''
    ) || ')')::bigint
  ) as id,
  case when bool_and(text is not null)
    then '[' || string_agg(text, ',' order by ordinal) || ']'
    else json_agg(id order by ordinal)::text
  end as text
from (
  select
    relata_ordinal as ordinal,
    "bottage"."id" as id,
    (
      select row_to_json(item.*)::text
      from (
        select
          "bottage"."id" as "bottage",
          "bottage"."cul" as "cul",
          "bottage"."colere_id" as "colere",
          case
            when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
            then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
          end as "date"
        from (select "bottage".*) as "bottage"
      ) as item
    ) as text
  from relata_written as "bottage"
) as made;

-- last bottage: GET /bottage/last
select
  (
    select row_to_json(item.*)::text
    from (
      select
        "bottage"."id" as "bottage",
        "bottage"."cul" as "cul",
        "bottage"."colere_id" as "colere",
        case
          when "bottage"."created_at" >= '0001-01-01T00:00:00Z' and "bottage"."created_at" < '10000-01-01T00:00:00Z'
          then to_char("bottage"."created_at" at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')
        end as "date"
      from (select "bottage".*) as "bottage"
    ) as item
  ) as text
from "bottage"
order by "bottage"."id" desc
limit 1;

-- choices of colere: GET /bottage/choices/colere/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "colere"."id" as id,
      coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
    from "colere"
  ) as candidate
  where candidate.id > :'after'::bigint
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;

-- choices of colere that contain a text: GET /bottage/choices/colere/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "colere"."id" as id,
      coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
    from "colere"
  ) as candidate
  where candidate.id > :'after'::bigint
    and lower(candidate.text collate "default") like lower(:'q'::text)
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;

-- choices of colere with some identifiers: GET /bottage/choices/colere/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "colere"."id" as id,
      coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
    from "colere"
  ) as candidate
  where candidate.id > :'after'::bigint
    and candidate.id = any(:'id__in'::bigint[])
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;

-- choices of colere that contain a text with some identifiers: GET /bottage/choices/colere/
select
  candidate.id::text as id,
  candidate.text as text
from (
  select candidate.*
  from (
    select
      "colere"."id" as id,
      coalesce(nullif("colere"."name", ''), 'colere ' || "colere"."id"::text) as text
    from "colere"
  ) as candidate
  where candidate.id > :'after'::bigint
    and lower(candidate.text collate "default") like lower(:'q'::text)
    and candidate.id = any(:'id__in'::bigint[])
  order by candidate.id
  limit 51
) as candidate
order by candidate.id;
