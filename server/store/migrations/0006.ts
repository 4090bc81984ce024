/**
 * What every process on this database has to act on (`engine/notices-operations.ts`). The head gives the numbers: it is locked until the
 * commit, so they rise by one in the order of commits, and whoever has seen one has seen all before it.
 */
export const migration0006 = `
create table notice (
	id bigint not null primary key,
	what text not null
){clustered};
create table notice_head (last bigint not null);
insert into notice_head (last) values (0);
`;
