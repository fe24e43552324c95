drop index if exists colere_text;
drop index if exists foo_text;
drop index if exists bar_text;

delete from relata_migration
where number = 2;
