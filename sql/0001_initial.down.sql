drop table bottage;
drop table colere;
drop table foo;
drop table bar;
