create table task (
  id uuid primary key,
  title text not null,
  marks text[] not null,
  shared boolean not null,
  owner text not null
);

create index on task (title collate "C", id);
create index on task (owner collate "C", id);
