drop table relata_token;

delete from relata_migration
where number = 3;
