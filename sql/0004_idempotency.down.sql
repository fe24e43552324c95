drop table relata_idempotency;

delete from relata_migration
where number = 4;
