-- What was written under an Idempotency-Key, and what was answered.

create table relata_idempotency (
  request text primary key, -- the SHA-256 of the next four, which may be long, in hexadecimal digits
  caller text not null, -- a token, such as "token 3", or an issuer and a subject; empty where none was asked for
  method text not null,
  path text not null,
  key text not null,
  sent text not null, -- the SHA-256 of the body and the conditions
  status smallint not null,
  identifier text not null, -- of the row, or of one of them if there are several
  text text, -- the JSON that was read then, if any was
  created_at timestamptz not null default now()
);

create index relata_idempotency_created_at on relata_idempotency (created_at);
