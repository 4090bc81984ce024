/**
 * Numbered embeds (EMB-2), and how often sites asked that no longer fit in the list of those that wait. The last number that was
 * given stands at the desk: one that is deleted must never be given again, since sites may still carry it.
 */
export const migration0002 = `
create table embed (
	desk_id bigint not null references desk(id),
	number integer not null,
	mode text not null,
	name text not null,
	theme text not null,
	accent text,
	greeting integer not null,
	greeting_text text not null,
	created_at bigint not null,
	changed_at bigint not null,
	primary key (desk_id, number)
);
alter table desk add column last_embed integer not null default 0;
create table site_overflow (
	desk_id bigint not null primary key references desk(id),
	asked bigint not null,
	seen_at bigint not null
);
create index desk_by_owner on desk (owner_id);
`;
