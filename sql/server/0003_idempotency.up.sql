-- What was created under an Idempotency-Key, and what was answered.

create table relata_idempotency (
  caller text not null, -- a token, such as "token 3", or an issuer and a subject; empty where none was asked for
  path text not null,
  key text not null,
  body text not null, -- the SHA-256 of what was sent, in hexadecimal digits
  identifier text not null, -- of one of the rows, if there are several
  text text not null, -- the JSON that was read then
  created_at timestamptz not null default now(),
  primary key (caller, path, key)
);

create index relata_idempotency_created_at on relata_idempotency (created_at);
