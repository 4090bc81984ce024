/**
 * What an agent may do beyond its notes: on the desk its owner's preset and what its apps could give at most, the apps' connections,
 * what waits for the owner's word, the preset that each turn began with, and every call that a turn made outside.
 */
export const migration0003 = `
alter table desk add column preset text not null default '';
alter table desk add column apps text not null default '';
create table app_connection (
	desk_id bigint not null references desk(id),
	app text {bytes} not null,
	uid text {bytes} not null,
	kind text not null,
	label text not null,
	most text not null,
	settings text not null,
	connected_at bigint not null,
	primary key (desk_id, app)
);
create table approval (
	id {id},
	uid text {bytes} not null unique,
	desk_id bigint not null references desk(id),
	part text {bytes} not null,
	widening text not null,
	preset_version bigint not null,
	state text not null,
	reason text not null default '',
	created_at bigint not null,
	expires_at bigint not null,
	decided_at bigint
);
create unique index approval_open on approval (desk_id, part) where state = 'open';
create index approval_by_desk on approval (desk_id, id);
create index approval_waiting on approval (desk_id, id) where state = 'open';
create index approval_by_expiry on approval (expires_at) where state = 'open';
create index approval_by_decision on approval (decided_at) where state <> 'open';
create index approval_void on approval (desk_id, id) where state = 'void';
create table turn_preset (
	turn_uid text {bytes} not null primary key references turn(uid) on delete cascade,
	preset text not null
);
-- A conversation into which somebody wrote by another door than its own.
create table conversation_elsewhere (
	conversation_id bigint not null primary key references conversation(id) on delete cascade
);
-- What a visitor asked for goes with their conversation.
create table app_call (
	id {id},
	uid text {bytes} not null unique,
	desk_id bigint not null,
	conversation_id bigint not null references conversation(id) on delete cascade,
	turn_uid text {bytes} not null,
	asker_id bigint not null,
	tool text not null,
	call text not null,
	state text not null,
	result text not null default '',
	at bigint not null
);
create unique index app_call_once on app_call (turn_uid, call);
create index app_call_by_desk on app_call (desk_id, at);
create index app_call_by_asker on app_call (asker_id, at);
create index app_call_by_time on app_call (at);
create index app_call_by_conversation on app_call (conversation_id);
create index app_call_begun on app_call (desk_id, at) where state = 'begun';
create index app_call_results on app_call (at) where result <> '';
`;
