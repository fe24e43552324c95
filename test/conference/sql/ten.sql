-- Ten rows of what others refer to, so that most identifiers that are made up at random are there.

insert into edition (year, city)
select n, 'City ' || n
from generate_series(1, 10) as n;

insert into room (code, seats)
select 'A/' || n, n
from generate_series(1, 10) as n;

insert into person (login, name)
select 'A/' || n, 'Person ' || n
from generate_series(1, 10) as n;

insert into talk (id, title, edition_id)
select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Talk ' || n, n
from generate_series(1, 10) as n;

insert into voucher (code, percent)
select 'A/' || n, n
from generate_series(1, 10) as n;

insert into ticket (id, edition_id)
select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n
from generate_series(1, 10) as n;

insert into biography (person_id, line)
select 'A/' || n, 'Line ' || n
from generate_series(1, 10) as n;
