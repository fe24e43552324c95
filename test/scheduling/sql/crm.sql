-- What another team has in the same database, with its customers.

create schema crm;

create table crm.customers (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text,
  attributes jsonb not null default '{}'
);

create index customers_name_id on crm.customers (name collate "C", id);

insert into crm.customers (id, name, attributes)
values
  ('01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7e', 'Fjord Hotel', '{"plan": "gold"}'),
  ('01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7f', 'Dairy', '{}');
