/**
 * The first schema. `{id}` is each database's own integer key that counts up by itself. Integers stand for booleans and
 * milliseconds, JSON is text that is never queried, public ids sort by bytes (`{bytes}`).
 *
 * Rows of the log are kept in the order of writing, not by conversation: with many conversations at once an append then
 * touches the last page instead of one page a conversation (performance.md, "what decides it").
 */
export const migration0001 = `
create table principal (
	id {id},
	uid text {bytes} not null unique,
	kind text not null,
	desk_id bigint,
	generation integer not null default 1,
	name text not null default '',
	seen_at bigint not null,
	created_at bigint not null
);
create table secret (
	name text {bytes} not null primary key,
	value text not null
);
create table access_key (
	id {id},
	uid text {bytes} not null unique,
	hash text {bytes} not null unique,
	principal_id bigint not null references principal(id),
	name text not null,
	last4 text not null,
	created_at bigint not null,
	revoked_at bigint
);
create index access_key_by_principal on access_key (principal_id);
create table sign_in (
	hash text {bytes} not null primary key,
	principal_id bigint not null references principal(id),
	kind text not null,
	expires_at bigint not null,
	created_at bigint not null
);
create table desk (
	id {id},
	handle text {bytes} not null unique,
	name text not null,
	about text not null default '',
	suggestions text not null default '[]',
	settings text not null default '{}',
	owner_id bigint not null references principal(id),
	language text not null default 'en',
	created_at bigint not null,
	changed_at bigint not null
);
create table memory_file (
	desk_id bigint not null references desk(id),
	path text {bytes} not null,
	text text not null,
	changed_at bigint not null,
	primary key (desk_id, path)
);
create table gap (
	id {id},
	desk_id bigint not null references desk(id),
	conversation_id bigint not null,
	question text not null,
	at bigint not null,
	dismissed_at bigint
);
create index gap_by_desk on gap (desk_id, id);
create table site (
	desk_id bigint not null references desk(id),
	rule text {bytes} not null,
	state text not null,
	asked integer not null default 0,
	seen_at bigint not null,
	created_at bigint not null,
	primary key (desk_id, rule)
);
create table site_visit (
	desk_id bigint not null references desk(id),
	site text {bytes} not null,
	seen_at bigint not null,
	primary key (desk_id, site)
);
create table ticket (
	hash text {bytes} not null primary key,
	principal_id bigint not null,
	expires_at bigint not null
);
create index ticket_by_expiry on ticket (expires_at);
create table conversation (
	id {id},
	uid text {bytes} not null unique,
	desk_id bigint not null,
	seq bigint not null,
	epoch bigint not null,
	ended_at bigint,
	channel text not null,
	site text,
	embed text,
	changed_at bigint not null,
	created_at bigint not null
);
create index conversation_by_change on conversation (desk_id, changed_at);
create table participant (
	conversation_id bigint not null references conversation(id),
	side text not null,
	principal_id bigint not null,
	read_seq bigint not null,
	microphone text not null,
	primary key (conversation_id, side)
){clustered};
create index participant_by_principal on participant (principal_id, conversation_id);
create table task (
	id {id},
	uid text {bytes} not null unique,
	desk_id bigint not null,
	caller_id bigint not null,
	conversation_id bigint not null references conversation(id),
	state text not null,
	status text not null,
	status_at bigint not null,
	artifacts text not null default '',
	metadata text not null default '',
	first_seq bigint not null,
	last_seq bigint not null,
	asked_seq bigint not null,
	asked_from bigint not null,
	hidden integer not null default 0
);
create index task_by_change on task (caller_id, desk_id, status_at, id);
create index task_by_conversation on task (conversation_id);
create index task_open on task (conversation_id) where state in ('TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED');
create index task_interrupted on task (status_at) where state in ('TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED');
create table task_tally (
	caller_id bigint not null,
	desk_id bigint not null,
	tasks bigint not null,
	primary key (caller_id, desk_id)
);
create table message (
	caller_id bigint not null,
	scope text not null,
	scope_id bigint not null,
	message_id text {bytes} not null,
	hash text not null,
	conversation_id bigint not null,
	task_id bigint not null,
	seq bigint not null,
	primary key (caller_id, scope, scope_id, message_id)
){clustered};
create table event (
	id {id},
	conversation_id bigint not null,
	seq bigint not null,
	kind text not null,
	task_id bigint,
	body text not null,
	at bigint not null
);
create unique index event_by_seq on event (conversation_id, seq);
create index event_chunks on event (at) where kind = 'artifact';
-- Small: a row goes when its turn ends. Looked through whole where no index helps.
create table turn (
	id {id},
	uid text {bytes} not null unique,
	conversation_id bigint not null,
	desk_id bigint not null,
	state text not null,
	epoch bigint not null,
	claim text not null default '',
	lease_until bigint not null,
	attempts integer not null,
	through_seq bigint not null,
	wrote integer not null default 0,
	asker_id bigint not null,
	guest integer not null,
	place text,
	queued_at bigint not null
);
create index turn_by_conversation on turn (conversation_id);
create index turn_by_guest on turn (asker_id) where guest = 1;
create index turn_by_place on turn (desk_id, place, state) where guest = 1;
create table outbox (
	id {id},
	uid text {bytes} not null unique,
	kind text not null,
	target text not null,
	ordering text not null,
	body text not null,
	attempts integer not null default 0,
	due_at bigint not null,
	lease_until bigint not null default 0,
	claim text not null default '',
	state text not null,
	reason text,
	created_at bigint not null
);
create index outbox_due on outbox (state, due_at);
`;
