drop index if exists colere_text;
drop index if exists foo_text;
drop index if exists bar_text;
