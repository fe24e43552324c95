-- The tables of the conference. Texts that identify rows go by code point, so that the tests can tell their order.

create table edition (
  year smallint primary key,
  city text not null
);

create index edition_city_year on edition (city collate "C", year);

create table room (
  code text collate "C" primary key,
  name text,
  seats integer not null
);

create index room_name_code on room (name collate "C", code);
create index room_seats_code on room (seats, code);

create table person (
  login varchar(20) collate "C" primary key,
  name text not null,
  contact jsonb not null default '{}'
);

create index person_name_login on person (name collate "C", login);

create table follow (
  fan varchar(20) collate "C" not null references person,
  idol varchar(20) collate "C" not null references person,
  primary key (fan, idol)
);

create index follow_idol on follow (idol, fan);

create table talk (
  id uuid primary key,
  title text not null,
  topics text[] not null default '{}',
  edition_id smallint not null references edition,
  room_id text collate "C" references room,
  after_id uuid references talk on delete set null
);

create index talk_title_id on talk (title collate "C", id);
create index talk_edition_id_id on talk (edition_id, id);
create index talk_room_id_id on talk (room_id, id);
create index talk_after_id_id on talk (after_id, id);

create table talk_speaker (
  spoken uuid not null references talk,
  speaker varchar(20) collate "C" not null references person,
  place integer not null,
  primary key (spoken, speaker)
);

create index talk_speaker_speaker on talk_speaker (speaker, spoken);

create table related_talk (
  talk uuid not null references talk,
  related uuid not null references talk on delete cascade,
  primary key (talk, related)
);

create index related_talk_related on related_talk (related, talk);

create table voucher (
  code text collate "C" primary key,
  percent smallint not null
);

create sequence voucher_number
  owned by voucher.code;

alter table voucher
alter code set default 'V-' || nextval('voucher_number');

create table ticket (
  id uuid primary key default gen_random_uuid(),
  price numeric not null default 0,
  edition_id smallint not null references edition,
  holder varchar(20) collate "C" references person on delete set null,
  voucher_id text collate "C" unique references voucher
);

create index ticket_edition_id_id on ticket (edition_id, id);
create index ticket_holder_id on ticket (holder, id);

create table visit (
  id uuid primary key,
  talk_id uuid not null references talk on delete cascade,
  ticket_id uuid not null references ticket,
  came_at timestamptz not null default clock_timestamp(),
  relata_epoch bigint not null default relata_epoch(),
  relata_transaction xid8 not null default pg_current_xact_id()
);

create index visit_followed on visit (relata_epoch, relata_transaction, id);
create index visit_talk_id_id on visit (talk_id, id);
create index visit_ticket_id_id on visit (ticket_id, id);
create index visit_came_at_id on visit (came_at, id);

create table biography (
  person_id varchar(20) collate "C" primary key references person,
  line text not null
);

create index biography_line_person_id on biography (line collate "C", person_id);

create table attendance (
  person_id varchar(20) collate "C" references person,
  edition_id smallint references edition,
  guide_id varchar(20) collate "C" references biography,
  role text not null,
  primary key (person_id, edition_id)
);

create index attendance_edition_id_person_id on attendance (edition_id, person_id);
create index attendance_guide_id_person_id on attendance (guide_id, person_id, edition_id);
create index attendance_role_person_id on attendance (role collate "C", person_id, edition_id);

create table session (
  hall text collate "C",
  day date,
  half text collate "C" check (half in ('morning', 'afternoon')),
  talk_id uuid references talk on delete set null,
  host_id varchar(20) collate "C" references biography on delete set null,
  primary key (hall, day, half)
);

create index session_talk_id_hall on session (talk_id, hall, day, half);
create index session_host_id_hall on session (host_id, hall, day, half);
create index session_day_hall on session (day, hall, half);
