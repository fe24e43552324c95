drop table line;
drop table invoice;
drop table product;
