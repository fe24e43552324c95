drop table task;
