/**
 * Pictures that visitors have sent, and what they thought of answers. A picture's bytes lie on the disk under its `uid`. A
 * picture whose conversation goes belongs to none any more, which ends it; what was thought of an answer goes with it.
 */
export const migration0005 = `
create table picture (
	uid text {bytes} not null primary key,
	desk_id bigint not null,
	principal_id bigint not null,
	conversation_id bigint references conversation(id) on delete set null,
	media_type text not null,
	bytes bigint not null,
	width integer not null,
	height integer not null,
	sent integer not null default 0,
	gone integer not null default 0,
	created_at bigint not null
);
create index picture_by_desk on picture (desk_id, bytes);
create index picture_by_principal on picture (principal_id, created_at);
create index picture_by_conversation on picture (conversation_id);
create index picture_loose on picture (sent, created_at) where conversation_id is null;
create index picture_gone on picture (uid) where gone = 1;
create table rating (
	conversation_id bigint not null references conversation(id) on delete cascade,
	seq bigint not null,
	value text not null,
	at bigint not null,
	primary key (conversation_id, seq)
){clustered};
`;
