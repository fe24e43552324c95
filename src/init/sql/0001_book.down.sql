drop table book;
drop table author;
