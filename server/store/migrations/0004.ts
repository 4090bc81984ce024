/**
 * Questions asked by a link alone, and the private links given with their answers (LINK-3). `asked` remembers for a while who
 * asked what, so that the same address opened twice asks once; `follow_up` is one link, known by its hash. A link that is
 * ended or has run out is a row that is gone.
 */
export const migration0004 = `
create table asked (
	hash text {bytes} not null primary key,
	principal_id bigint not null references principal(id),
	claimed integer not null default 0,
	at bigint not null
);
create index asked_by_principal on asked (principal_id);
create index asked_by_time on asked (at);
create table follow_up (
	hash text {bytes} not null primary key,
	desk_id bigint not null references desk(id),
	first_id bigint not null references principal(id),
	speaker_id bigint references principal(id),
	free integer not null,
	expires_at bigint not null,
	created_at bigint not null
);
create index follow_up_by_first on follow_up (first_id);
create index follow_up_by_expiry on follow_up (expires_at);
`;
