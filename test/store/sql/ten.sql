-- Ten rows of what others refer to, so that most identifiers that are made up at random are there.

insert into artist (name, active)
select 'Artist ' || n, true
from generate_series(1, 10) as n;

insert into record_label (name)
select 'Label ' || n
from generate_series(1, 10) as n;

insert into genre (name)
select 'Genre ' || n
from generate_series(1, 10) as n;

insert into album (title, artist_id, format)
select 'Album ' || n, n, 'LP'
from generate_series(1, 10) as n;

insert into tag (name)
select 'Tag ' || n
from generate_series(1, 10) as n;

insert into track (name, album_id, milliseconds, price, rating, explicit)
select 'Track ' || n, n, n, n, 0, false
from generate_series(1, 10) as n;

insert into shop (city, opened)
select 'City ' || n, '2001-01-01'
from generate_series(1, 10) as n;

insert into employee (name, hired, shop_id)
select 'Employee ' || n, '2001-01-01', n
from generate_series(1, 10) as n;

insert into customer (name, email, newsletter)
select 'Customer ' || n, n || '@example.org', false
from generate_series(1, 10) as n;

insert into playlist (name)
select 'Playlist ' || n
from generate_series(1, 10) as n;

insert into invoice (customer_id, total, rate)
select n, n, 0
from generate_series(1, 10) as n;
