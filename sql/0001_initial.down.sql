drop table bottage;
drop table colere;
drop table foo;
drop table bar;

delete from relata_migration
where number = 1;
